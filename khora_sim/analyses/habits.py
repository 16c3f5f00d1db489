"""Habits: what a strategy does in a table of its own kind, city by city, and what it never does.

Every set of cities is played equally often, the cities moving around the table. Who else sits there changes
what a player does, so these are habits among its own kind.
"""

import math
from dataclasses import dataclass, fields
from typing import Any

import polars as pl

from khora_sim.analyses import habit_tables
from khora_sim.analyses.blind_spots import LIMIT, BlindSpot, Names, RatesOfKind, blind_spots, undecided
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.rules import load_rules
from khora_sim.rules.terms import DICE
from khora_sim.simulation.backend import Crew
from khora_sim.simulation.experiment import Arm, Design, settled_plan
from khora_sim.simulation.run import play
from khora_sim.simulation.sinks import Tables
from khora_sim.simulation.study_file import study_of

PLAYERS, GAMES, SEED = 4, 2800, seed_in(JUDGING, 0)


@dataclass(frozen=True)
class Rates:
    """Tables of rates and means: their keys, and `value`, `low`, `high` and `n`."""

    actions: pl.DataFrame  # by city and action: share of the tiles paid for
    actions_by_round: pl.DataFrame  # the same by city, round and action
    developments: pl.DataFrame  # by city and development: share of games in which it is unlocked
    next_developments: pl.DataFrame  # the same, of the games with the development before it
    development_rounds: pl.DataFrame  # by city and development: mean round in which it is unlocked
    tracks: pl.DataFrame  # by city and track: mean level at the end
    levels: pl.DataFrame  # by city, track and level: share of games in which it is reached
    next_levels: pl.DataFrame  # the same, of the games with the level before it
    cards_kept: pl.DataFrame  # by card: share of the hands it was dealt to that hold it after the draft
    cards_used: pl.DataFrame  # by card: share of games begun with it in hand in which it is played
    cards_used_by_city: pl.DataFrame  # the same by city and card
    cards_played: pl.DataFrame  # by card: share of all games of a player in which it is played
    spaces: pl.DataFrame  # by space: share of games in which anyone explores it


@dataclass(frozen=True)
class Habits:
    """What a strategy does among its own kind, and what it leaves undone."""

    strategy: str
    players: int
    games: int  # played, in whole turns of all sets of cities
    seed: int
    names: Names
    rates: Rates
    blind_spots: tuple[BlindSpot, ...]
    undecided: int  # rates that may lie below the limit of a blind spot or above it

    def data(self) -> dict[str, Any]:
        """The habits for a script."""
        spots = [
            {
                **spot._asdict(),
                "share": spot.share.data(),
            }
            for spot in self.blind_spots
        ]
        rates = {field.name: _rows(getattr(self.rates, field.name)) for field in fields(self.rates)}
        head = {name: getattr(self, name) for name in ("strategy", "players", "games", "seed")}
        return {**head, "limit": LIMIT, "blind_spots": spots, "undecided": self.undecided, **rates}


def _rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    """A table for a script; JSON has no infinity."""
    return [
        {key: None if isinstance(one, float) and not math.isfinite(one) else one for key, one in row.items()}
        for row in table.drop("units").to_dicts()
    ]


def arm_of(strategy: str, players: int = PLAYERS, games: int = GAMES, seed: int = SEED) -> Arm:
    """The study that habits are seen in: a strategy against itself, with every set of cities."""
    asked = {"strategies": (strategy,), "players": players, "games": games, "seed": seed}
    fixed = {"cities": "all", "lineup": "same", "rotate": "cities", "rounds": True}
    return settled_plan(study_of({**asked, **fixed}), load_rules())


def habits(arm: Arm, crew: Crew | None = None, progress: Progress | None = None) -> Habits:
    """Play a study of a strategy against itself, and tell what it does."""
    sink = Tables()
    play(Design((arm,)), sink, crew, progress=progress)
    rates = rates_of(arm, sink)
    rules = arm.rules
    names = Names(
        cities=dict(zip(rules.city_ids, rules.city_names, strict=True)),
        cards=dict(zip(rules.card_ids, rules.card_names, strict=True)),
        spaces=dict(zip(rules.space_ids, rules.space_names, strict=True)),
    )
    looked = [
        RatesOfKind("development", rates.next_developments, ("development",)),
        RatesOfKind("action", rates.actions, ("action",)),
        RatesOfKind("level", rates.next_levels, ("track", "level")),
        RatesOfKind("card", rates.cards_used, ("card",)),
        RatesOfKind("space", rates.spaces, ("space",)),
    ]
    (strategy,), (section,) = arm.study.strategies, arm.sections
    return Habits(
        strategy,
        section.players,
        arm.games,
        arm.study.seed,
        names,
        rates,
        tuple(blind_spots(looked, names)),
        undecided(looked),
    )


def rates_of(arm: Arm, played: Tables) -> Rates:
    """All tables of rates. A city is at a table once, so it has a row in every game of a group."""
    rules, group = arm.rules, arm.sections[0].group_size
    rows = group * arm.sections[0].players  # of all cities
    players, rounds, games = (played.table(name).collect() for name in ("players", "rounds", "games"))
    tiles, top = group * DICE, rules.model.limits.level
    cards = rules.card_ids
    sums = habit_tables.card_sums(players, cards)
    return Rates(
        actions=habit_tables.action_shares(rounds, ["city"], tiles * rules.model.rounds),
        actions_by_round=habit_tables.action_shares(rounds, ["city", "round"], tiles),
        developments=habit_tables.unlocked(players, group),
        next_developments=habit_tables.unlocked_next(players, group),
        development_rounds=habit_tables.unlocked_when(rounds),
        tracks=habit_tables.track_means(players),
        levels=habit_tables.levels(players, top, group),
        next_levels=habit_tables.levels(players, top, group, next_only=True),
        cards_kept=habit_tables.cards_kept(sums, cards, [], rows),
        cards_used=habit_tables.cards_used(sums, cards, [], rows),
        cards_used_by_city=habit_tables.cards_used(sums, cards, ["city"], group),
        cards_played=habit_tables.cards_played(sums, cards, [], rows),
        spaces=habit_tables.spaces_explored(games, rules.space_ids, group),
    )
