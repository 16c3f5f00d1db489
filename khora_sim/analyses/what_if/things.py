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
BY_CHANCE = ("dealt", "drawn")  # stages that nobody decides: measured wherever either side has them


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
    section, *rest = path
    if section == "tracks":
        return Thing("level", ".".join(path[:3]), f"{rest[0].capitalize()} level {rest[1]}")
    if section not in SETS:
        return Thing("rule", ".".join(path[:2]), ".".join(path[:2]))
    known = getattr(base.model, section) | getattr(variant.model, section)
    kind, name = SETS[section], known[rest[0]].name
    if kind == "city" and rest[1:2] == ["developments"]:
        return Thing("development", ".".join(path[:4]), f"{name}, development {rest[2]}")
    return Thing(kind, ".".join(path[:2]), name)


def needs_rounds(things: Sequence[Thing]) -> bool:
    """True if the table of rounds is wanted: it alone says when a development was unlocked."""
    return any("unlocked" in thing.stages for thing in things)


def unlocked_column(place: int) -> str:
    """The column with the round in which a player unlocked a development."""
    return f"{UNLOCKED}{place}"


def columns_of(thing: Thing, rules: Rules) -> dict[str, pl.Expr]:
    """The stages and values of a thing, from the players' table with that of games beside it."""
    section, *path = thing.key.split(".")
    if section not in SETS or path[0] in getattr(rules.model, section):
        found = _columns(thing, path, rules)
    else:  # these rules lack it
        found = {stage: pl.lit(False) for stage in thing.stages}
        found |= {one.value: pl.lit(0) for one in thing.measures if one.value.startswith("|")}
    return {thing.column(name): one for name, one in found.items()}


def _columns(thing: Thing, path: Sequence[str], rules: Rules) -> dict[str, pl.Expr]:
    match thing.kind:
        case "card":
            bit, name = 1 << rules.card_ids.index(path[0]), path[0].replace("-", "_")
            return {
                "dealt": (pl.col("dealt") & bit) != 0,
                "kept": (pl.col("drafted") & bit) != 0,
                "played": pl.col(f"card_round_{name}") > 0,
                "points": pl.col(f"card_points_{name}"),
            }
        case "city":
            return {"seated": pl.col("city") == path[0]}
        case "development":
            seated, place = pl.col("city") == path[0], int(path[2])
            if "unlocked" not in thing.stages:
                return {"seated": seated}
            return {
                "seated": seated,
                "unlocked": seated & (pl.col("development") >= place),
                "round": pl.col(unlocked_column(place)),
                "points": pl.col(f"points_development_{place}"),
            }
        case "event":
            rounds = range(1, rules.model.rounds + 1)
            return {"drawn": pl.any_horizontal(pl.col(f"event_{number}") == path[0] for number in rounds)}
        case "level":
            return {"reached": pl.col(f"level_{path[0]}") >= int(path[1])}
        case "space":
            return {"explored": (pl.col("explored") & (1 << rules.space_ids.index(path[0]))) != 0}
    return {}
