"""Options of every command that plays many games: who does the work, and how it is continued."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from pydantic import Field, model_validator

from khora_sim.common.command_options import WORK, FileName, Flag, Options, with_more
from khora_sim.errors import UserError
from khora_sim.simulation.backend import BACKENDS, check_backend
from khora_sim.simulation.run_dir import refuse_unnamed

RulesFile = Annotated[FileName | None, Flag("A variant in TOML, laid over the base game.", metavar="FILE")]


class WorkerOptions(Options):
    """How the work is shared out."""

    workers: Annotated[
        int | None,
        Flag("Workers at once.", WORK, "N", default="all processors", planned=False),
        Field(ge=1, description="1 or more"),
    ] = None
    backend: Annotated[
        str,
        Flag(
            "auto: threads if all strategies are compiled, else processes.",
            WORK,
            "|".join(BACKENDS),
            planned=False,
        ),
    ] = "auto"
    scheduler: Annotated[
        str | None, Flag("A Dask scheduler: tcp://host:8786.", WORK, "ADDRESS", planned=False)
    ] = None

    @model_validator(mode="after")
    def _somebody_works(self) -> Self:
        check_backend(self.backend, self.scheduler)
        return self


class RunOptions(WorkerOptions):
    """How a command runs and where it keeps what is finished."""

    out: Annotated[
        Path | None,
        Flag(
            "A folder for the page, its tables and the answer, and for finished games.",
            WORK,
            "DIR",
            planned=False,
        ),
    ] = None
    resume: Annotated[
        bool, Flag("Continue the run in --out, with the options it was begun with.", WORK, planned=False)
    ] = False
    replace: Annotated[
        bool, Flag("Begin anew where --out holds a run of this command.", WORK, planned=False)
    ] = False

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
    how = {name: value for name, value in named.items() if name in flags and not flags[name].planned}
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
    named_now = [value for name, value in named.items() if flags[name].strategies]
    names = [one for value in named_now for one in (value.split(",") if isinstance(value, str) else value)]
    refuse_unnamed(out, options.named_strategies, names, options.typed(out=str(out), resume=True))
    return options
