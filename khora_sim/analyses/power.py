"""What things are worth, by intervention: the same games with a thing and without it, on the same luck.

Every set of cities is played equally often, the cities moving around the table.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from khora_sim import __version__
from khora_sim.analyses.cities import NORMAL, SLACK
from khora_sim.analyses.cities_answer import RulesPlayed
from khora_sim.analyses.games_asked import check_games
from khora_sim.analyses.power_answer import KINDS, Power, ways_of
from khora_sim.analyses.power_counts import Counts
from khora_sim.analyses.power_judging import judged
from khora_sim.analyses.power_parts import Parts
from khora_sim.analyses.power_sides import sides_of, things_of
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.errors import UserError, nearest
from khora_sim.rules import Rules, load_rules
from khora_sim.rules.terms import MAX_PLAYERS
from khora_sim.simulation.backend import crew_for
from khora_sim.simulation.experiment import CHUNKS, Design, city_choices
from khora_sim.simulation.run import Until, Watch, play
from khora_sim.simulation.sinks import Sink
from khora_sim.simulation.study_file import Study, study_of

STRATEGIES = ("expert",)
PLAYERS, GAMES, SEED = 4, 14_000, seed_in(JUDGING, 0)
WORST = 0.5  # variance of the difference of two results, at most: that of two coins


class Plan(NamedTuple):
    """What is asked."""

    kind: str
    strategies: tuple[str, ...] = STRATEGIES
    players: int = PLAYERS
    games: int | None = GAMES  # of each side
    precision: float | None = None  # percentage points, in place of a number of games
    seed: int = SEED
    rules: str | None = None  # the file of a variant


def check_plan(plan: Plan) -> None:
    """Refuse a plan that asks for something unknown or impossible."""
    if plan.kind not in KINDS:
        raise UserError(f'no power of "{plan.kind}" is known; {nearest(plan.kind, KINDS)}')
    if not plan.strategies:
        raise UserError("no strategies; name one, such as --strategies steward")
    if len(plan.strategies) > 1 and plan.kind not in ("cards", "events"):
        raise UserError(
            f"--strategies {','.join(plan.strategies)}: {plan.kind} are barred for one player at a table of "
            "its like; name one strategy"
        )
    if not 2 <= plan.players <= MAX_PLAYERS:
        raise UserError(f"--players {plan.players}: should be 2 to {MAX_PLAYERS}")
    check_games(plan.games, plan.precision)


def power(
    plan: Plan, workers: int | None = None, out: Path | None = None, watch: Watch | None = None
) -> Power:
    """Play what is missing, and tell what everything is worth; a folder keeps what was played."""
    counts = play_and_count(plan, ways_of(plan.kind), workers, out, watch)
    rules = counts.rules
    things = things_of(plan.kind, rules)
    cities = dict(zip(rules.city_ids, rules.city_names, strict=True))
    return Power(
        khora=__version__,
        rules=RulesPlayed.of(rules),
        kind=plan.kind,
        strategies=plan.strategies,
        players=plan.players,
        seed=plan.seed,
        precision=plan.precision,
        games=counts.games,
        sides=len(counts.sides),
        things=things,
        cities=cities,
        rows=tuple(judged(counts, things, cities)),
    )


def play_and_count(
    plan: Plan,
    ways: Sequence[str],
    workers: int | None = None,
    out: Path | None = None,
    watch: Watch | None = None,
) -> Counts:
    """Play what is missing, and count it; of cards, in the ways that are asked about."""
    check_plan(plan)
    rules = load_rules(plan.rules)
    _check_deck(plan, rules)
    sides = sides_of(plan.kind, _study(plan, rules), rules, plan.rules, ways)
    design = Design(tuple(side.arm for side in sides))
    counts = Counts(plan.kind, list(things_of(plan.kind, rules)), len(rules.city_ids), sides, ways)
    until = None if plan.precision is None else precise_enough(plan.precision)
    play(design, Parts(counts, out), crew_for(design, workers), until, watch=watch)
    return counts


def _check_deck(plan: Plan, rules: Rules) -> None:
    """Cards can only be swapped with a deck that holds some."""
    dealt, cards = plan.players * rules.model.hand_dealt, len(rules.card_ids)
    if plan.kind == "cards" and dealt >= cards:
        raise UserError(
            f"{plan.players} hands take all {cards} cards of {rules.name}, and none is left in the deck to "
            "swap; ask with fewer --players"
        )


def _study(plan: Plan, rules: Rules) -> Study:
    study = study_of(
        {
            "strategies": plan.strategies,
            "players": plan.players,
            "games": plan.games or 1,
            "cities": "all",
            "rotate": "cities",
            "seed": plan.seed,
        }
    )
    if plan.precision is None:
        return study
    return study.model_copy(update={"games": most_games(plan, plan.precision, study, rules)})


def most_games(plan: Plan, precision: float, study: Study, rules: Rules) -> int:
    """Games of each side after which every win share is known to a precision, whatever it is."""
    cities = len(rules.city_ids)
    rows = {  # of a thing with a city, in a game of each side
        "cards": plan.players / cities * rules.model.hand_dealt / len(rules.card_ids),
        "events": plan.players / cities * (rules.model.rounds - 2) / max(len(rules.event_ids) - 2, 1),
    }.get(plan.kind, 1 / cities)
    needed = WORST * (100 * NORMAL / precision) ** 2 * SLACK / rows
    turns = city_choices(study, cities, plan.players) * plan.players * CHUNKS
    return turns * math.ceil(needed / turns)


def precise_enough(precision: float) -> Until:
    """A stopping rule: what every thing is worth with every city is known to so many percentage points."""

    def reached(sink: Sink) -> bool:
        assert isinstance(sink, Parts)
        return sink.counts.games > 0 and sink.counts.widest() <= precision / 100

    return reached
