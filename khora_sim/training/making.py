"""The one shape of commands that make a player: options, a file, and what is kept beside it until it is done.

A maker is a module with a `COMMAND`, one line in the list of `analyses`, a test and a page of docs. The
command, the Python function, the options that `--resume` takes and the command that repeats it follow from
its options.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from khora_sim.common.checking import checked
from khora_sim.common.command_options import WORK, Command, Flag, Sizes
from khora_sim.common.commands import as_typed
from khora_sim.common.files import explain_write_errors, read_json, write_atomically
from khora_sim.common.progress import Progress
from khora_sim.errors import UserError
from khora_sim.rules import Rules, load_rules
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.simulation.backend import Backend, backend_for
from khora_sim.simulation.run_dir import RunOptions, resumed

SECONDS = {"s": 1, "min": 60, "h": 3600}
TableSizes = Annotated[Sizes, Flag("Players at the table: 2, 3, 4, or several: 4,3.", metavar="NUMBERS")]
#: `--seed` of a command that makes something; each limits it to the seeds it has.
MakingSeed = Annotated[
    int,
    Flag("A number: the same one gives the same result, another one an independent result.", metavar="N"),
    Field(ge=0),
]


class Budget(NamedTuple):
    """The most that training may take, games or seconds: one of the two is None."""

    games: int | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        return f"{self.games}games" if self.games is not None else f"{self.seconds:g}s"


def budget_of(text: str, option: str = "--budget") -> Budget:
    """A budget as it is typed: `700000games`, `90s`, `10min` or `2h`."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *(games|s|min|h)", text.strip())
    if not found or not float(found[1]) or (found[2] == "games" and "." in found[1]):
        raise UserError(f"{option} {text}: expected games or time: 700000games, 90s, 10min or 2h")
    if found[2] == "games":
        return Budget(games=int(found[1]))
    return Budget(seconds=float(found[1]) * SECONDS[found[2]])


class MakerOptions(RunOptions):
    """Options of every command that makes a file by playing."""

    ending: ClassVar[str]  # of the file
    contents: ClassVar[str]  # of the file, in words

    out: Annotated[
        Path,
        Flag("The file to write. What is done is kept beside it until it is finished.", WORK, "FILE"),
        Field(description="a file to write"),
    ]
    resume: Annotated[bool, Flag("Continue what was begun for --out, with the same options.", WORK)] = False
    replace: Annotated[bool, Flag("Begin anew, and write over --out in the end.", WORK)] = False

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if self.out.suffix != self.ending:
            raise UserError(
                f"--out {self.out}: expected a file for {self.contents} that ends in {self.ending}"
            )
        self.check()
        return self

    def check(self) -> None:
        """Refuse what cannot be done, before anything is compiled or played."""

    def repeated(self, **changes: Any) -> str:
        """The command that makes the same again: it names every option, since a default may change."""
        every = {name: getattr(self, name) for name in self.plan()}
        named = {name: value for name, value in every.items() if value is not None and value is not False}
        return self.typed(**{**named, "out": self.out, **changes})


def table_sizes(players: Sequence[int], rules: Rules) -> tuple[int, ...]:
    """Numbers of players that the rules allow, each once."""
    known = [count for count in PLAYER_COUNTS if count <= len(rules.city_ids)]
    if not players or not set(players) <= set(known):
        what = ", ".join(map(str, known))
        raise UserError(f"--players {as_typed(players)}: expected one or several of {what}")
    return tuple(dict.fromkeys(players))


class MadeFile(BaseModel):
    """A file that was made."""

    model_config = ConfigDict(frozen=True)

    path: Annotated[Path, Field(serialization_alias="out")]
    games: int  # of training

    def data(self) -> dict[str, Any]:
        """The file and how it was made, for a script."""
        return self.model_dump(mode="json", by_alias=True)


