"""The game as it is now, played for a gate: as its baseline, or to be compared with one.

All sets of cities are played equally often, the cities moving around the table.
"""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from khora_sim import __version__
from khora_sim.analyses.answer_folder import not_built_in
from khora_sim.analyses.baseline import WIN, Baseline, Card, KeptShare, Player, kept_share, units_of
from khora_sim.analyses.cities import widest
from khora_sim.analyses.games_asked import check_precision
from khora_sim.analyses.gate_cards import cards_of
from khora_sim.analyses.power import PowerOptions
from khora_sim.common.commands import gating
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.simulation.backend import crew_for
from khora_sim.simulation.experiment import Arm, Design, settled_plan
from khora_sim.simulation.result import RulesPlayed
from khora_sim.simulation.run import play
from khora_sim.simulation.sinks import InMemory
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
    def rows_per_group(self) -> int:
        """Rows of a rotation group, a row for each player of each game."""
        return self.arm.sections[0].group_size * self.players


def plan_for(asked: dict[str, Any], stored: Baseline | None, path: Path) -> Plan:
    """The plan as asked for; what is left open is as in a stored baseline, or as usual."""
    given = {name: value for name, value in asked.items() if value is not None}
    if {"games", "precision"} <= given.keys():
        raise UserError("--games and --precision: give one of them")
    plan = Plan()
    if stored is not None:
        if "strategies" not in given:
            _refuse_unnamed(stored, path)
        cards = stored.cards is not None
        plan = Plan(stored.names, stored.players, stored.games, seed=stored.seed, cards=cards)
    plan = plan._replace(**given)
    check_precision(plan.precision)
    return plan


def _refuse_unnamed(stored: Baseline, path: Path) -> None:
    """A file never decides by itself which code runs."""
    others = not_built_in(stored.names)
    if others:
        raise UserError(
            f"{path}: names {', '.join(others)}, and what is not built in is read and run only when you name "
            f"it; if you trust it, type: {gating(path, strategies=stored.names)}"
        )


def played(plan: Plan, workers: int | None = None, progress: Progress | None = None) -> Played:
    """Play the present game, and sum its wins.

    For a precision, numbers of games are tried from a small one on, each played from the first game: the same
    number that is asked for later plays exactly the same games.
    """
    wanted = None if plan.precision is None else plan.precision / 100
    games = plan.games if wanted is None else FIRST_TRY
    while True:
        found = _played(plan, games, workers, progress)
        margin = widest(found.sums, found.rows_per_group)
        if wanted is None or margin <= wanted:
            return _with_cards(found, plan, workers, progress) if plan.cards else found
        games = math.ceil(found.games * (margin / wanted) ** 2 * SLACK)


def _with_cards(found: Played, plan: Plan, workers: int | None, progress: Progress | None) -> Played:
    asked = PowerOptions(
        kind="cards",
        strategies=plan.strategies,
        players=plan.players,
        games=found.games,
        seed=plan.seed - JUDGING[0],
        rules=plan.rules,
        workers=workers,
    )
    return replace(found, cards=cards_of(asked, progress))


def _played(plan: Plan, games: int, workers: int | None, progress: Progress | None) -> Played:
    rules = load_rules(plan.rules)
    asked = {"strategies": plan.strategies, "players": plan.players, "seed": plan.seed, "games": games}
    arm = settled_plan(study_of(asked | {"cities": "all"}), rules, plan.rules)
    sink = InMemory(SUMMING)
    play(Design((arm,)), sink, crew_for(arm, workers), progress=progress)
    return Played(arm, sink.sums[0])


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


def check_comparable(baseline: Baseline, players: int, cards: bool, path: Path) -> None:
    """Refuse what the baseline has nothing to compare with: tables of another size, or cards."""
    if cards and baseline.cards is None:
        raise UserError(
            f"{path}: holds no power of cards; write it again: {gating(path, write=True, cards=True)}"
        )
    check_same_table(baseline, players)


def check_same_table(baseline: Baseline, players: int) -> None:
    """Refuse tables of different sizes, whose shares cannot be compared."""
    if baseline.players != players:
        raise UserError(
            f"--players {players}: the baseline has tables of {baseline.players}; leave --players out, or "
            "write a baseline for the other size"
        )
