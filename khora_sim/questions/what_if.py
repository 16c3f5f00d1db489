"""What a change of the rules does: the base game and variants of it as arms of one design, on the same luck.

Every set of cities is played equally often, the cities moving around the table. Where a variant adds or
removes a city, chance draws them: then all seats but that city's keep theirs.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from khora_sim import __version__
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.errors import UserError
from khora_sim.lab.crew import crew_for
from khora_sim.lab.design import Design
from khora_sim.lab.plan import settled_plan
from khora_sim.lab.run import Until, Watch, play
from khora_sim.lab.sinks import Sink
from khora_sim.lab.study_file import study_of
from khora_sim.questions.cities import most_games
from khora_sim.questions.what_if_answer import Variant, Verdict, WhatIf
from khora_sim.questions.what_if_judging import Sides, judged
from khora_sim.questions.what_if_rows import Rows
from khora_sim.questions.what_if_things import needs_rounds, things_of
from khora_sim.rules import Rules, load_rules, set_rules
from khora_sim.rules.terms import MAX_PLAYERS

STRATEGIES, BESIDE = ("expert",), "steward"
PLAYERS, GAMES, SEED = 4, 14_000, seed_in(JUDGING, 0)
NOBODY = "none"


class Plan(NamedTuple):
    """What is asked."""

    files: tuple[str, ...] = ()  # of variants
    assignments: tuple[str, ...] = ()  # together one more variant
    strategies: tuple[str, ...] = STRATEGIES
    beside: str = BESIDE  # players of another skill, who give a second verdict
    players: int = PLAYERS
    games: int | None = GAMES  # of each side, with each line-up of players
    precision: float | None = None  # percentage points, in place of a number of games
    seed: int = SEED


def check_plan(plan: Plan) -> None:
    """Refuse a plan without a change, or one that asks for the impossible."""
    if not plan.files and not plan.assignments:
        raise UserError("no change is named; give a variant file, or --set such as cards.lighthouse.cost=2")
    twice = sorted({file for file in plan.files if plan.files.count(file) > 1})
    if twice:
        raise UserError(f"{twice[0]}: named twice; name every variant once")
    if not 2 <= plan.players <= MAX_PLAYERS:
        raise UserError(f"--players {plan.players}: should be 2 to {MAX_PLAYERS}")
    if plan.games is not None and plan.games < 1:
        raise UserError(f"--games {plan.games}: should be 1 or more")
    if plan.precision is not None and not 0.05 <= plan.precision <= 25:
        raise UserError(f"--precision {plan.precision:g}: should be 0.05 to 25 percentage points")


def what_if(plan: Plan, workers: int | None = None, watch: Watch | None = None) -> WhatIf:
    """Play the base game and its variants with the same luck, and tell what the changes do."""
    check_plan(plan)
    base = load_rules()
    variants = _variants(plan, base)
    designs = [design_of(plan, who, base, variants) for who in _line_ups(plan)]
    verdicts = [_verdicts(plan, design, variants, workers, watch) for design in designs]
    told = tuple(
        replace(variant, verdicts=tuple(found[place] for found in verdicts))
        for place, variant in enumerate(variants)
    )
    return WhatIf(__version__, base, plan.players, plan.seed, plan.precision, told)


def _variants(plan: Plan, base: Rules) -> list[Variant]:
    """The changes that are asked about, without verdicts yet."""
    named: list[tuple[str, str | None, tuple[str, ...], Rules]] = [
        (file, file, (), load_rules(file)) for file in plan.files
    ]
    if plan.assignments:
        named.append((", ".join(plan.assignments), None, plan.assignments, set_rules(plan.assignments)))
    found = []
    for label, file, typed, rules in named:
        changes = tuple(rules.changes())
        found.append(Variant(label, file, typed, rules, changes, things_of(changes, base, rules), ()))
    return found


def _line_ups(plan: Plan) -> list[tuple[str, ...]]:
    """The players that are asked for, and those beside them if they are others."""
    beside = (plan.beside,)
    return [plan.strategies, *([beside] if plan.beside != NOBODY and beside != plan.strategies else [])]


def _verdicts(
    plan: Plan, design: Design, variants: Sequence[Variant], workers: int | None, watch: Watch | None
) -> list[Verdict]:
    """Play all sides with one line-up of players, and judge each variant against the base game."""
    things = tuple(dict.fromkeys(thing for variant in variants for thing in variant.things))
    sink = Rows(things)
    until = None if plan.precision is None else precise_enough(plan.precision)
    play(design, sink, crew_for(design, workers), until, watch=watch)
    return [judged(_sides(sink, place), variant.things) for place, variant in enumerate(variants, start=1)]


def design_of(plan: Plan, who: tuple[str, ...], base: Rules, variants: Sequence[Variant]) -> Design:
    """The base game and its variants, each an arm."""
    every = [base, *(variant.rules for variant in variants)]
    same_cities = len({tuple(rules.city_ids) for rules in every}) == 1
    rounds = any(needs_rounds(variant.things) for variant in variants)
    study = study_of(
        {
            "strategies": who,
            "players": plan.players,
            "games": plan.games or 1,
            "cities": "all" if same_cities else "random",
            "seed": plan.seed,
            "rounds": rounds,
        }
    )
    if plan.precision is not None:
        # A paired change is never known worse than that of two studies with luck of their own.
        each = plan.precision / math.sqrt(2)
        study = study.model_copy(update={"games": most_games(study, each, len(base.city_ids))})
    files = [None, *(variant.file for variant in variants)]
    return Design(tuple(settled_plan(study, rules, file) for rules, file in zip(every, files, strict=True)))


def _sides(sink: Rows, place: int) -> Sides:
    return Sides((sink.arms[0], sink.arms[place]), sink.of(0), sink.of(place))


def precise_enough(precision: float) -> Until:
    """A stopping rule: the change of every city's win share is known to so many percentage points."""

    def reached(sink: Sink) -> bool:
        assert isinstance(sink, Rows)
        margins = [_sides(sink, place).margin() for place in range(1, len(sink.arms))]
        return max(margins) <= precision / 100

    return reached
