"""Reading rules files, laying a variant over the base game, and telling what is wrong with it."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from khora_sim.errors import UserError
from khora_sim.rules.schema import Game


def read_text(path: str | Path) -> str:
    """The text of a rules file."""
    return Path(path).read_text(encoding="utf-8")


def parse(text: str, where: str) -> dict[str, Any]:
    """The data of a rules file."""
    return tomllib.loads(text)


@cache
def _base_text() -> str:
    return (Path(__file__).parent / "base.toml").read_text(encoding="utf-8")


def base_data() -> dict[str, Any]:
    """The base game as plain data, fresh at every call."""
    return tomllib.loads(_base_text())


def lay_over(base: dict[str, Any], variant: dict[str, Any], where: str) -> dict[str, Any]:
    """The base game with a variant's changes, additions and removals."""
    raise NotImplementedError


def checked_game(data: dict[str, Any], where: str) -> Game:
    """The game a rules file describes, or one clear error."""
    try:
        return Game.model_validate(data)
    except ValidationError as error:
        raise UserError(f"{where}: {error}") from None
