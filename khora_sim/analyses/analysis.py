"""The one shape of all analyses: options, a run that plays and measures, an answer, and its page.

An analysis is a module or folder with a `COMMAND`, one line in `REGISTRY`, a test and a page of docs. The
command, the Python function, the saved plan, the run folder and the answer file follow from it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import AfterValidator, Field

from khora_sim.analyses import Entry
from khora_sim.common.command_options import (
    USUAL_STRATEGY,
    Command,
    Count,
    Flag,
    Names,
    Sizes,
    python_function,
)
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import CHOOSING, JUDGING, seed_in
from khora_sim.errors import UserError
from khora_sim.pages.page_model import Page
from khora_sim.pages.table import Table
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
    Sizes, AfterValidator(_tables), Flag("Players at the table: 2, 3, 4, or several: 4,3.", metavar="SIZES")
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
    """Options that every analysis has; each adds its own."""

    usual_games: ClassVar[int]  # where neither games nor a precision are given

    strategies: Strategies = (USUAL_STRATEGY,)
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
        """The seed of the games that are evaluated."""
        return seed_in(JUDGING, self.seed)

    @property
    def choosing_seed(self) -> int:
        """The seed of games that only choose what is evaluated later."""
        return seed_in(CHOOSING, self.seed)


ResultType = TypeVar("ResultType", bound="Result")


@dataclass(frozen=True)
class Run:
    """Workers, a folder that keeps what is finished, and progress: all that an analysis plays with."""

    options: RunOptions
    dir: RunDir | None = None
    progress: Progress = field(default_factory=Progress)

    def backend(self, played: Arm | Design | None = None) -> Backend:
        """The workers; without anything played it is training, whose strategies are compiled."""
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

    Options: type[OptionsType]
    own: ClassVar[Sequence[str]] = ()  # folders and files of its own in the run folder

    def resolve(self, given: dict[str, Any]) -> OptionsType:
        """The options of a run; those of one that is resumed come from its folder."""
        if not given.get("resume"):
            return self.Options.of(given)
        if given.get("out") is None:
            raise UserError("--resume continues a run in its folder; name it with --out")
        out = Path(given["out"])
        saved = RunDir(out).resumed_by(self.Options.command)
        return resumed(self.Options, given, saved.options, out)

    def make(self, options: OptionsType, progress: Progress) -> ResultType:
        """Play what is missing, and keep the answer where a folder is named."""
        self.check(options)
        if options.out is None:
            return self.run(options, Run(options, None, progress))
        folder = RunDir(options.out, self.own)
        plan = SavedPlan(command=self.Options.command, options=options.plan(), identity=identity(options))
        with folder.opened(plan, resume=options.resume, replace=options.replace):
            result = self.run(options, Run(options, folder, progress))
            page = self.page(result, options)
            if page is not None:
                from khora_sim.pages.publish import write_page

                made_by = options.typed(out=options.out)
                write_page(replace(page, made_by=made_by), folder.path, progress.step)
            self.written(result, options, folder.path)
            folder.write_answer(result.data())
        return result

    def check(self, options: OptionsType) -> None:
        """Refuse what only the strategies can show, before a folder is touched and anything is played."""

    def run(self, options: OptionsType, run: Run) -> ResultType:
        """Play and measure."""
        raise NotImplementedError

    def brief(self, result: ResultType, *, full: bool = False) -> Sequence[str | Table]:
        """Lines and tables for the terminal: the answer, or with `full` all of it."""
        raise NotImplementedError

    def page(self, result: ResultType, options: OptionsType) -> Page | None:
        """The page of the answer; an analysis without one prints only."""
        return None

    def closing(self, given: dict[str, Any]) -> Sequence[str]:
        """A line that names the page."""
        page = None if given.get("out") is None else Path(given["out"]) / "index.html"
        return [f"\nThe page: {page}"] if page is not None and page.exists() else []

    def written(self, result: ResultType, options: OptionsType, folder: Path) -> None:
        """Write what the folder holds beside answer and page."""


def identity(options: RunOptions) -> dict[str, Any]:
    """Digests of the rules and strategies, which decide the games beside the options.

    Where --resume adds strategies, each has games of its own, and one that was changed plays them again.
    """
    found: dict[str, Any] = {name: load(name).digest for name in options.named_strategies}
    for name, (flag, _) in options.flags().items():
        if flag.grows and flag.strategies:
            found = {one: digest for one, digest in found.items() if one not in getattr(options, name)}
    rules = load_rules(getattr(options, "rules", None))
    return {**found, "the rules": f"{rules.hash} {rules.version}", **options.inputs}


def loaded(entry: Entry) -> Command:
    """The analysis, or another command, of an entry."""
    found: Command = import_module(entry.module).COMMAND
    return found


def function_of(entry: Entry) -> Callable[..., Any]:
    """The Python function of a command."""
    from khora_sim.pages.progress import progress_shown

    return python_function(loaded(entry), entry.name, entry.summary, progress_shown)
