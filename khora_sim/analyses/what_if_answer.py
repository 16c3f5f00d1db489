"""What `what-if` answers: a change, how often it came up, and what it did, with whom."""

import math
from dataclasses import asdict, dataclass, fields
from typing import Any

import polars as pl

from khora_sim.analyses.what_if_parting import Parting
from khora_sim.analyses.what_if_things import Thing
from khora_sim.rules import Rules
from khora_sim.rules.compare import Change
from khora_sim.stats.dispersion import Unevenness
from khora_sim.stats.estimate import Estimate

FORMAT = 1
ALPHA = 0.05


@dataclass(frozen=True)
class ChangedGame:
    """A game that somebody else wins after the change."""

    game: int
    seed: int
    first_seat: int
    strategies: tuple[tuple[str, ...], tuple[str, ...]]  # by seat, before and after
    cities: tuple[tuple[str, ...], tuple[str, ...]]
    winners: tuple[tuple[str, ...], tuple[str, ...]]  # cities, before and after
    scores: tuple[tuple[int, ...], tuple[int, ...]]  # by seat
    parting: Parting | None = None  # where the two games part


@dataclass(frozen=True)
class Trained:
    """A player that was trained under some rules, and what it wins there."""

    strategy: str  # as it is typed
    cities: tuple[str, ...]  # whose weights were tuned; empty: general ones, or a value for all
    games: int  # of training
    command: str  # that does the same again
    won: Estimate  # one of them at a table of the player it starts from


@dataclass(frozen=True)
class Adapted:
    """Players who know the rules they play: trained alike, for the base game and for the changed one.

    Training makes better players of any rules. So both sides are trained, and what is left is the change.
    """

    start: str  # the player that was asked for
    how: str  # tuned or learned
    budget: str  # asked for, for each side
    before: Trained
    after: Trained


