"""The one shape of all analyses: options, a run that plays and measures, an answer, and its page.

An analysis is a module or folder with a `COMMAND`, one line in `REGISTRY`, a test and a page of docs. The
command, the Python function, the saved plan, the run folder and the answer file follow from it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import AfterValidator, Field

from khora_sim.analyses import Entry
from khora_sim.common.command_options import Command, Count, Flag, Names, Sizes, python_function
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import CHOOSING, JUDGING, seed_in
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.rules.terms import MAX_PLAYERS
from khora_sim.simulation.backend import Backend, backend_for
from khora_sim.simulation.experiment import Arm, Design
from khora_sim.simulation.result import Result
from khora_sim.simulation.run import Outcome, Until, play
from khora_sim.simulation.run_dir import (
    ChunkCache,
    OptionsType,
    RulesFile,
    RunDir,
    RunOptions,
    SavedPlan,
    resumed,
)
from khora_sim.simulation.sinks import Sink
from khora_sim.strategy import load

if TYPE_CHECKING:
    from khora_sim.pages.page_model import Page, Table

SLACK = 1.1  # games that rotation groups may cost beyond those of independent ones
NORMAL = 1.96  # standard errors from a value to the end of its interval

Players = Annotated[int, Flag("Players at the table."), Field(ge=2, le=4, description="2, 3 or 4")]


def _tables(sizes: tuple[int, ...]) -> tuple[int, ...]:
    if not sizes or not all(2 <= size <= MAX_PLAYERS for size in sizes):
        raise ValueError(f"should be 2 to {MAX_PLAYERS}")
    if len(set(sizes)) < len(sizes):
        raise ValueError("name every size of table once")
    return sizes


TableSizes = Annotated[
    Sizes,
    AfterValidator(_tables),
    Flag("Players at the table: 2, 3, 4, or several: 4,3.", metavar="SIZES"),
]
Strategies = Annotated[
    Names, Flag("Strategies that play: one in every seat, or several.", metavar="NAMES", strategies=True)
]
Examined = Annotated[
    str,
    Flag("A name, or the path of a plug-in.", argument=True, metavar="NAME", strategies=True),
    Field(min_length=1, description="the name of a strategy, or the path of a plug-in"),
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


class AnalysisOptions(RunOptions):
    """Options that every analysis has; each adds what it asks beyond them."""

    usual_games: ClassVar[int]  # where neither games nor a precision are given

    strategies: Strategies = ("expert",)
    players: Players = 4
    games: Games = None
    precision: Precision = None
    seed: Seed = 0
    rules: RulesFile = None

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


ResultType = TypeVar("ResultType", bound="Result")


@dataclass(frozen=True)
class Run:
    """What an analysis plays with: workers, a folder that keeps what is finished, and progress."""

    options: RunOptions
    dir: RunDir | None = None
    progress: Progress = field(default_factory=Progress)

    def backend(self, played: Arm | Design | None = None) -> Backend:
        """Who does the work; without anything played it is training, whose strategies are compiled."""
        return backend_for(played, self.options.workers, self.options.backend, self.options.scheduler)

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


class Analysis(Command, Generic[OptionsType, ResultType]):
    """One analysis. A subclass declares `Options` and says how to run, print and draw it."""

    name: ClassVar[str]  # the Python function; the command has hyphens
    Options: type[OptionsType]
    own: ClassVar[Sequence[str]] = ()  # folders and files of its own in the run folder
    tables: ClassVar[bool] = True  # `--full` prints more of them

    def answer(self, given: dict[str, Any], progress: Progress | None = None) -> ResultType:
        """Check what is asked, and answer it."""
        return answer(self, given, progress)

    def resolve(self, given: dict[str, Any]) -> OptionsType:
        """The options of a run; those of one that is resumed come from its folder."""
        return resolve(self, given)

    def make(self, options: OptionsType, progress: Progress) -> ResultType:
        """Play what is missing, and keep the answer where a folder is named."""
        return answered(self, options, progress)

    def check(self, options: OptionsType) -> None:
        """Refuse what only the strategies can show, before a folder is touched and anything is played."""

    def run(self, options: OptionsType, run: Run) -> ResultType:
        """Play and measure."""
        raise NotImplementedError

    def brief(self, result: ResultType, *, full: bool = False) -> "Sequence[str | Table]":
        """What the terminal prints, lines and tables: the answer, or with `full` all of it."""
        raise NotImplementedError

    def page(self, result: ResultType, options: OptionsType) -> "Page | None":
        """The page of the answer."""
        raise NotImplementedError

    def closing(self, given: dict[str, Any]) -> Sequence[str]:
        """Where the page is."""
        page = None if given.get("out") is None else Path(given["out"]) / "index.html"
        return [f"\nThe page: {page}"] if page is not None and page.exists() else []

    def written(self, result: ResultType, options: OptionsType, folder: Path) -> None:
        """Write what the folder holds beside answer and page."""


def answer(
    analysis: Analysis[OptionsType, ResultType], given: dict[str, Any], progress: Progress | None = None
) -> ResultType:
    """Check what is asked, play what is missing, and keep the answer where a folder is named."""
    return answered(analysis, resolve(analysis, given), progress or Progress())


def answered(
    analysis: Analysis[OptionsType, ResultType], options: OptionsType, shown: Progress
) -> ResultType:
    """Play what is missing of a run whose options are known."""
    analysis.check(options)
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
    saved = RunDir(out).resumed_by(analysis.Options.command)
    return resumed(analysis.Options, given, saved.options, out)


def identity(options: RunOptions) -> dict[str, Any]:
    """What decides the games beside the options: rules and strategies by their digests.

    Where --resume adds strategies, each has games of its own, and one that was changed plays them again.
    """
    found: dict[str, Any] = {name: load(name).digest for name in options.named_strategies}
    for name, (flag, _) in options.flags().items():
        if flag.grows and flag.strategies:
            found = {one: digest for one, digest in found.items() if one not in getattr(options, name)}
    rules = getattr(options, "rules", None)
    laid = load_rules(rules)
    return {**found, "the rules": f"{laid.hash} {laid.version}", **options.inputs}


def loaded(entry: Entry) -> Command:
    """The analysis, or another command, of an entry."""
    found: Command = import_module(entry.module).COMMAND
    return found


def function_of(entry: Entry) -> Callable[..., Any]:
    """The Python function of a command."""
    from khora_sim.pages.progress import progress_shown

    return python_function(loaded(entry), entry.name, entry.summary, progress_shown)
