"""The Python API: what the commands do, as functions with the names and the meaning of their options.

This is the one place that knows how a study is played, opened and written up; the command line calls it too.
What a user can put right is a `UserError` of one line. Nothing is printed unless `progress` asks for it.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Unpack

from khora_sim.common import commands
from khora_sim.common.options import NamedOptions
from khora_sim.errors import UserError
from khora_sim.progress_display import (
    counting_display,
    display,
    learning_display,
    status,
    tuning_display,
    waiting_told,
)

if TYPE_CHECKING:
    from khora_sim.lab.arm import Arm
    from khora_sim.lab.crew import Crew
    from khora_sim.lab.forecast import Forecast
    from khora_sim.lab.run import Outcome
    from khora_sim.lab.study import OpenStudy
    from khora_sim.questions.check import Verdict
    from khora_sim.questions.grade import Grade
    from khora_sim.questions.habits import Habits
    from khora_sim.questions.ladder import Ladder
    from khora_sim.questions.panel import Panel
    from khora_sim.questions.shown_decision import ShownDecision
    from khora_sim.report.comparison import Comparison
    from khora_sim.report.publish import Written
    from khora_sim.rules import Rules
    from khora_sim.training.ask import Tuned
    from khora_sim.training.ask_learn import Learned

Folder = str | Path
Several = str | Sequence[str]
Function = TypeVar("Function", bound=Callable[..., Any])
WHO = {"strategies", "by_city"}  # what says who plays


class Asked(NamedOptions, total=False):
    """What a study can be asked for; None is as good as not given."""

    games: int | None
    players: int | str | Sequence[int] | None
    strategies: Several | None
    by_city: str | Mapping[str, str] | None
    seed: int | None
    rounds: bool | None
    lineup: str | None
    cities: Several | None
    rotate: str | None
    rules: "str | Path | Rules | None"
    first_player: int | str | None


class Prepared(NamedTuple):
    """A study before its first game: what is played, and who does the work."""

    arm: "Arm"
    crew: "Crew"


def _is_option(named: tuple[str, Any]) -> bool:
    return named[0] in NamedOptions.__annotations__


def _spelled_out(function: Function) -> Function:
    """Let the signature of a function name all that a study can be asked for, options of the game last."""
    signature = inspect.signature(function)
    *own, _ = signature.parameters.values()
    named = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, hint in sorted(Asked.__annotations__.items(), key=_is_option)
    ]
    function.__signature__ = signature.replace(parameters=[*own, *named])  # type: ignore[attr-defined]
    return function


@_spelled_out
def simulate(
    study_file: Folder | None = None,
    *,
    out: Folder,
    workers: int | None = None,
    backend: str = "auto",
    scheduler: str | None = None,
    resume: bool = False,
    progress: bool = False,
    **asked: Unpack[Asked],
) -> "OpenStudy":
    """Play a study into the folder `out` and open it, as `khora simulate` does: see docs/studies.md.

    `strategies` and `cities` are lists, or one string as on the command line; `rules` is the path of a
    variant, or what `load_rules` gave. `resume` goes on with the study in `out`. `progress` shows a bar on
    stderr. Stopping it (KeyboardInterrupt) loses no finished part.
    """
    with waiting_told(progress):
        prepared = prepare(study_file, asked, out if resume else None, workers, backend, scheduler)
        play(prepared, out, resume=resume, progress=progress)
    return open_study(out)


@_spelled_out
def forecast(
    study_file: Folder | None = None,
    *,
    workers: int | None = None,
    backend: str = "auto",
    **asked: Unpack[Asked],
) -> "Forecast":
    """About how long a study takes (`seconds`) and how big it is (`bytes`), as `khora simulate --dry-run`."""
    from khora_sim.lab.forecast import forecast as judged

    with waiting_told(False):
        return judged(*prepare(study_file, asked, None, workers, backend))


def prepare(
    study_file: Folder | None,
    asked: Asked,
    resumed: Folder | None = None,
    workers: int | None = None,
    backend: str = "auto",
    scheduler: str | None = None,
) -> Prepared:
    """A study as it is asked for, or that of a folder that is to be resumed, and its workers."""
    from khora_sim.lab.crew import crew_for

    arm = _arm(study_file, {key: value for key, value in asked.items() if value is not None}, resumed)
    return Prepared(arm, crew_for(arm, workers, backend, scheduler))


def _arm(study_file: Folder | None, asked: dict[str, Any], resumed: Folder | None) -> "Arm":
    from khora_sim.lab.plan import plan_study, settled_plan
    from khora_sim.lab.study_file import read_study, study_of
    from khora_sim.rules import Rules

    rules = asked.get("rules")
    if isinstance(rules, Rules):
        del asked["rules"]
    elif rules is not None:
        asked["rules"] = str(rules)
    if study_file is not None:
        study = read_study(study_file, **asked)
    elif resumed is not None and rules is None and _says_no_more(asked, resumed):
        return _arm_in(Path(resumed), asked)
    elif asked.keys() & WHO:
        study = study_of(asked)
    else:
        raise UserError(f"say who plays: --strategies NAME,… ({commands.listing_strategies()} shows them)")
    return settled_plan(study, rules) if isinstance(rules, Rules) else plan_study(study)


def _says_no_more(asked: dict[str, Any], folder: Folder) -> bool:
    """Whether a study is known by its folder alone, or by that and its strategies named again."""
    from khora_sim.lab.manifest import NAME

    return not asked or (asked.keys() <= WHO and (Path(folder) / NAME).exists())


def _arm_in(folder: Path, named: dict[str, Any]) -> "Arm":
    from khora_sim.lab.manifest_file import plan_of, read_manifest

    return plan_of(folder, read_manifest(folder), named, commands.resuming(folder))


def play(prepared: Prepared, out: Folder, *, resume: bool = False, progress: bool = False) -> "Outcome":
    """Play what a folder still lacks of a study."""
    from khora_sim.lab.run import run_study

    arm, crew = prepared
    with display(progress) as watch:
        return run_study(arm, out, crew, resume=resume, watch=watch)


def open_study(folder: Folder) -> "OpenStudy":
    """A study in a folder: lazy polars frames `games`, `players` and `rounds`, `win_shares`, the manifest."""
    from khora_sim.lab.study import open_study

    return open_study(folder)


def report(
    *folders: Folder, out: Folder | None = None, compare: bool = False, progress: bool = False
) -> "Written":
    """Write a study up as one page, or with `compare` two studies side by side, as `khora report` does.

    The page goes to `out`, or to `reports/` and the study's name.
    """
    from khora_sim.report.publish import write_comparison, write_report

    if len(folders) != (2 if compare else 1):
        two = f"--compare takes two studies: {commands.comparing('A', 'B')}"
        wanted = two if compare else f"a report takes one study: {commands.reporting('DIR')}"
        raise UserError(f"{len(folders)} folders were named; {wanted}")
    out = out or Path("reports") / "-against-".join(Path(folder).resolve().name for folder in folders)
    with status(progress) as show:
        if compare:
            return write_comparison(folders[0], folders[1], out, show)
        return write_report(folders[0], out, show)


def compare(first: Folder, second: Folder) -> "Comparison":
    """What changes from one study to another: sentences, and a table for each kind of change.

    Studies with the same seed and plan are compared game by game. `report(first, second, compare=True)` makes
    a page of it.
    """
    from khora_sim.report.publish import compare_studies

    return compare_studies(first, second)


def plot(folder: Folder, kind: str, *, out: Folder | None = None) -> Path:
    """Draw one figure of a study's report into a file, `KIND.svg` unless `out` says otherwise."""
    from khora_sim.report.publish import write_figure

    return write_figure(folder, kind, out or f"{kind}.svg")


