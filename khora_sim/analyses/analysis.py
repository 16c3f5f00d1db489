"""The one shape of all analyses: options, a run that plays and measures, an answer, and its page.

An analysis is a module or folder with an `ANALYSIS`, one line in `REGISTRY`, a test and a page of docs. The
command, the Python function, the saved plan, the run folder and the answer file follow from it.
"""

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, model_validator

from khora_sim.analyses import Entry
from khora_sim.common.command_options import WORK, Count, FileName, Flag, Names, Options
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import CHOOSING, JUDGING, seed_in
from khora_sim.errors import UserError
from khora_sim.rules import Rules, load_rules
from khora_sim.simulation.backend import BACKENDS, Crew, crew_for
from khora_sim.simulation.experiment import Arm, Design
from khora_sim.simulation.run import Outcome, Until, play
from khora_sim.simulation.run_dir import ChunkCache, RunDir, SavedPlan, refuse_unnamed
from khora_sim.simulation.sinks import Sink
from khora_sim.stats import Estimate
from khora_sim.strategy import load

if TYPE_CHECKING:
    from khora_sim.pages.page_model import Page, Table

SLACK = 1.1  # games that rotation groups may cost beyond those of independent ones
NORMAL = 1.96  # standard errors from a value to the end of its interval

Players = Annotated[int, Flag("Players at the table."), Field(ge=2, le=4, description="2, 3 or 4")]
Strategies = Annotated[
    Names, Flag("Strategies that play: one in every seat, or several.", metavar="NAMES", strategies=True)
]
Games = Annotated[Count | None, Flag("Games to play, such as 20000 or 20k.", metavar="N")]
Precision = Annotated[
    float | None,
    Flag("Play until every win rate is known to ± this many pp, in place of --games.", metavar="PP"),
    Field(ge=0.05, le=25, description="0.05 to 25 percentage points"),
]
Seed = Annotated[
    int,
    Flag("A number: the same one plays the same games. Other seeds than those that players are made with."),
    Field(ge=0, lt=10**9, description="a whole number from 0 to 999,999,999"),
]
RulesFile = Annotated[FileName | None, Flag("A variant in TOML, laid over the base game.", metavar="FILE")]


class RunOptions(Options):
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
    workers: Annotated[
        int | None,
        Flag("Workers at once.", WORK, "N", default="all processors", planned=False),
        Field(ge=1, description="1 or more"),
    ] = None
    backend: Annotated[str, Flag(f"{', '.join(BACKENDS)}.", WORK, planned=False)] = "auto"
    scheduler: Annotated[
        str | None, Flag("The address of a Dask scheduler: tcp://host:8786.", WORK, "ADDRESS", planned=False)
    ] = None

    @property
    def inputs(self) -> dict[str, Any]:
        """Contents of files that decide the answer beside rules and strategies, by what to call them."""
        return {}


class AnalysisOptions(RunOptions):
    """Options that every analysis has; each adds what it asks beyond them."""

    usual_games: ClassVar[int]  # where neither games nor a precision are given

    strategies: Strategies = ("expert",)
    players: Players = 4
    games: Games = None
    precision: Precision = None
    seed: Seed = 0
    rules: RulesFile = None

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if self.games is not None and self.precision is not None:
            raise ValueError("--games and --precision: give one of them")
        self.check()
        return self

    def check(self) -> None:
        """Refuse what cannot be done, before anything is compiled or played."""

    @property
    def games_wanted(self) -> int | None:
        """Games to play; None where a precision decides."""
        return None if self.precision is not None else self.games or self.usual_games

    @property
    def judging_seed(self) -> int:
        """The seed of the games that are judged."""
        return seed_in(JUDGING, self.seed)

    @property
    def choosing_seed(self) -> int:
        """The seed of games that only choose what is judged later."""
        return seed_in(CHOOSING, self.seed)


OptionsType = TypeVar("OptionsType", bound=RunOptions)
ResultType = TypeVar("ResultType", bound="Result")
EstimateJson = Annotated[Estimate, PlainSerializer(lambda one: one.data(), return_type=dict[str, Any])]


KnownNumber = Annotated[
    float, PlainSerializer(lambda one: one if math.isfinite(one) else None, return_type=float | None)
]