class State(BaseModel):
    """The state of a file that is not finished; a maker adds how far it has come."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    options: dict[str, Any]  # as `Options.plan` gives them
    identity: Annotated[dict[str, Any], Field(alias="asked")]  # what else decides the result


OptionsType = TypeVar("OptionsType", bound=MakerOptions)
StateType = TypeVar("StateType", bound=State)
MadeType = TypeVar("MadeType")


def write_state(path: Path, state: State) -> None:
    """Keep what has been done so far."""
    with explain_write_errors(path, "choose another --out"):
        write_atomically(path, state.model_dump_json(by_alias=True).encode())


def read_state(kind: type[StateType], path: Path) -> StateType:
    """The state of unfinished work before a stop."""
    data = read_json(path, "the state of unfinished work")
    if isinstance(data, dict) and isinstance(data.get("asked"), str):
        raise UserError(
            f"{path}: was begun by an earlier version of khora; remove it, or choose another --out"
        )
    return checked(kind, data, str(path))


class Maker(Command, Generic[OptionsType, MadeType]):
    """A command that makes a file. A subclass declares `Options`, and says how it is made and continued."""

    Options: type[OptionsType]
    kept: ClassVar[str]  # the end of the name of the file or folder that keeps what is done
    tables: ClassVar[bool] = False  # there is nothing for `--full` to print

    def made(self, options: OptionsType, rules: Rules, backend: Backend, progress: Progress) -> MadeType:
        """Make the file, or with `resume` what is missing of it."""
        raise NotImplementedError

    def make(self, options: OptionsType, progress: Progress) -> MadeType:
        """Make what was given and checked."""
        backend = backend_for(None, options.workers, options.backend, options.scheduler)
        return self.made(options, load_rules(getattr(options, "rules", None)), backend, progress)

    def brief(self, made: MadeType, *, full: bool = False) -> Sequence[str]:
        """Lines that the terminal prints."""
        raise NotImplementedError

    def aside(self, out: Path) -> Path:
        """The file or folder beside the result that keeps what is done of it."""
        return out.with_name(f"{out.stem}{self.kept}")

    def begun(self, out: Path) -> Mapping[str, Any]:
        """The options of an unfinished file, from what is kept beside it."""
        raise NotImplementedError

    def origin(self, out: Path) -> Any:
        """The part of a finished file that says how this command made it; none in a file of others."""
        raise NotImplementedError

    def resolve(self, given: dict[str, Any]) -> OptionsType:
        """The options; those of a file that is continued come from what is kept beside it."""
        if not given.get("resume"):
            options = self.Options.of(given)
            self._check_free(options.out, options.replace)
            return options
        if given.get("out") is None:
            raise UserError("--resume continues a file that was begun; name it with --out")
        out = Path(given["out"])
        if not self.aside(out).exists():
            done = "is finished" if out.exists() else "nothing was begun for it"
            raise UserError(f"--out {out}: {done}, so there is nothing to resume; leave --resume out")
        self._refuse_link(out)
        return resumed(self.Options, given, self.begun(out), out)

    def _check_free(self, out: Path, replace: bool) -> None:
        """Refuse to write over anything but an own file, and that only with `--replace`."""
        aside = self.aside(out)
        self._refuse_link(out)
        if not replace:
            if aside.exists():
                raise UserError(
                    f"{aside}: is unfinished work for {out}; continue it with --resume, begin anew with "
                    "--replace, or choose another --out"
                )
            if out.exists():
                raise UserError(
                    f"--out {out}: already exists; write over it with --replace, or choose another --out"
                )
        if out.exists() and not self._is_own(out):
            raise UserError(
                f"--out {out}: was not made by khora {self.Options.command}, and is not replaced; "
                "choose another --out"
            )
        if aside.exists():
            self.begun(out)  # refuses what is not its own

    def _is_own(self, out: Path) -> bool:
        try:
            return bool(self.origin(out))
        except UserError:
            return False

    def _refuse_link(self, out: Path) -> None:
        aside = self.aside(out)
        if aside.is_symlink():
            raise UserError(f"{aside}: is a link, and nothing is written through it; remove it")


def check_same(where: Path, saved: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuse to continue with other versions of rules or strategies, and name what differs."""
    for name in {**wanted, **saved}:
        if saved.get(name) != wanted.get(name):
            raise UserError(
                f"{where}: not as it was begun: {name}; begin anew with --replace, or choose another --out"
            )
