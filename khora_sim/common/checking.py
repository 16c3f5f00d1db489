"""Faults in the data of a file, in words: the key, what stands there, and what was expected.

A file's shape is a pydantic model. A field whose words cannot be made from its type has a description.
"""

import pathlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from operator import getitem
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from annotated_types import Ge, Le, Lt
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from khora_sim.common.wording import counted
from khora_sim.errors import UserError, nearest, printable

MOST_LISTED = 20  # problems listed before the rest is only counted
WRONG_LENGTHS = ("too_short", "too_long")  # of lists, as pydantic calls them

Model = TypeVar("Model", bound=BaseModel)
Path = list[int | str]  # keys and places in lists, from the top of a file


@dataclass(frozen=True)
class Problem:
    """One thing to put right."""

    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message}" if self.key else self.message


def refuse(problems: Iterable[Problem], where: str) -> None:
    """Raise one error that lists all problems of a file, a line each; do nothing if there are none."""
    head = f"{where}: " if where else ""
    lines = [printable(f"{head}{problem}") for problem in dict.fromkeys(problems)]
    if len(lines) > MOST_LISTED:
        lines[MOST_LISTED:] = [f"{head}and {counted(len(lines) - MOST_LISTED, 'problem')} more"]
    if lines:
        raise UserError("\n".join(lines))


def checked(model: type[Model], data: Any, where: str) -> Model:
    """The data of a file as a model, or one error that lists what is wrong."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        refuse([_problem(model, found, data, first=1) for found in error.errors()], where)
        raise


def first_problem(model: type[BaseModel], error: ValidationError, data: Any) -> Problem:
    """The first fault that pydantic found in a JSON file, where list items count from 0."""
    return _problem(model, error.errors()[0], data, first=0)


def _problem(model: type[BaseModel], found: Any, data: Any, first: int) -> Problem:
    """A fault that pydantic found, in the words of this project."""
    kind, location, context = found["type"], found["loc"], found.get("ctx", {})
    path = _in_file(location, data, whole=kind in ("missing", "extra_forbidden"))
    described = _described(model, path)
    if described and kind != "value_error":
        path, words = described
        value = reduce(getitem, path, data)
        return Problem(key_path(path, first), f"{shown(value)} given; expected {words}")
    return Problem(key_path(path, first), _message(model, kind, location, path, context, found["input"]))


def _message(model: Any, kind: str, location: Any, path: Path, context: dict[str, Any], value: Any) -> str:
    if kind == "value_error":
        return str(context["error"])
    if not location:
        return f"{shown(value)} given; expected a table"
    if kind == "extra_forbidden":
        known = _fields(_bare(_type_at(model, path[:-1]))[0]) or ()
        return f"unknown key; {nearest(str(path[-1]), list(known))}"
    if kind == "missing":
        return f"missing; expected {expected(_type_at(model, path))}"
    if kind in WRONG_LENGTHS:
        return f"{context['actual_length']} given; expected {_length(kind, context)}"
    if location[-1] == "[key]":
        if get_args(_bare(_type_at(model, path[:-1]))[0])[:1] == (int,):
            return "not a whole number; expected one"
        return "not an id; expected lower-case letters, digits and single hyphens, at most 40"
    return f"{shown(value)} given; expected {expected(_type_at(model, _in_model(location, path)))}"


def expected_at(model: type[BaseModel], found: Any, data: Any) -> str:
    """Say what the place takes where pydantic found something wrong."""
    kind, location = found["type"], found["loc"]
    path = _in_file(location, data, whole=False)
    described = _described(model, path)
    if described:
        return described[1]
    if kind in WRONG_LENGTHS:
        return _length(kind, found["ctx"])
    return expected(_type_at(model, _in_model(location, path)))


def _length(kind: str, context: dict[str, Any]) -> str:
    return f"at least {context['min_length']}" if kind == "too_short" else f"at most {context['max_length']}"


def _in_model(location: Iterable[int | str], path: Path) -> Path:
    """The part of a location that the schema knows: items too, of what is no list in the file."""
    return [part for part in location if isinstance(part, int) or part in path]


def _in_file(location: Iterable[int | str], data: Any, whole: bool) -> Path:
    """The part of a location that is in the file; pydantic adds names of types that are alternatives."""
    path: Path = []
    for part in location:
        if isinstance(data, Mapping) and part != "[key]" and (part in data or whole):
            data = data.get(part)
        elif isinstance(data, list | tuple) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            continue
        path.append(part)
    return path


def key_path(path: Path, first: int) -> str:
    """A place in a file, as it would be written there; `first` is the number of a list's first item."""
    text = ""
    for part in path:
        text += f"[{part + first}]" if isinstance(part, int) else f".{part}"
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
    if isinstance(value, list | tuple):
        return "a list"
    return "null" if value is None else str(value)[:40]