def ladder(
    *strategies: str,
    players: int | None = None,
    games: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
    out: Folder | None = None,
    resume: bool = False,
    progress: bool = False,
) -> "Ladder":
    """Strategies against each other, one against all others of another: win shares, and ratings of all.

    Without names all built-in ones play but examples, with 4 players and 400 games a pairing. The folder
    `out` keeps every game and a figure; `resume` goes on there, and plays what is missing.
    """
    with waiting_told(progress):
        return play_ladder(strategies, players, games, seed, workers, out, resume=resume, progress=progress)


def play_ladder(
    strategies: Sequence[str],
    players: int | None,
    games: int | None,
    seed: int | None,
    workers: int | None,
    out: Folder | None,
    *,
    resume: bool = False,
    progress: bool = False,
) -> "Ladder":
    """Play what is missing of a ladder; where there is a folder, write the answer and its figure there."""
    from khora_sim.lab.crew import crew_for
    from khora_sim.questions.ladder import climb, design_of
    from khora_sim.questions.ladder_folder import plan_for, sink_in, write_answer
    from khora_sim.report.ladder_figure import write_figures

    folder = None if out is None else Path(out)
    asked = {"players": players, "games": games, "seed": seed}
    plan = plan_for(tuple(strategies), asked, folder, resume=resume)
    design = design_of(plan)
    sink = None if folder is None else sink_in(folder, plan, design)
    with display(progress) as watch:
        climbed = climb(plan, design, sink, crew_for(design, workers), watch)
    if folder is not None:
        write_answer(folder, climbed)
        write_figures(folder, climbed)
    return climbed


def habits(
    strategy: str,
    *,
    games: int = 2800,
    players: int = 4,
    seed: int = 3_000_000_000,
    workers: int | None = None,
    progress: bool = False,
) -> "Habits":
    """What a strategy does in each city, and what it never does, as `khora strategies habits` tells."""
    with waiting_told(progress):
        return play_habits(strategy, games, players, seed, workers, progress=progress)


