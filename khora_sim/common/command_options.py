"""Options of a command, declared once as the fields of a model.

A field gives the flag with its help, the Python keyword, the key in a saved plan, and the word in the command
that repeats a run. `cli.generate` makes commands of such models, `khora_sim` functions.
"""

import inspect
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Self, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from khora_sim.common.checking import expected_at
from khora_sim.common.commands import as_typed
from khora_sim.common.progress import Progress
from khora_sim.errors import UserError, nearest

CHANGE, PLAY, DESIGN, GAME = "What is changed", "What is played", "What is compared", "The game"
ASKED, WORK, SHOW = "What is asked of the game", "How it runs", "What is printed"
PANELS = (CHANGE, ASKED, PLAY, DESIGN, GAME, WORK, SHOW)
NOBODY = "none"  # in place of a strategy
USUAL_STRATEGY = "adept"  # plays in every seat where nobody is named


@dataclass(frozen=True)
class Flag:
    """The way in which a field is typed, and what it does."""

    help: str
    panel: str = PLAY
    metavar: str = ""
    argument: bool = False  # typed without a flag
    name: str = ""  # of the flag, where it differs from the field's
    default: str = ""  # as the help shows it, where it follows from something else
    planned: bool = True  # False: it decides nothing in the answer, although its panel is not WORK
    strategies: bool = False  # names strategies, whose code runs only if the user names them
    repeated: bool = False  # may be given several times, and is not split at commas
    grows: bool = False  # --resume adds what is named to what the run was begun with

    @property
    def decides(self) -> bool:
        """True if it decides the answer, and so is part of the saved plan."""
        return self.planned and self.panel != WORK


class Options(BaseModel):
    """Options of a command. Build them with `of`, whose errors name the flags."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    command: ClassVar[str]  # as it is typed
    renamed: ClassVar[Mapping[str, str]] = {}  # earlier spellings, and what to type instead

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Options from what was given by name; None counts as not given."""
        known = {name: value for name, value in given.items() if value is not None}
        for name in given.keys() - cls.model_fields.keys():
            if name in cls.renamed:
                raise UserError(f"--{name.replace('_', '-')}: is now {cls.renamed[name]}")
            raise UserError(f"--{name.replace('_', '-')}: unknown option; {nearest(name, cls.model_fields)}")
        try:
            return cls.model_validate(known)
        except ValidationError as error:
            raise UserError(cls._first_problem(error, known)) from None

    @classmethod
    def _first_problem(cls, error: ValidationError, given: Mapping[str, Any]) -> str:
        found = error.errors()[0]
        name = str(found["loc"][0]) if found["loc"] else ""
        if found["type"] == "value_error":
            reason = str(found["ctx"]["error"])
            return f"{cls.spelled(name)} {as_typed(given[name])}: {reason}" if name in given else reason
        if found["type"] == "missing":
            words = flag_of(cls.model_fields[name]).help.rstrip(".")
            wanted = cls.model_fields[name].description or f"{words[:1].lower()}{words[1:]}"
            return f"{cls.spelled(name)} is missing; expected {wanted}"
        return f"{cls.spelled(name)} {as_typed(given[name])}: expected {expected_at(cls, found, given)}"

    @classmethod
    def flags(cls) -> dict[str, tuple[Flag, FieldInfo]]:
        """Every field with its flag, arguments first, then panel by panel."""
        found = {name: (flag_of(field), field) for name, field in cls.model_fields.items()}
        place = {name: -1 if flag.argument else PANELS.index(flag.panel) for name, (flag, _) in found.items()}
        return {name: found[name] for name in sorted(found, key=place.__getitem__)}

    @classmethod
    def spelled(cls, name: str) -> str:
        """A field as the user types it."""
        flag = flag_of(cls.model_fields[name])
        return (flag.metavar or name.upper()) if flag.argument else flag.name or f"--{name.replace('_', '-')}"

    def plan(self) -> dict[str, Any]:
        """The options that decide the answer, as JSON."""
        kept = {name for name, (flag, _) in self.flags().items() if flag.decides}
        return self.model_dump(mode="json", include=kept)

    def typed(self, **changes: Any) -> str:
        """The command that repeats this run: options as they differ from their defaults."""
        words = ["khora", self.command]
        options: list[str] = []
        for name, (flag, field) in self.flags().items():
            value = changes[name] if name in changes else getattr(self, name) if flag.decides else None
            usual = field.get_default(call_default_factory=True)
            if value in (None, (), {}) or (value == usual and name not in changes):
                continue
            if flag.argument:
                words += [shlex.quote(str(one)) for one in (value if isinstance(value, tuple) else [value])]
            else:
                options += self._word(name, value, flag)
        return " ".join(words + options)

    def _word(self, name: str, value: Any, flag: Flag) -> Iterator[str]:
        spelled = self.spelled(name)
        if isinstance(value, bool):
            yield spelled if value else spelled.replace("--", "--no-", 1)
        elif flag.repeated:
            yield from (f"{spelled} {shlex.quote(str(one))}" for one in value)
        else:
            yield f"{spelled} {shlex.quote(as_typed(value))}"

    @property
    def named_strategies(self) -> list[str]:
        """Every strategy that the options name, each once."""
        found: list[str] = []
        for name, (flag, _) in self.flags().items():
            if flag.strategies:
                value = getattr(self, name)
                found += value if isinstance(value, tuple) else [value] if value else []
        return [one for one in dict.fromkeys(found) if one != NOBODY]


