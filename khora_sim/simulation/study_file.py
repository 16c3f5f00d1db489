"""A study as it is given: the flags of `khora simulate`, or the same words in a TOML file."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from khora_sim.common.checking import checked
from khora_sim.common.command_options import (
    DESIGN,
    GAME,
    USUAL_STRATEGY,
    Flag,
    Options,
    count_of,
    split_names,
)
from khora_sim.common.files import read_toml
from khora_sim.common.options import ChosenOptions
from khora_sim.rules.terms import MAX_PLAYERS

MAX_GAMES = 2_000_000_000
MOST_STRATEGIES = 127
WHO = {"strategies", "by_city"}  # options that name who plays


def split_list(value: Any) -> Any:
    """`a,b` from the command line means what `["a", "b"]` means in a file, and 4 what `[4]` means."""
    return (value,) if isinstance(value, int) else split_names(value)


def _split_cities(value: Any) -> Any:
    words = ("random", "all", "seatings")
    return value if isinstance(value, str) and value in words else split_list(value)


def _by_city(value: Any) -> Any:
    """`athens=a,sparta=b` from the command line means `{ athens = "a", sparta = "b" }` in a file."""
    if not isinstance(value, str):
        return value
    pairs = [part.partition("=") for part in split_list(value)]
    tied = {city.strip(): spec.strip() for city, _, spec in pairs}
    if len(tied) < len(pairs) or not all(tied.values()):
        return value  # refused as it was typed
    return tied


Seat = Annotated[int, Field(ge=1, le=MAX_PLAYERS)]  # as people count; the engine counts from 0
PlayerCount = Annotated[int, Field(ge=2, le=MAX_PLAYERS)]
Name = Annotated[str, Field(min_length=1)]


class _Design(Options):
    """Strategies, cities, seats and games: all of a study but the options of the game."""

    command = "simulate"

    games: Annotated[
        int,
        BeforeValidator(count_of),
        Field(ge=1, le=MAX_GAMES),
        Flag("Games to play, rounded up to whole rotation groups.", metavar="N"),
    ] = 10_000
    players: Annotated[
        tuple[PlayerCount, ...],
        BeforeValidator(split_list),
        Field(min_length=1),
        Flag("Players at the table: 2, 3, 4, or several: 2,3."),
    ] = (4,)
    strategies: Annotated[
        tuple[Name, ...],
        BeforeValidator(split_list),
        Field(max_length=MOST_STRATEGIES),
        Flag(
            "Strategies that play: names, name:parameter=value, ./file.py.",
            default=USUAL_STRATEGY,
            strategies=True,
        ),
    ] = ()
    by_city: Annotated[
        dict[str, Name],
        BeforeValidator(_by_city),
        Field(description="one strategy for each of some cities, such as athens=merchant"),
        Flag(
            "Strategies of these cities, whoever has them; --strategies play the others.",
            metavar="CITY=STRATEGY,…",
        ),
    ] = Field(default_factory=dict)
    lineup: Annotated[
        Literal["auto", "same", "seats", "pool", "combinations"],
        Flag(
            "One strategy for all, one per seat, drawn for each group, or every line-up in turn.",
            DESIGN,
            "same|seats|pool|combinations",
            default="by the number of strategies",
        ),
    ] = "auto"
    cities: Annotated[
        Literal["random", "all", "seatings"] | tuple[str, ...],
        BeforeValidator(_split_cities),
        Field(description="random, all, seatings or the ids of cities"),
        Flag(
            "At random, all sets in turn, all seatings in turn, or these by seat.",
            DESIGN,
            "random|all|seatings|CITY,…",
        ),
    ] = "random"
    rotate: Annotated[
        Literal["auto", "strategies", "cities", "both", "none"],
        Flag(
            "What visits every seat with the same dice and deals: seats become fair, games are not saved.",
            DESIGN,
            "strategies|cities|both|none",
            default="strategies if several play, else cities",
        ),
    ] = "auto"
    seed: Annotated[
        int, Field(ge=0, lt=2**64), Flag("The same seed gives the same dice and deals.", metavar="N")
    ] = 0
    rules: Annotated[str | None, Flag("A variant in TOML, laid over the base game.", GAME, "FILE")] = None
    first_player: Annotated[
        Literal["random"] | Seat,
        Field(description=f"random or a seat from 1 to {MAX_PLAYERS}"),
        Flag(f"Seat 1 to {MAX_PLAYERS}, or random.", GAME, "SEAT"),
    ] = "random"

    @model_validator(mode="after")
    def _someone_plays(self) -> Self:
        if not self.specs:
            raise ValueError(f"no strategies; say who plays, for example: strategies = {USUAL_STRATEGY}")
        return self

    @property
    def specs(self) -> tuple[str, ...]:
        """Everyone who plays: the strategies of the line-up, then those that are tied to a city."""
        return (*self.strategies, *self.by_city.values())


class Study(ChosenOptions, _Design):
    """A study as it is given; `auto` and None are resolved by the plan."""

    rounds: Annotated[bool, Flag("Write the table of rounds too.")] = False


def study_of(given: dict[str, Any], where: str = "") -> Study:
    """A study from plain values; where nobody is named, the usual strategy plays. An error names the key."""
    who = {} if given.keys() & WHO else {"strategies": (USUAL_STRATEGY,)}
    return checked(Study, {**who, **given}, where)


def read_study(path: str | Path, **changes: Any) -> Study:
    """A study from a TOML file, with some of its values changed; a variant's path is relative to the file."""
    given = read_toml(path, "a study file in TOML")
    if isinstance(given.get("rules"), str):
        given["rules"] = str(Path(path).parent / given["rules"])
    return study_of(given | changes, str(path))
