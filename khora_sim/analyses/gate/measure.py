"""The game as it is now, played for a gate: as its baseline, or to be compared with one.

All sets of cities are played equally often, the cities moving around the table.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from khora_sim import __version__
from khora_sim.analyses.analysis import Run
from khora_sim.analyses.gate.baseline import WIN, Baseline, Card, KeptShare, Player, kept_share, units_of
from khora_sim.analyses.power import PowerOptions, play_and_count
from khora_sim.analyses.power.counts import WINS, Counts, things_of
from khora_sim.analyses.power.worth import DEALT
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.rules import load_rules
from khora_sim.simulation.experiment import Arm, Design, resolve_study
from khora_sim.simulation.result import RulesPlayed
from khora_sim.simulation.sinks import ArmSums
from khora_sim.simulation.study_file import study_of
from khora_sim.simulation.summing import Summing
from khora_sim.stats import LEVEL, Estimate, Sums, estimates, shares

STRATEGIES, PLAYERS, GAMES, SEED = ("expert",), 4, 14_000, seed_in(JUDGING, 0)
FIRST_TRY, SLACK = 2800, 1.05  # games from which a precision is tried; what is played beyond the forecast
SUMMING = Summing(("city", "seat"), (WIN,))


class Plan(NamedTuple):
    """What is played."""

    strategies: tuple[str, ...] = STRATEGIES
    players: int = PLAYERS
    games: int = GAMES
    precision: float | None = None  # percentage points, in place of a number of games
    seed: int = SEED
    rules: str | None = None  # the file of a variant
    cards: bool = False  # whether the power of cards is played, too


@dataclass(frozen=True)
class Played:
    """The present game, measured."""

    arm: Arm
    sums: Sums  # by city and seat
    cards: dict[str, Card] | None = None  # their power, where it was played

    @property
    def players(self) -> int:
        """Players at the table."""
        return self.arm.sections[0].players

    @property
    def games(self) -> int:
        """Games that were played."""
        return self.sums.rows // self.players

    @property
    def items(self) -> dict[tuple[str, str], str]:
        """The names of all cities and seats, by kind and id."""
        rules = self.arm.rules
        cities = {("city", id): name for id, name in zip(rules.city_ids, rules.city_names, strict=True)}
        return cities | {("seat", str(seat)): f"seat {seat}" for seat in range(1, self.players + 1)}

    def of(self, kind: str, id: str) -> Sums:
        """The sums of a city or a seat."""
        return self.sums.only(**{kind: int(id) if kind == "seat" else id})

    def shares(self, level: float = LEVEL) -> dict[tuple[str, str], Estimate]:
        """The shares that all cities and seats won."""
        found: dict[tuple[str, str], Estimate] = {}
        for kind in ("city", "seat"):
            table = shares(self.sums, [kind], WIN, rows_per_group=self.rows_per_group, level=level)
            found |= {(kind, str(id)): one for id, one in zip(table[kind], estimates(table), strict=True)}
        return found

    @property
    def margin(self) -> float:
        """The widest margin of all cities."""
        return max(one.margin for (kind, _), one in self.shares().items() if kind == "city")

    @property
    def rows_per_group(self) -> int:
        """Rows of a rotation group, a row for each player of each game."""
        return self.arm.sections[0].group_size * self.players


def played(plan: Plan, run: Run) -> Played:
    """Play the present game, and sum its wins.

    For a precision, numbers of games are tried from a small one on, each played from the first game: the same
    number that is asked for later plays exactly the same games.
    """
    wanted = None if plan.precision is None else plan.precision / 100
    games = plan.games if wanted is None else FIRST_TRY
    while True:
        found = _played(plan, games, run)
        if wanted is None or found.margin <= wanted:
            return replace(found, cards=cards_of(plan, found.games, run)) if plan.cards else found
        games = math.ceil(found.games * (found.margin / wanted) ** 2 * SLACK)


def _played(plan: Plan, games: int, run: Run) -> Played:
    rules = load_rules(plan.rules)
    asked = {"strategies": plan.strategies, "players": plan.players, "seed": plan.seed, "games": games}
    arm = resolve_study(study_of(asked | {"cities": "all"}), rules, plan.rules)
    sink = ArmSums(SUMMING, run.chunks)
    run.play(Design((arm,)), sink)
    return Played(arm, sink.sums[0])


def cards_of(plan: Plan, games: int, run: Run) -> dict[str, Card]:
    """The power of every card in the present game: by how much being dealt it raises the win rate."""
    return cards_in(play_and_count(power_options(plan, games), (DEALT,), run, seed=plan.seed))


def power_options(plan: Plan, games: int) -> PowerOptions:
    """The power of cards as it is asked for; refused where no card is left to swap."""
    who = {"strategies": plan.strategies, "players": plan.players}
    return PowerOptions.of({"kind": "cards", **who, "games": games, "rules": plan.rules})


def cards_in(counts: Counts) -> dict[str, Card]:
    """The power of every card in games that were counted."""
    worth = [over_all_cities for (over_all_cities,) in counts.effects(DEALT, WINS).averaged().estimates()]
    return {
        id: Card.model_validate({"name": name, **one.data()})
        for (id, name), one in zip(things_of(counts.kind, counts.rules).items(), worth, strict=True)
        if math.isfinite(one.value)
    }


def baseline_of(now: Played) -> Baseline:
    """What was played and measured, to be kept."""
    found: dict[str, dict[str, KeptShare]] = {"city": {}, "seat": {}}
    known = now.shares()
    for (kind, id), name in now.items.items():
        found[kind][id] = kept_share(name, known[kind, id], now.of(kind, id))
    return Baseline(
        khora=__version__,
        rules=RulesPlayed.of(now.arm.rules),
        players=now.players,
        strategies=strategies_of(now.arm),
        seed=now.arm.study.seed,
        games=now.games,
        units=units_of(now.sums),
        cities=found["city"],
        seats=found["seat"],
        cards=now.cards,
    )


def strategies_of(arm: Arm) -> tuple[Player, ...]:
    """Who plays, with digests."""
    return tuple(Player(name=one.name, digest=one.digest) for one in arm.strategies)