def expected(annotation: Any) -> str:
    """Values that a key takes, in words."""
    if isinstance(annotation, FieldInfo) and annotation.description:
        return annotation.description
    bare, limits = _bare(annotation)
    if FieldInfo in limits:
        return str(limits[FieldInfo])
    if get_origin(bare) in (Union, UnionType):
        kinds = [expected(kind) for kind in get_args(bare) if kind is not NoneType]
        return " or ".join(dict.fromkeys(kinds))
    if get_origin(bare) is Literal:
        return f"one of: {', '.join(map(str, get_args(bare)))}"
    if bare is str and limits.get(partial):
        return f"one of: {', '.join(limits[partial])}"
    within = f", {limits[Ge]:,} or more" if Ge in limits else ""
    if Ge in limits and Le in limits:
        within = f" from {limits[Ge]:,} to {limits[Le]:,}"
    words = {
        bool: "true or false",
        int: f"a whole number{within}",
        float: f"a number{within}",
        str: "text in quotes, one line",
        pathlib.Path: "the path of a file or folder",
        list: "a list in [ ]",
        tuple: "a list in [ ]",
    }
    return words.get(get_origin(bare) or bare, "a table")


def _fields(bare: Any) -> dict[str, FieldInfo] | None:
    """The fields of a model by the keys of a file; None for anything else."""
    if isinstance(bare, type) and issubclass(bare, BaseModel):
        return {field.alias or name: field for name, field in bare.model_fields.items()}
    return None


def _described(model: type[BaseModel], path: Path) -> tuple[Path, str] | None:
    """The first place on a path that has a description, and what it says."""
    for length in range(1, len(path) + 1):
        found = _type_at(model, path[:length])
        if isinstance(found, FieldInfo) and found.description:
            return path[:length], found.description
    return None


def _type_at(model: Any, path: Path) -> Any:
    """The part of the schema for a place in the file."""
    annotation = model
    for part in path:
        bare, _ = _bare(annotation)
        fields = _fields(bare)
        if fields is None:
            annotation = next((kind for kind in reversed(get_args(bare)) if kind is not Ellipsis), None)
        elif part in fields:
            annotation = fields[str(part)]
        else:
            return None
    return annotation


def _bare(annotation: Any) -> tuple[Any, dict[type, Any]]:
    """A type without its wrapping, and the limits found on the way; one of several types is left as it is."""
    limits: dict[type, Any] = {}
    while True:
        marks: Iterable[Any] = ()
        kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
        if isinstance(annotation, FieldInfo):
            marks, annotation = annotation.metadata, annotation.annotation
        elif get_origin(annotation) is Annotated:
            annotation, *marks = get_args(annotation)
        elif get_origin(annotation) in (Union, UnionType) and len(kinds) == 1:
            annotation = kinds[0]
        else:
            return annotation, limits
        for mark in marks:
            if isinstance(mark, FieldInfo) and mark.description:  # of a type that may also be None
                limits.setdefault(FieldInfo, mark.description)
            for limit in getattr(mark, "metadata", [mark]):
                if isinstance(limit, Ge):
                    limits[Ge] = limit.ge
                elif isinstance(limit, Le):
                    limits[Le] = limit.le
                elif isinstance(limit, Lt):
                    limits[Le] = limit.lt - 1  # type: ignore[operator]
                elif isinstance(getattr(limit, "func", None), partial):
                    limits[partial] = limit.func.keywords.get("known")
