"""The folder of a run, and its options: the plan, what is finished, and in the end the answer.

plan.json       the command, its options, and the versions of rules and strategies that decide the games
parts/          finished chunks, each with its checksum in its name
answer.json     the answer, written last; beside it index.html, summary.md, figures/ and tables/

A folder may come from a stranger: nothing in it is run, links are refused, damaged parts are played again.
"""

import hashlib
import io
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, model_validator

from khora_sim import __version__
from khora_sim.common.checking import checked
from khora_sim.common.command_options import WORK, FileName, Flag, Options, with_more
from khora_sim.common.commands import as_typed
from khora_sim.common.files import explain_write_errors, read_json, write_atomically
from khora_sim.errors import UserError
from khora_sim.simulation.backend import BACKENDS, check_backend
from khora_sim.simulation.chunk import place_of
from khora_sim.simulation.dataset import ASIDE, held, linked
from khora_sim.simulation.experiment import Arm
from khora_sim.strategy.finding import is_built_in

PLAN, ANSWER, PARTS = "plan.json", "answer.json", "parts"
PAGE = ("index.html", "summary.md", "figures", "tables")
OTHER_OUT = "choose another --out"
FORMAT: Literal[1] = 1
LETTERS = 20  # of a digest that name a part
CHECKED = 16  # letters of a checksum


class SavedPlan(BaseModel):
    """The plan as it is saved."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = FORMAT
    khora: str = __version__
    command: str
    options: dict[str, Any]  # as `Options.plan` gives them
    identity: dict[str, Any]  # what else decides the games: rules and strategies by their digests


class RunDir:
    """A folder that belongs to one run of one command."""

    def __init__(self, path: Path, own: Sequence[str] = ()):
        """`own` are further folders and files of the command, which `--replace` removes."""
        self.path, self.own = path, tuple(own)

    @contextmanager
    def opened(self, plan: SavedPlan, *, resume: bool = False, replace: bool = False) -> Iterator[None]:
        """Hold the folder for a run, so that no other process writes to it, and keep the plan.

        It should be new or empty, or with `resume` or `replace` one of the same command.
        """
        self._check(plan, resume, replace)
        with explain_write_errors(self.path, OTHER_OUT):
            self.path.mkdir(parents=True, exist_ok=True)
        with held(self.path):
            self._check(plan, resume, replace)
            with explain_write_errors(self.path, OTHER_OUT):
                for name in () if resume else (ANSWER, *PAGE, PARTS, *self.own, PLAN):
                    target = self.path / name
                    if target.is_dir():
                        shutil.rmtree(target)
                    else:
                        target.unlink(missing_ok=True)
                write_json(self.path / PLAN, plan.model_dump(mode="json"))  # some can be added to
            yield

    def _check(self, plan: SavedPlan, resume: bool, replace: bool) -> None:
        self._refuse_links()
        if self.path.exists() and not self.path.is_dir():
            raise UserError(f"{self.path}: is a file; --out should name a folder")
        if resume:
            saved = self.resumed_by(plan.command)
            for name, value in plan.identity.items():
                if saved.identity.get(name) != json.loads(json.dumps(value)):
                    raise UserError(f"{self.path}: was begun with another version of {name}; {OTHER_OUT}")
        elif self.path.exists() and any(one.name != ASIDE for one in self.path.iterdir()):
            if not (self.path / PLAN).exists():
                raise UserError(
                    f"{self.path}: is not empty and holds no run of khora {plan.command}; {OTHER_OUT}"
                )
            self.begun_by(plan.command)
            if not replace:
                done = (self.path / ANSWER).exists()
                what = "a finished answer; show it again" if done else "an unfinished run; continue"
                raise UserError(
                    f"{self.path}: holds {what} with --resume, begin anew with --replace, or {OTHER_OUT}"
                )

    def saved(self) -> SavedPlan:
        """The plan that the folder was begun with."""
        path = self.path / PLAN
        if not path.exists():
            raise UserError(f"{self.path}: holds nothing to resume ({PLAN} is missing); leave --resume out")
        data = read_json(path, "the plan of a run")
        if isinstance(data, dict) and "command" not in data:
            raise UserError(f"{self.path}: was made by an earlier version of khora; {OTHER_OUT}")
        return checked(SavedPlan, data, str(path))

    def begun_by(self, command: str) -> SavedPlan:
        """The plan, if the folder belongs to a command."""
        saved = self.saved()
        if saved.command != command:
            raise UserError(f"{self.path}: belongs to khora {saved.command}; {OTHER_OUT}")
        return saved

    def resumed_by(self, command: str) -> SavedPlan:
        """The plan, if this version of a command can continue with it."""
        saved = self.begun_by(command)
        if saved.khora != __version__:
            raise UserError(f"{self.path}: was begun with khora {saved.khora}; {OTHER_OUT}")
        return saved

    def folder(self, name: str) -> Path:
        """A folder inside, made if it is not there."""
        path = self.path / name
        if path.is_symlink():
            raise linked(path, "run")
        with explain_write_errors(path, OTHER_OUT):
            path.mkdir(parents=True, exist_ok=True)
        return path

    def _refuse_links(self) -> None:
        for name in (PLAN, ANSWER, PARTS, ASIDE, *PAGE, *self.own):
            if (self.path / name).is_symlink():
                raise linked(self.path / name, "run")

    @property
    def chunks(self) -> "ChunkCache":
        """The finished chunks of the run."""
        return ChunkCache(self.folder(PARTS))

    def write_answer(self, data: Mapping[str, Any]) -> None:
        """Keep the answer: the last thing that a run writes."""
        with explain_write_errors(self.path / ANSWER, OTHER_OUT):
            write_json(self.path / ANSWER, data)


class ChunkCache:
    """Frames that finished chunks were reduced to, found by what decides them.

    A file's name has the digest of its arm, its rotation groups, what was kept of them, and a checksum of all
    that and the file: `1f2e…-004200-300-9a8b7c6d.0123456789abcdef.parquet`. What does not match is removed.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.known = {path.name.split(".")[0]: path for path in sorted(folder.glob("*.parquet"))}

    def find(self, arm: Arm, number: int, contents: str) -> pl.DataFrame | None:
        """A chunk that is finished and undamaged; None where it is to be played."""
        key = _key(arm, number, contents)
        path = self.known.get(key)
        if path is None:
            return None
        if path.is_symlink():
            raise linked(path, "run")
        with explain_write_errors(path, OTHER_OUT):
            data = path.read_bytes()
            if path.suffixes == [f".{_checksum(key, data)}", ".parquet"]:
                return pl.read_parquet(io.BytesIO(data))
            path.unlink()
        return None

    def store(self, arm: Arm, number: int, contents: str, frame: pl.DataFrame) -> None:
        """Keep a chunk."""
        written = io.BytesIO()
        frame.write_parquet(written)
        data, key = written.getvalue(), _key(arm, number, contents)
        path = self.folder / f"{key}.{_checksum(key, data)}.parquet"
        with explain_write_errors(path, OTHER_OUT):
            write_atomically(path, data)
        self.known[key] = path

    @property
    def size(self) -> int:
        """Bytes of all chunks that are kept."""
        return sum(path.stat().st_size for path in self.known.values() if path.exists())