def play_habits(
    strategy: str, games: int, players: int, seed: int, workers: int | None, *, progress: bool = False
) -> "Habits":
    """Let a strategy play itself, and tell what it does."""
    from khora_sim.lab.crew import crew_for
    from khora_sim.questions.habits import arm_of, habits

    arm = arm_of(strategy, players, games, seed)
    with display(progress) as watch:
        return habits(arm, crew_for(arm, workers), watch)


def grade(strategy: str, *, panel: Folder | None = None, progress: bool = False) -> "Grade":
    """What a strategy loses at the decisions of a panel, as `khora strategies grade` tells.

    `panel` is the file of another panel than the built-in one.
    """
    from khora_sim.questions.grade import grade
    from khora_sim.questions.panel_file import read_panel
    from khora_sim.strategy.loading import load

    found = read_panel(None if panel is None else Path(panel))
    with waiting_told(progress):
        player = load(strategy)
        with counting_display(progress, len(found.decisions), "decisions") as told:
            return grade(player, found, load_rules(), told)


def show_decision(strategy: str, decision: int, panel: Folder | None = None) -> "ShownDecision":
    """One decision of a panel in full, and what a strategy chooses there."""
    from khora_sim.questions.panel_file import read_panel
    from khora_sim.questions.shown_decision import show_decision
    from khora_sim.strategy.loading import load

    found = read_panel(None if panel is None else Path(panel))
    with waiting_told(False):
        return show_decision(load(strategy), found, load_rules(), decision)


def panel(
    *,
    out: Folder,
    decisions: int = 1000,
    worlds: int = 64,
    seed: int = 0,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> "Panel":
    """Make a panel of decisions and write it, as `khora strategies panel` does: see docs/players.md."""
    from khora_sim.engine.target import processors
    from khora_sim.lab.crew import Crew
    from khora_sim.questions.panel_file import read_panel
    from khora_sim.questions.panel_making import Making, make

    if workers is not None and workers < 1:
        raise UserError(f"--workers {workers}: should be 1 or more")
    with waiting_told(progress), counting_display(progress, decisions, "decisions") as told:
        making = Making(load_rules(), decisions, worlds, seed, Crew("threads", workers or processors()))
        make(making, Path(out), resume=resume, told=told)
    return read_panel(Path(out))


def learn(
    *,
    out: Folder,
    players: int | str | Sequence[int] = "4",
    rules: "str | Path | Rules | None" = None,
    start: Folder | None = None,
    budget: str = "25min",
    seed: int = 0,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> "Learned":
    """Learn the value of positions by self-play and write it, as `khora learn` does: see docs/players.md."""
    from khora_sim.engine.target import processors
    from khora_sim.rules import Rules
    from khora_sim.training.ask_learn import AskedOfLearning
    from khora_sim.training.ask_learn import learn as learned

    if workers is not None and workers < 1:
        raise UserError(f"--workers {workers}: should be 1 or more")
    asked = AskedOfLearning(players, start, budget, seed)
    laid = rules if isinstance(rules, Rules) else load_rules(rules)
    with waiting_told(progress), learning_display(progress) as watch:
        return learned(asked, laid, Path(out), workers or processors(), resume=resume, watch=watch)


def tune(
    *,
    out: Folder,
    start: Several = "steward",
    against: Several = "steward,expert",
    players: int | str | Sequence[int] = "4",
    cities: Several = "all",
    rules: "str | Path | Rules | None" = None,
    budget: str = "10min",
    games: int = 400,
    population: int = 20,
    seed: int = 0,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> "Tuned":
    """Tune weights of the evaluator and write them to a file, as `khora tune` does: see docs/players.md."""
    from khora_sim.engine.target import processors
    from khora_sim.rules import Rules
    from khora_sim.training.ask import Asked as AskedOfTuning
    from khora_sim.training.ask import tune as tuned

    if workers is not None and workers < 1:
        raise UserError(f"--workers {workers}: should be 1 or more")
    asked = AskedOfTuning(start, against, players, cities, budget, games, population, seed)
    of_file = None if rules is None or isinstance(rules, Rules) else str(rules)
    laid = rules if isinstance(rules, Rules) else load_rules(rules)
    with waiting_told(progress), tuning_display(progress) as watch:
        return tuned(asked, laid, of_file, Path(out), workers or processors(), resume=resume, watch=watch)


def check_strategy(strategy: str) -> "list[Verdict]":
    """Run the conformance suite on a strategy: what each line claims, and its `problem`, or None."""
    from khora_sim.questions.check import check_strategy

    with waiting_told(False):
        return list(check_strategy(strategy))


def load_rules(rules: Folder | None = None) -> "Rules":
    """The base game, or the base game with a variant file laid over it."""
    from khora_sim.rules import load_rules

    return load_rules(rules)
