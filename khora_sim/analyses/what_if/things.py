"""The things that a change of the rules touches, and what a game's tables say of them.

A card is dealt, kept and played, a development unlocked, an event drawn, a space explored, a level reached.
Each of these is a stage: a column that is true for the players, or for all players of a game, to whom it
came up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import polars as pl

from khora_sim.rules import Rules
from khora_sim.rules.compare import Change

Kind = Literal["card", "city", "development", "event", "level", "rule", "space"]
Unit = Literal["share", "points", "round"]
SETS: dict[str, Kind] = {"cards": "card", "cities": "city", "events": "event", "spaces": "space"}
#: The stages of each kind, the broadest first: what is said of them in a table.
STAGES: dict[Kind, dict[str, str]] = {
    "card": {"dealt": "dealt", "kept": "in hand after the draft", "played": "played"},
    "city": {"seated": "at the table"},
    "development": {"seated": "its city at the table", "unlocked": "unlocked"},
    "event": {"drawn": "drawn"},
    "level": {"reached": "reached"},
    "rule": {},
    "space": {"explored": "explored"},
}
UNLOCKED = "unlocked_"  # begins the columns that `unlocked_column` names
BY_LUCK = ("dealt", "drawn")  # stages that nobody decides: measured wherever either side has them


class Measure(NamedTuple):
    """A mean that is taken over the players to whom something came up."""

    label: str
    value: str  # column of the rows; one of the thing's own begins with `|`
    stage: str
    unit: Unit


MEASURES: dict[Kind, tuple[Measure, ...]] = {
    "card": (
        Measure("points it brought to who played it", "|points", "played", "points"),
        Measure("win share of who was dealt it", "win_share", "dealt", "share"),
        Measure("win share of who played it", "win_share", "played", "share"),
    ),
    "city": (
        Measure("its win share", "win_share", "seated", "share"),
        Measure("its score", "score", "seated", "points"),
    ),
    "development": (
        Measure("round in which it is unlocked", "|round", "unlocked", "round"),
        Measure("points it brought once unlocked", "|points", "unlocked", "points"),
        Measure("win share of who unlocked it", "win_share", "unlocked", "share"),
    ),
    "event": (
        Measure("score of all players in games that draw it", "score", "drawn", "points"),
        Measure("winning score in games that draw it", "winning_score", "drawn", "points"),
        Measure("margin in games that draw it", "margin", "drawn", "points"),
    ),
    "level": (
        Measure("win share of who reached it", "win_share", "reached", "share"),
        Measure("score of who reached it", "score", "reached", "points"),
    ),
    "rule": (),
    "space": (
        Measure("score of all players in games with it explored", "score", "explored", "points"),
        Measure("margin in games with it explored", "margin", "explored", "points"),
    ),
}


@dataclass(frozen=True)
class Thing:
    """Something that was changed, added or removed."""

    kind: Kind
    key: str  # where it stands in the rules, such as cards.lighthouse
    name: str

    @property
    def stages(self) -> dict[str, str]:
        """In which ways it comes up; the first development of a city is there from the start."""
        every = STAGES[self.kind]
        first = self.kind == "development" and self.key.endswith(".1")
        return {"seated": every["seated"]} if first else every

    @property
    def city(self) -> str | None:
        """The city that alone has it, if it is a development."""
        return self.key.split(".")[1] if self.kind == "development" else None

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The means that are compared before and after."""
        return tuple(one for one in MEASURES[self.kind] if one.stage in self.stages)

    def column(self, name: str) -> str:
        """The column of the rows that holds a stage or a value of this thing."""
        return f"{self.key}|{name.removeprefix('|')}"


def things_of(changes: Sequence[Change], base: Rules, variant: Rules) -> tuple[Thing, ...]:
    """The things that some changes touch, each once, in the order of the rules."""
    found = [_thing(change.key.split("."), base, variant) for change in changes]
    return tuple(dict.fromkeys(found))


