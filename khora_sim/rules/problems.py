"""What is wrong with a rules file, in words: the key, what stands there, and what was expected."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from khora_sim.errors import UserError, nearest
from khora_sim.rules.schema import Game

MOST_TOLD = 20  # problems listed before the rest is only counted


@dataclass(frozen=True)
class Problem:
    """One thing to put right."""

    key: str
    message: str


def refuse(problems: Iterable[Problem], where: str) -> None:
    """Raise one error that lists all problems of a file, a line each; do nothing if there are none."""
    lines = [_printable(f"{where}: {problem.key}: {problem.message}") for problem in problems]
    if len(lines) > MOST_TOLD:
        lines[MOST_TOLD:] = [f"{where}: and {len(lines) - MOST_TOLD} problems more"]
    if lines:
        raise UserError("\n".join(lines))


def _printable(text: str) -> str:
    """One line, whatever was written in the file."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def shape_problems(error: ValidationError) -> list[Problem]:
    """What pydantic found, in the words of this project."""
    return [_problem(found["type"], found["loc"], found) for found in error.errors()]


def _problem(kind: str, location: tuple[int | str, ...], found: Any) -> Problem:
    path = [part for part in location if part != "[key]"]
    key = key_path(path)
    value, context = found["input"], found.get("ctx", {})
    if kind == "extra_forbidden":
        return Problem(key, f"unknown key; {nearest(str(path[-1]), _keys(_type_at(path[:-1])))}")
    if kind == "missing":
        return Problem(key, f"missing; expected {expected(_type_at(path))}")
    if kind == "value_error":
        return Problem(key, str(context["error"]))
    if kind in ("too_short", "too_long"):
        low, high = ("at least", context.get("min_length")), ("at most", context.get("max_length"))
        word, number = low if kind == "too_short" else high
        return Problem(key, f"{context['actual_length']} given; expected {word} {number}")
    if location[-1] == "[key]":
        return Problem(key, "not an id; expected small letters, digits and single hyphens, at most 40")
    return Problem(key, f"{shown(value)} given; expected {expected(_type_at(path))}")


def key_path(path: Iterable[int | str]) -> str:
    """A place in a rules file, as it would be written there; list items count from 1."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}"
    return text.lstrip(".")


def shown(value: Any) -> str:
    """A value as it stands in the file, cut short."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = value if len(value) <= 40 else value[:40] + "…"
        return f'"{text}"'
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return str(value)[:40]


def expected(annotation: Any) -> str:
    """What a key takes, in words."""
    bare, limits = _bare(annotation)
    if bare is bool:
        return "true or false"
    if bare is int:
        return f"a whole number from {limits.get(Ge)} to {limits.get(Le)}"
    if bare is str:
        known = limits.get(partial)
        return f"one of: {', '.join(known)}" if known else "text in quotes, one line"
    if get_origin(bare) is list:
        return "a list in [ ]"
    return "a table"


def _keys(annotation: Any) -> list[str]:
    bare, _ = _bare(annotation)
    if isinstance(bare, type) and issubclass(bare, BaseModel):
        return [field.alias or name for name, field in bare.model_fields.items()]
    return []


def _type_at(path: Iterable[int | str]) -> Any:
    """What the schema says about a place in the file."""
    annotation: Any = Game
    for part in path:
        bare, _ = _bare(annotation)
        if isinstance(bare, type) and issubclass(bare, BaseModel):
            fields = {field.alias or name: field for name, field in bare.model_fields.items()}
            if part not in fields:
                return None
            annotation = fields[str(part)]
        else:
            annotation = get_args(bare)[-1] if get_args(bare) else None
    return annotation


def _bare(annotation: Any) -> tuple[Any, dict[type, Any]]:
    """A type without its wrapping, and the limits found on the way."""
    limits: dict[type, Any] = {}
    while True:
        if isinstance(annotation, FieldInfo):
            marks, annotation = annotation.metadata, annotation.annotation
        elif get_origin(annotation) is Annotated:
            annotation, *marks = get_args(annotation)
        elif get_origin(annotation) in (Union, UnionType):
            annotation, marks = next(kind for kind in get_args(annotation) if kind is not NoneType), []
        else:
            return annotation, limits
        for mark in marks:
            for limit in getattr(mark, "metadata", [mark]):
                if isinstance(limit, Ge):
                    limits[Ge] = limit.ge
                elif isinstance(limit, Le):
                    limits[Le] = limit.le
                elif isinstance(getattr(limit, "func", None), partial):
                    limits[partial] = limit.func.keywords.get("known")