@dataclass(frozen=True)
class Tables:
    """Tables of a verdict: `first` is before, `second` after, `value` the change with `low` and `high`.

    Those of the family hold `p_holm`, corrected over all their rows and the change of fairness together, and
    `pairing_gain`: how many times the games two studies without common luck would need.
    """

    exposure: pl.DataFrame  # by thing, stage and among whom: games, players, or a city's players
    effects: pl.DataFrame  # by thing and what is asked about it, with intervals of both sides
    city_wins: pl.DataFrame  # by city
    city_scores: pl.DataFrame
    seat_wins: pl.DataFrame  # by seat
    strategy_wins: pl.DataFrame  # by strategy; empty where one plays at all seats
    games: pl.DataFrame  # by measure: score of all players, winning score, margin
    standing: pl.DataFrame  # win share of every city before and after, each for itself

    @property
    def family(self) -> dict[str, pl.DataFrame]:
        """The tables that are corrected together."""
        names = ("city_wins", "city_scores", "seat_wins", "strategy_wins", "games")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Verdict:
    """What a change does with one line-up of players, at tables of one size."""

    players: int
    strategies: tuple[str, ...]
    after: tuple[str, ...]  # who plays the changed side: others only where that was asked for
    adapted: Adapted | None  # how the players came to know the rules that they play
    lineup: str  # how they come to the table: same, seats or pool
    games: int  # of each side
    groups: int
    fairness: Unevenness  # of the cities
    fairness_p: float  # of its change, corrected with all rows of the tables
    winner_changed: Estimate  # share of games that others win
    result_changed: Estimate  # share of games in which any score differs
    elsewhere_changed: Estimate | None  # the same of games in which no changed thing came up on either side
    tables: Tables
    changed_games: tuple[ChangedGame, ...]

    @property
    def line_ups(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Who plays, before and after."""
        return self.strategies, self.after

    @property
    def other_players(self) -> bool:
        """Whether others play the changed side."""
        return self.strategies != self.after

    @property
    def same(self) -> bool:
        """Whether all games came out the same."""
        return self.result_changed.value == 0

    @property
    def fairer(self) -> bool | None:
        """Whether the cities come closer to the fair share; None where that is not clear."""
        return self.fairness.change.value < 0 if self.fairness_p < ALPHA else None

    @property
    def comparisons(self) -> int:
        """How many comparisons are corrected together."""
        return sum(len(table) for table in self.tables.family.values()) + 1

    @property
    def moved(self) -> list[dict[str, Any]]:
        """The cities whose win share changes for certain, the largest change first."""
        rows = self.tables.city_wins.filter(pl.col("p_holm") < ALPHA).to_dicts()
        return sorted(rows, key=lambda row: -abs(row["value"]))


@dataclass(frozen=True)
class Variant:
    """A change, of the rules or of who plays, and what it does."""

    label: str  # the file or the assignments, as they were typed
    file: str | None
    assignments: tuple[str, ...]
    rules: Rules
    changes: tuple[Change, ...]
    things: tuple[Thing, ...]
    verdicts: tuple[Verdict, ...]  # by size of table: the players asked for, adapted ones, those beside them

    @property
    def main(self) -> Verdict:
        """The verdict with the players that were asked for, at the first size of table."""
        return self.verdicts[0]


@dataclass(frozen=True)
class WhatIf:
    """The answer."""

    khora: str
    base: Rules
    players: tuple[int, ...]  # sizes of table
    seed: int
    precision: float | None  # asked for, in percentage points
    adapt: str | None  # what players could take to learn the changed rules
    variants: tuple[Variant, ...]

    def no_change(self, variant: Variant) -> bool:
        """Whether both sides are the same."""
        return variant.rules.hash == self.base.hash and not variant.main.other_players

    def data(self) -> dict[str, Any]:
        """The answer for a script."""
        return {
            "format": FORMAT,
            "khora": self.khora,
            "rules": _rules(self.base),
            "players": list(self.players),
            "seed": self.seed,
            "precision": self.precision,
            "adapt": self.adapt,
            "variants": [_variant(variant) for variant in self.variants],
        }


def _rules(rules: Rules) -> dict[str, str]:
    return {"name": rules.name, "hash": rules.hash, "version": rules.version}


def _variant(variant: Variant) -> dict[str, Any]:
    return {
        "label": variant.label,
        "file": variant.file,
        "set": list(variant.assignments),
        "rules": _rules(variant.rules),
        "changes": [asdict(change) for change in variant.changes],
        "things": [asdict(thing) for thing in variant.things],
        "verdicts": [_verdict(verdict) for verdict in variant.verdicts],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    elsewhere = verdict.elsewhere_changed
    return {
        "players": verdict.players,
        "strategies": list(verdict.strategies),
        "after": list(verdict.after),
        "adapted": None if verdict.adapted is None else _adapted(verdict.adapted),
        "lineup": verdict.lineup,
        "games": verdict.games,
        "groups": verdict.groups,
        "same": verdict.same,
        "fairness": {name: getattr(verdict.fairness, name).data() for name in ("before", "after", "change")},
        "fairness_p": verdict.fairness_p,
        "winner_changed": verdict.winner_changed.data(),
        "result_changed": verdict.result_changed.data(),
        "elsewhere_changed": None if elsewhere is None else elsewhere.data(),
        "tables": {one.name: _plain(getattr(verdict.tables, one.name)) for one in fields(Tables)},
        "changed_games": [asdict(one) for one in verdict.changed_games],
    }


def _adapted(adapted: Adapted) -> dict[str, Any]:
    sides = {
        name: {**asdict(one), "won": one.won.data()}
        for name, one in (("before", adapted.before), ("after", adapted.after))
    }
    return {**asdict(adapted), **sides}


def _plain(table: pl.DataFrame) -> list[dict[str, Any]]:
    """A table for a script; JSON has no infinity."""
    return [
        {key: None if isinstance(one, float) and not math.isfinite(one) else one for key, one in row.items()}
        for row in table.to_dicts()
    ]
