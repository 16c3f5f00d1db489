"""What a study asks for: the flags of `khora simulate`, or the same words in a TOML file."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticCustomError

from khora_sim.common.options import ChosenOptions
from khora_sim.errors import UserError, nearest
from khora_sim.rules.terms import MAX_PLAYERS

MAX_GAMES = 2_000_000_000
MOST_STRATEGIES = 127


def split_list(value: Any) -> Any:
    """`a,b` from the command line means what `["a", "b"]` means in a file."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    return (value,) if isinstance(value, int) else value


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
        raise PydanticCustomError("by_city", "should be a strategy for each of some cities")
    return tied


Seat = Annotated[int, Field(ge=1, le=MAX_PLAYERS)]  # as people count; the engine counts from 0
PlayerCount = Annotated[int, Field(ge=2, le=MAX_PLAYERS)]
Name = Annotated[str, Field(min_length=1)]


class _Design(BaseModel):
    """Who plays what where, and how often: all of a study but the options of the game."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    games: Annotated[int, Field(ge=1, le=MAX_GAMES)] = 10_000  # rounded up to whole rotation groups
    players: Annotated[tuple[PlayerCount, ...], BeforeValidator(split_list), Field(min_length=1)] = (4,)
    strategies: Annotated[
        tuple[Name, ...], BeforeValidator(split_list), Field(max_length=MOST_STRATEGIES)
    ] = ()
    by_city: Annotated[dict[str, Name], BeforeValidator(_by_city), Field(validate_default=True)] = {}
    lineup: Literal["auto", "same", "seats", "pool", "combinations"] = "auto"
    cities: Annotated[
        Literal["random", "all", "seatings"] | tuple[str, ...], BeforeValidator(_split_cities)
    ] = "random"
    rotate: Literal["auto", "strategies", "cities", "both", "none"] = "auto"
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 0
    rules: str | None = None  # a variant, laid over the base game
    first_player: Literal["random"] | Seat = "random"

    @field_validator("by_city")
    @classmethod
    def _someone_plays(cls, by_city: dict[str, str], known: ValidationInfo) -> dict[str, str]:
        if not by_city and known.data.get("strategies") == ():
            raise PydanticCustomError("nobody_plays", "nobody plays")
        return by_city

    @property
    def specs(self) -> tuple[str, ...]:
        """Everyone who plays: the strategies of the line-up, then those that are tied to a city."""
        return (*self.strategies, *self.by_city.values())


class Study(ChosenOptions, _Design):
    """A study as it is asked for; `auto` and None are settled by the plan."""

    rounds: bool = False  # write the table of rounds too


def study_of(asked: dict[str, Any], where: str = "") -> Study:
    """A study from plain values; what is wrong is told by its key."""
    try:
        return Study(**asked)
    except ValidationError as problems:
        told = [in_words(problem, where, asked) for problem in problems.errors()]
        raise UserError("\n".join(dict.fromkeys(told))) from None


def read_study(path: str | Path, **changes: Any) -> Study:
    """A study from a TOML file, with some of its values changed."""
    return study_of(read_study_file(path) | changes, f"{path}: ")


def read_study_file(path: str | Path) -> dict[str, Any]:
    """The values of a study file; a variant's path in it is relative to the file."""
    try:
        asked = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such study file") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(f"{path}: cannot be read: {problem}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise UserError(f"{path}: is no TOML: {problem}") from None
    if isinstance(asked.get("rules"), str):
        asked["rules"] = str(Path(path).parent / asked["rules"])
    return asked


def in_words(problem: Any, where: str, asked: dict[str, Any]) -> str:
    """What is wrong with a value of a study, as pydantic found it, by its key."""
    key = str(problem["loc"][0])
    if problem["type"] == "extra_forbidden":
        return f'{where}a study has no "{key}"; {nearest(key, Study.model_fields)}'
    if problem["type"] == "nobody_plays":
        if "strategies" in asked:
            return f"{where}strategies: none is named"
        return f"{where}no strategies; say who plays, for example: strategies = random"
    if key == "by_city":
        return f"{where}by_city: should be one strategy for each of some cities, such as athens=merchant"
    if key == "cities":
        return f"{where}cities: should be random, all, seatings or the ids of cities, not {asked[key]!r}"
    if key == "first_player":
        return f"{where}first_player: should be random or a seat from 1 to {MAX_PLAYERS}, not {asked[key]!r}"
    message = problem["msg"].removeprefix("Input ").lower()
    return f"{where}{key}: {message}, not {problem['input']!r}"