class Result(BaseModel):
    """An answer; its JSON is the answer file."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    def data(self) -> dict[str, Any]:
        """The answer for a script."""
        return self.model_dump(mode="json")


class RulesPlayed(Result):
    """The game that was played."""

    name: str
    hash: str
    version: str

    @classmethod
    def of(cls, rules: Rules) -> "RulesPlayed":
        """The rules as an answer names them."""
        return cls(name=rules.name, hash=rules.hash, version=rules.version)


@dataclass(frozen=True)
class Run:
    """What an analysis plays with: workers, a folder that keeps what is finished, and progress."""

    options: RunOptions
    dir: RunDir | None = None
    progress: Progress = field(default_factory=Progress)

    def backend(self, played: Arm | Design) -> Crew:
        """Who does the work."""
        return crew_for(played, self.options.workers, self.options.backend, self.options.scheduler)

    def play(self, design: Design, sink: Sink, until: Until | None = None) -> Outcome:
        """Play what a sink still lacks of a design."""
        return play(design, sink, self.backend(design), until, progress=self.progress)

    @property
    def chunks(self) -> ChunkCache | None:
        """Finished chunks of the run; None where no folder keeps them."""
        return None if self.dir is None else self.dir.chunks

    @contextmanager
    def folder(self, name: str) -> Iterator[Path]:
        """A folder for what the run makes beside chunks; without --out it does not last."""
        from tempfile import TemporaryDirectory

        if self.dir is not None:
            yield self.dir.folder(name)
            return
        with TemporaryDirectory(prefix="khora-") as aside:
            yield Path(aside)


class Analysis(Generic[OptionsType, ResultType]):
    """One analysis. A subclass declares `Options` and says how to run, print and draw it."""

    name: ClassVar[str]  # the Python function; the command has hyphens
    Options: type[OptionsType]
    own: ClassVar[Sequence[str]] = ()  # folders and files of its own in the run folder

    def run(self, options: OptionsType, run: Run) -> ResultType:
        """Play and measure."""
        raise NotImplementedError

    def brief(self, result: ResultType, *, full: bool = False) -> "Sequence[str | Table]":
        """What the terminal prints, lines and tables: the answer, or with `full` all of it."""
        raise NotImplementedError

    def page(self, result: ResultType, options: OptionsType) -> "Page | None":
        """The page of the answer."""
        raise NotImplementedError

    def written(self, result: ResultType, options: OptionsType, folder: Path) -> None:
        """Write what the folder holds beside answer and page."""


def answer(
    analysis: Analysis[OptionsType, ResultType], given: dict[str, Any], progress: Progress | None = None
) -> ResultType:
    """Check what is asked, play what is missing, and keep the answer where a folder is named."""
    options = resolve(analysis, given)
    shown = progress or Progress()
    if options.out is None:
        return analysis.run(options, Run(options, None, shown))
    folder = RunDir(options.out, analysis.own)
    plan = SavedPlan(command=analysis.Options.command, options=options.plan(), identity=identity(options))
    with folder.opened(plan, resume=options.resume, replace=options.replace):
        result = analysis.run(options, Run(options, folder, shown))
        _write(analysis, result, options, folder, shown)
    return result


def _write(
    analysis: Analysis[OptionsType, ResultType],
    result: ResultType,
    options: OptionsType,
    folder: RunDir,
    progress: Progress,
) -> None:
    from khora_sim.pages.publish import write_page

    page = analysis.page(result, options)
    if page is not None:
        write_page(page, folder.path, progress.step)
    analysis.written(result, options, folder.path)
    folder.write_answer(result.data())


def resolve(analysis: Analysis[OptionsType, ResultType], given: dict[str, Any]) -> OptionsType:
    """The options of a run; those of one that is resumed come from its folder."""
    if not given.get("resume"):
        return analysis.Options.of(given)
    if given.get("out") is None:
        raise UserError("--resume continues a run in its folder; name it with --out")
    out = Path(given["out"])
    saved = RunDir(out).saved()
    if saved.command != analysis.Options.command:
        raise UserError(f"{out}: belongs to khora {saved.command}; choose another --out")
    named = {name: value for name, value in given.items() if value is not None}
    options = analysis.Options.of({**saved.options, **_unplanned(analysis.Options, named)})
    wanted = analysis.Options.of({**saved.options, **named})
    for name in named.keys() & saved.options.keys():
        if wanted.plan()[name] != options.plan()[name]:
            was = options.typed().partition(" ")[2]
            raise UserError(
                f"{out}: {options.spelled(name)} differs from what it was begun with ({was}); "
                "leave it out, or choose another --out"
            )
    again = options.typed(out=str(out), resume=True)
    refuse_unnamed(out, options.named_strategies, wanted_names(analysis.Options, named), again)
    return options


def _unplanned(options: type[Options], named: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in named.items()
        if name in options.model_fields and not options.flags()[name][0].planned
    }


def wanted_names(options: type[Options], named: dict[str, Any]) -> list[str]:
    """The strategies that the user names now."""
    own = {name: value for name, value in named.items() if options.flags()[name][0].strategies}
    return [one for value in own.values() for one in (value.split(",") if isinstance(value, str) else value)]


def identity(options: RunOptions) -> dict[str, Any]:
    """What decides the games beside the options: rules and strategies by their digests."""
    found: dict[str, Any] = {name: load(name).digest for name in options.named_strategies}
    rules = getattr(options, "rules", None)
    laid = load_rules(rules)
    return {**found, "the rules": f"{laid.hash} {laid.version}", **options.inputs}


def loaded(entry: Entry) -> Analysis[Any, Any]:
    """The analysis of an entry."""
    found: Analysis[Any, Any] = import_module(entry.module).ANALYSIS
    return found


def function_of(entry: Entry) -> Callable[..., Any]:
    """The Python function of an analysis, with the options as keywords and its arguments first."""
    analysis = loaded(entry)
    flags = analysis.Options.flags()
    arguments = [name for name, (flag, _) in flags.items() if flag.argument]
    many = [name for name in arguments if isinstance(flags[name][1].default, tuple)]

    def ask(*positional: Any, progress: bool = False, **named: Any) -> Any:
        from khora_sim.pages.progress import progress_shown

        given = dict(named)
        if many and positional:
            given[many[0]] = tuple(map(str, positional))
        else:
            given |= dict(zip(arguments, positional, strict=False))
        with progress_shown(progress) as shown:
            return answer(analysis, given, shown)

    kind = inspect.Parameter
    first = [
        kind(name, kind.VAR_POSITIONAL if name in many else kind.POSITIONAL_OR_KEYWORD) for name in arguments
    ]
    rest = [
        kind(name, kind.KEYWORD_ONLY, default=field.default, annotation=field.annotation)
        for name, (flag, field) in flags.items()
        if not flag.argument
    ]
    shown = kind("progress", kind.KEYWORD_ONLY, default=False, annotation=bool)
    ask.__signature__ = inspect.Signature([*first, *rest, shown])  # type: ignore[attr-defined]
    ask.__name__ = ask.__qualname__ = entry.name
    ask.__doc__ = f"{entry.summary}\n\nThe options are those of `{analysis.Options.command}`."
    return ask