def _key(arm: Arm, number: int, contents: str) -> str:
    kept = hashlib.sha256(contents.encode()).hexdigest()[:8]
    section, first, groups = place_of(arm, number)  # an arm may be cut into other chunks
    return f"{arm.digest[:LETTERS]}-{section.first_group + first:06}-{groups}-{kept}"


def _checksum(key: str, data: bytes) -> str:
    return hashlib.sha256(key.encode() + data).hexdigest()[:CHECKED]


def write_json(path: Path, data: object) -> None:
    """Write data as a whole file."""
    write_atomically(path, (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode())


RulesFile = Annotated[FileName | None, Flag("A variant in TOML, laid over the base game.", metavar="FILE")]


class WorkerOptions(Options):
    """Workers, and how work is shared out among them."""

    workers: Annotated[
        int | None,
        Flag("Workers at once.", WORK, "N", default="all processors"),
        Field(ge=1, description="1 or more"),
    ] = None
    backend: Annotated[
        str, Flag("auto: threads if all strategies are compiled, else processes.", WORK, "|".join(BACKENDS))
    ] = "auto"
    scheduler: Annotated[str | None, Flag("A Dask scheduler: tcp://host:8786.", WORK, "ADDRESS")] = None

    @model_validator(mode="after")
    def _somebody_works(self) -> Self:
        check_backend(self.backend, self.scheduler)
        return self


class RunOptions(WorkerOptions):
    """Options of every command that plays many games: the folder of a run, and how it is continued."""

    out: Annotated[
        Path | None,
        Flag("A folder for the page, its tables and the answer, and for finished games.", WORK, "DIR"),
    ] = None
    resume: Annotated[bool, Flag("Continue the run in --out, with the options it was begun with.", WORK)] = (
        False
    )
    replace: Annotated[bool, Flag("Begin anew where --out holds a run of this command.", WORK)] = False

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if getattr(self, "games", None) is not None and getattr(self, "precision", None) is not None:
            raise ValueError("--games and --precision: give one of them")
        self.check()
        return self

    def check(self) -> None:
        """Refuse what cannot be done, before anything is compiled or played."""

    @property
    def inputs(self) -> dict[str, Any]:
        """Contents of files that decide the answer beside rules and strategies, by what to call them."""
        return {}


OptionsType = TypeVar("OptionsType", bound=RunOptions)


def resumed(
    kind: type[OptionsType], given: Mapping[str, Any], saved: Mapping[str, Any], out: Path
) -> OptionsType:
    """The options that a run was begun with; others that decide its answer are refused by name.

    How it runs may change: on other workers, or without progress.
    """
    named = {name: value for name, value in given.items() if value is not None}
    flags = {name: flag for name, (flag, _) in kind.flags().items()}
    begun, grown = dict(saved), dict(named)
    for name, flag in flags.items():
        if flag.grows and name in named and isinstance(begun.get(name), list):
            begun[name] = grown[name] = with_more(begun[name], named[name])
    how = {name: value for name, value in named.items() if name in flags and not flags[name].decides}
    options = kind.of({**begun, **how})
    changed = {name for name in named.keys() & begun.keys() if begun[name] is None}  # not given at the start
    wanted = kind.of({**begun, **grown}) if not changed else options
    changed |= {name for name in named.keys() & begun.keys() if wanted.plan()[name] != options.plan()[name]}
    if changed:
        raise UserError(
            f"{out}: {options.spelled(min(changed))} differs from what it was begun with "
            f"({options.typed().removeprefix('khora ')}), which cannot change; leave it out, or choose "
            "another --out"
        )
    now = [value for name, value in named.items() if flags[name].strategies]
    names = [one for value in now for one in (value.split(",") if isinstance(value, str) else value)]
    others = [name for name in options.named_strategies if not is_built_in(name) and name not in names]
    if others:  # loading a plug-in runs it, so the user has to name it
        raise UserError(
            f"{out}: its plan names {as_typed(others)}, and what is not built in is read and run only when "
            f"you name it; if you trust it, type: {options.typed(out=str(out), resume=True)}"
        )
    return options
