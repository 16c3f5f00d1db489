"""What a study asks for: the flags of `khora simulate`, or the same words in a TOML file."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from khora_sim.errors import UserError, nearest
from khora_sim.rules.terms import MAX_PLAYERS

MAX_GAMES = 2_000_000_000


def listed(value: Any) -> Any:
    """`a,b` from the command line means what `["a", "b"]` means in a file."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    return (value,) if isinstance(value, int) else value


def _listed_cities(value: Any) -> Any:
    words = ("random", "all", "seatings")
    return value if isinstance(value, str) and value in words else listed(value)


Seat = Annotated[int, Field(ge=1, le=MAX_PLAYERS)]  # as people count; the engine counts from 0
PlayerCount = Annotated[int, Field(ge=2, le=MAX_PLAYERS)]


class Study(BaseModel):
    """A study as it is asked for; `auto` and None are settled by the plan."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    games: Annotated[int, Field(ge=1, le=MAX_GAMES)] = 10_000  # rounded up to whole rotation groups
    players: Annotated[tuple[PlayerCount, ...], BeforeValidator(listed), Field(min_length=1)] = (4,)
    strategies: Annotated[
        tuple[Annotated[str, Field(min_length=1)], ...],
        BeforeValidator(listed),
        Field(min_length=1, max_length=127),
    ]
    lineup: Literal["auto", "same", "seats", "pool", "combinations"] = "auto"
    cities: Annotated[
        Literal["random", "all", "seatings"] | tuple[str, ...], BeforeValidator(_listed_cities)
    ] = "random"
    rotate: Literal["auto", "strategies", "cities", "both", "none"] = "auto"
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 0
    rules: str | None = None  # a variant, laid over the base game
    first_player: Literal["random"] | Seat = "random"
    reroll: bool | None = None  # None: as the rules say
    shared_dice: bool | None = None
    progress_bonuses_stack: bool | None = None
    draft: bool | None = None
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
    if problem["type"] == "missing":
        return f"{where}no {key}; say who plays, for example: {key} = random"
    if key == "cities":
        return f"{where}cities: should be random, all, seatings or the ids of cities, not {asked[key]!r}"
    if key == "first_player":
        return f"{where}first_player: should be random or a seat from 1 to {MAX_PLAYERS}, not {asked[key]!r}"
    if problem["type"] == "too_short":
        return f"{where}{key}: none is named"
    message = problem["msg"].removeprefix("Input ").lower()
    return f"{where}{key}: {message}, not {problem['input']!r}"