def _thing(path: list[str], base: Rules, variant: Rules) -> Thing:
    if path[0] == "tracks":
        return Thing("level", ".".join(path[:3]), f"{path[1].capitalize()} level {path[2]}")
    if path[0] not in SETS:
        return Thing("rule", ".".join(path[:2]), ".".join(path[:2]))
    kind, name = SETS[path[0]], _name(path[0], path[1], base, variant)
    if kind == "city" and path[2:3] == ["developments"]:
        return Thing("development", ".".join(path[:4]), f"{name}, development {path[3]}")
    return Thing(kind, ".".join(path[:2]), name)


def _name(section: str, key: str, base: Rules, variant: Rules) -> str:
    rules = variant if key in getattr(variant.model, section) else base
    ids, names = {
        "cards": (rules.card_ids, rules.card_names),
        "cities": (rules.city_ids, rules.city_names),
        "events": (rules.event_ids, rules.event_names),
        "spaces": (rules.space_ids, rules.space_names),
    }[section]
    return names[ids.index(key)]


def needs_rounds(things: Sequence[Thing]) -> bool:
    """Whether the table of rounds is wanted: it alone says when a development was unlocked."""
    return any("unlocked" in thing.stages for thing in things)


def columns_of(thing: Thing, rules: Rules) -> dict[str, pl.Expr]:
    """The stages and values of a thing, from the players' table with that of games beside it."""
    if not _is_there(thing, rules):
        return {thing.column(stage): pl.lit(False) for stage in thing.stages} | {
            thing.column(one.value): pl.lit(0) for one in thing.measures if one.value.startswith("|")
        }
    return {thing.column(name): found for name, found in _MAKERS[thing.kind](thing, rules).items()}


def _is_there(thing: Thing, rules: Rules) -> bool:
    section, *path = thing.key.split(".")
    return section not in SETS or path[0] in getattr(rules.model, section)


def _card(thing: Thing, rules: Rules) -> dict[str, pl.Expr]:
    card = thing.key.split(".")[1]
    bit, name = 1 << rules.card_ids.index(card), card.replace("-", "_")
    return {
        "dealt": (pl.col("dealt") & bit) != 0,
        "kept": (pl.col("drafted") & bit) != 0,
        "played": pl.col(f"card_round_{name}") > 0,
        "points": pl.col(f"card_points_{name}"),
    }


def _city(thing: Thing, rules: Rules) -> dict[str, pl.Expr]:
    return {"seated": pl.col("city") == thing.key.split(".")[1]}


def _development(thing: Thing, rules: Rules) -> dict[str, pl.Expr]:
    _, city, _, place = thing.key.split(".")
    seated = pl.col("city") == city
    found = {"seated": seated}
    if "unlocked" in thing.stages:
        found |= {
            "unlocked": seated & (pl.col("development") >= int(place)),
            "round": pl.col(unlocked_column(int(place))),
            "points": pl.col(f"points_development_{place}"),
        }
    return found


def unlocked_column(place: int) -> str:
    """The column with the round in which a player unlocked a development."""
    return f"{UNLOCKED}{place}"


def _event(thing: Thing, rules: Rules) -> dict[str, pl.Expr]:
    event = thing.key.split(".")[1]
    rounds = range(1, rules.model.rounds + 1)
    return {"drawn": pl.any_horizontal(pl.col(f"event_{number}") == event for number in rounds)}


def _level(thing: Thing, rules: Rules) -> dict[str, pl.Expr]:
    _, track, level = thing.key.split(".")
    return {"reached": pl.col(f"level_{track}") >= int(level)}


def _space(thing: Thing, rules: Rules) -> dict[str, pl.Expr]:
    bit = 1 << rules.space_ids.index(thing.key.split(".")[1])
    return {"explored": (pl.col("explored") & bit) != 0}


_MAKERS = {
    "card": _card,
    "city": _city,
    "development": _development,
    "event": _event,
    "level": _level,
    "rule": lambda thing, rules: {},
    "space": _space,
}
