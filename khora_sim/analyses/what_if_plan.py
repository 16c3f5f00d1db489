"""What is asked of a what-if, and the sides that follow from it: the base game, and every change of it.

An arm is everything that may differ between two sides: rules, with the options of the game that they set,
and who plays.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from khora_sim.analyses.cities import most_games
from khora_sim.analyses.games_asked import check_games
from khora_sim.analyses.what_if_answer import Adapted, Variant
from khora_sim.analyses.what_if_things import needs_rounds, things_of
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.errors import UserError
from khora_sim.rules import Rules, load_rules, set_rules
from khora_sim.rules.terms import MAX_PLAYERS
from khora_sim.simulation.experiment import Arm, Design, settled_plan
from khora_sim.simulation.study_file import Study, study_of
from khora_sim.training.making import budget_of

STRATEGIES, BESIDE = ("expert",), "steward"
PLAYERS, GAMES, SEED = (4,), 14_000, seed_in(JUDGING, 0)
NOBODY = "none"
LineUp = tuple[str, ...]  # strategies, as they are typed


class Plan(NamedTuple):
    """What is asked."""

    files: tuple[str, ...] = ()  # of variants
    assignments: tuple[str, ...] = ()  # together one more variant
    strategies: LineUp = STRATEGIES
    against: LineUp = ()  # others who play the changed side
    beside: str = BESIDE  # players of another skill, who give a second verdict
    players: tuple[int, ...] = PLAYERS  # sizes of table
    games: int | None = GAMES  # of each side, with each line-up of players, at each size of table
    precision: float | None = None  # percentage points, in place of a number of games
    adapt: str | None = None  # what players may take to learn the changed rules: games or time
    seed: int = SEED


class Side(NamedTuple):
    """A changed side: which variant is played, and by whom."""

    variant: int
    strategies: LineUp
    adapted: Adapted | None = None


class Contest(NamedTuple):
    """The base game and all changed sides that are compared with it, at tables of one size."""

    players: int
    strategies: LineUp  # who plays the base game
    sides: tuple[Side, ...]


def check_plan(plan: Plan) -> None:
    """Refuse a plan without a change, or one that asks for the impossible."""
    if not plan.files and not plan.assignments and not plan.against:
        raise UserError(
            "no change is named; give a variant file, --set such as cards.lighthouse.cost=2, an option of "
            "the game such as --reroll, or other players with --against"
        )
    twice = sorted({file for file in plan.files if plan.files.count(file) > 1})
    if twice:
        raise UserError(f"{twice[0]}: named twice; name every variant once")
    _check_tables(plan.players)
    _check_line_ups(plan)
    check_games(plan.games, plan.precision)


def _check_tables(players: tuple[int, ...]) -> None:
    typed = ",".join(map(str, players))
    if not players or not all(2 <= count <= MAX_PLAYERS for count in players):
        raise UserError(f"--players {typed}: should be 2 to {MAX_PLAYERS}")
    if len(set(players)) < len(players):
        raise UserError(f"--players {typed}: name every size of table once")


def _check_line_ups(plan: Plan) -> None:
    many, others = len(plan.strategies), len(plan.against)
    if not many:
        raise UserError("--strategies: nobody is named; say who plays, such as expert")
    if others > 1 and many > 1 and many != others:
        raise UserError(
            f"--against {','.join(plan.against)}: {others} for {many} of --strategies; name as many, or one"
        )
    if plan.adapt is None:
        return
    budget_of(plan.adapt, "--adapt")
    if plan.against:
        raise UserError("--adapt and --against: both say who plays the changed side; give one of them")
    if many > 1:
        raise UserError("--adapt: players of one kind learn the changed rules; name one of --strategies")


def variants_of(plan: Plan, base: Rules) -> list[Variant]:
    """The changes that are asked about, without verdicts yet."""
    named: list[tuple[str, str | None, tuple[str, ...], Rules]] = [
        (file, file, (), load_rules(file)) for file in plan.files
    ]
    if plan.assignments:
        named.append((", ".join(plan.assignments), None, plan.assignments, set_rules(plan.assignments)))
    if not named:
        named.append((f"{','.join(plan.against)} in place of {','.join(plan.strategies)}", None, (), base))
    found = []
    for label, file, typed, rules in named:
        changes = tuple(rules.changes())
        found.append(Variant(label, file, typed, rules, changes, things_of(changes, base, rules), ()))
    return found


def contests(
    plan: Plan, variants: Sequence[Variant], adapted: Mapping[tuple[int, int], Adapted]
) -> Iterator[Contest]:
    """What is played for every size of table; `adapted` holds players by size of table and variant."""
    places = range(len(variants))
    for players in plan.players:
        before, after = _as_many(plan.strategies, plan.against or plan.strategies)
        yield Contest(players, before, tuple(Side(place, after) for place in places))
        for place in places:
            known = adapted.get((players, place))
            if known is not None:
                side = Side(place, (known.after.strategy,), known)
                yield Contest(players, (known.before.strategy,), (side,))
        beside = (plan.beside,)
        if plan.beside != NOBODY and not plan.against and beside != plan.strategies:
            yield Contest(players, beside, tuple(Side(place, beside) for place in places))


def _as_many(one: LineUp, two: LineUp) -> tuple[LineUp, LineUp]:
    """Two line-ups of the same length, so that both are dealt to the seats in the same way."""
    count = max(len(one), len(two))
    return (one * count)[:count], (two * count)[:count]


def design_of(plan: Plan, contest: Contest, base: Rules, variants: Sequence[Variant]) -> Design:
    """The base game and the changed sides, each an arm."""
    rules = [base, *(variants[side.variant].rules for side in contest.sides)]
    files = [None, *(variants[side.variant].file for side in contest.sides)]
    line_ups = [contest.strategies, *(side.strategies for side in contest.sides)]
    same_cities = len({tuple(one.city_ids) for one in rules}) == 1
    several = any(len(set(who)) > 1 for who in line_ups)
    asked = {
        "players": contest.players,
        "games": plan.games or 1,
        "cities": "all" if same_cities else "random",
        "rotate": "strategies" if several else "cities",  # the same on all sides: seats keep their cities
        "seed": plan.seed,
        "rounds": any(needs_rounds(variant.things) for variant in variants),
    }

    def arm(rules: Rules, file: str | None, who: LineUp) -> Arm:
        study = study_of({**asked, "strategies": who})
        return settled_plan(_enough(study, plan.precision, len(base.city_ids)), rules, file)

    return Design(tuple(arm(*one) for one in zip(rules, files, line_ups, strict=True)))


def _enough(study: Study, precision: float | None, cities: int) -> Study:
    """A study with as many games as the precision takes at most."""
    if precision is None:
        return study
    # A paired change is never known worse than that of two studies with luck of their own.
    games = most_games(study, precision / math.sqrt(2), cities)
    return study.model_copy(update={"games": games})