class Command:
    """A command and its Python function: checked options in, a result out."""

    Options: type[Options]
    tables: ClassVar[bool] = True  # there are more of them for `--full` to print

    def ask(self, given: dict[str, Any], progress: Progress) -> Any:
        """Check what is given, then do it."""
        return self.make(self.resolve(given), progress)

    def resolve(self, given: dict[str, Any]) -> Any:
        """The options from what was given by name."""
        return self.Options.of(given)

    def make(self, options: Any, progress: Progress) -> Any:
        """Do it."""
        raise NotImplementedError

    def brief(self, result: Any, *, full: bool = False) -> Sequence[Any]:
        """Lines and tables that the terminal prints: the answer, or with `full` all of it."""
        raise NotImplementedError

    def printed(self, result: Any, options: Any, *, full: bool) -> Sequence[Any]:
        """Lines and tables that the command prints: the brief answer, unless an option asks for another."""
        return self.brief(result, full=full)

    def closing(self, given: dict[str, Any]) -> Sequence[str]:
        """Lines that the terminal prints last."""
        return ()

    def data(self, result: Any) -> Any:
        """The result for a script."""
        return result.data()

    def returned(self, result: Any) -> Any:
        """The value that the Python function returns."""
        return result

    def stopped(self, given: dict[str, Any]) -> str:
        """The line to print when the user stops it."""
        if given.get("out") is None:
            return "stopped; without --out nothing is kept"
        return f"stopped; continue with: khora {self.Options.command} --resume --out {given['out']}"

    def exit_code(self, result: Any) -> int:
        """The exit code of the command, where it is not 0."""
        return 0


def python_function(
    command: Command, name: str, summary: str, shown: Callable[[bool], AbstractContextManager[Progress]]
) -> Callable[..., Any]:
    """The Python function of a command: arguments first, options as keywords, and `progress`."""
    flags = command.Options.flags()
    arguments = [field for field, (flag, _) in flags.items() if flag.argument]
    many = [field for field in arguments if takes_many(flags[field][1])]

    def ask(*positional: Any, progress: bool = False, **named: Any) -> Any:
        given = dict(named)
        if many and positional:
            given[many[0]] = tuple(map(str, positional))
        elif len(positional) > len(arguments):
            raise TypeError(f"{name}() takes {len(arguments)} arguments and {len(positional)} were given")
        else:
            given |= dict(zip(arguments, positional, strict=False))
        with shown(progress) as showing:
            return command.returned(command.ask(given, showing))

    kind, hints = inspect.Parameter, get_type_hints(command.Options)  # types without marks
    parameters = [
        kind(field, kind.VAR_POSITIONAL if field in many else kind.POSITIONAL_OR_KEYWORD)
        for field in arguments
    ]
    for field, (flag, info) in flags.items():
        if not flag.argument:
            usual = kind.empty if info.is_required() else info.get_default(call_default_factory=True)
            parameters.append(kind(field, kind.KEYWORD_ONLY, default=usual, annotation=hints[field]))
    parameters.append(kind("progress", kind.KEYWORD_ONLY, default=False, annotation=bool))
    ask.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = f"{summary}\n\nThe options are those of `khora {command.Options.command}`."
    return ask


def bare_type(field: FieldInfo) -> Any:
    """The type of a field without None and marks."""
    found: Any = field.annotation
    while get_origin(found) in (Union, UnionType, Annotated):
        found = next(one for one in get_args(found) if one is not NoneType)
    return found


def takes_many(field: FieldInfo) -> bool:
    """Tell if a field holds several values."""
    return get_origin(bare_type(field)) is tuple


def flag_of(field: FieldInfo) -> Flag:
    """The flag of a field: the last one declared, with the text after it as its help, if there is one."""
    found = None
    for mark in field.metadata:
        if isinstance(mark, Flag):
            found = mark
        elif isinstance(mark, str) and found is not None:
            found = replace(found, help=mark)
    if found is None:
        raise TypeError("an option without a Flag")
    return found


def with_more(begun: Sequence[Any], more: Any) -> tuple[str, ...]:
    """A list that a run was begun with and what is named now; the order is that of a list that names all."""
    named = tuple(map(str, several(split_names(more) if isinstance(more, str) else more)))
    there = tuple(map(str, begun))
    return tuple(dict.fromkeys(named if set(there) <= set(named) else (*there, *named)))


def split_names(value: Any) -> Any:
    """`a,b` means what `("a", "b")` means."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def several(value: Any) -> Any:
    """One text means a list of one; commas stay."""
    return (value,) if isinstance(value, str | Path | int) else value


def count_of(value: Any) -> Any:
    """`10k`, `1e6` and `10,000` mean whole numbers."""
    if not isinstance(value, str):
        return value
    text = value.strip().lower().replace(",", "").replace("_", "")
    factor = {"k": 1_000, "m": 1_000_000}.get(text[-1:], 1)
    try:
        number = float(text.removesuffix("k").removesuffix("m")) * factor
    except ValueError:
        return value
    return int(number) if number.is_integer() else value


def _sizes(value: Any) -> Any:
    if isinstance(value, int):
        return (value,)
    parts = split_names(value)
    return tuple(int(one) if str(one).isdigit() else one for one in parts) if parts else value


Names = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...],
    BeforeValidator(split_names),
    Field(description="names such as steward,random"),
]
Texts = Annotated[tuple[str, ...], BeforeValidator(several), Field(description="a text, or several")]
FileName = Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, Path) else value)]
Count = Annotated[
    int, BeforeValidator(count_of), Field(ge=1, description="a whole number from 1, such as 20000 or 20k")
]
Sizes = Annotated[tuple[int, ...], BeforeValidator(_sizes), Field(description="numbers such as 4 or 4,3,2")]
