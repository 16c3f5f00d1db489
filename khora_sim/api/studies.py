"""Studies: played, forecast, opened, written up and compared.

This is the one place that knows how a study is played, opened and written up; the command line calls it too.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Unpack

from khora_sim.common import commands
from khora_sim.common.options import NamedOptions
from khora_sim.errors import UserError
from khora_sim.progress_display import (
    announcing_waits,
    display,
    status,
)

if TYPE_CHECKING:
    from khora_sim.pages.comparison import Comparison
    from khora_sim.pages.publish import Written
    from khora_sim.rules import Rules
    from khora_sim.simulation.backend import Crew
    from khora_sim.simulation.experiment import Arm
    from khora_sim.simulation.run import Forecast, Outcome
    from khora_sim.simulation.study import OpenStudy

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


def as_tuple(given: Several | None) -> tuple[str, ...]:
    """One thing that was typed, or several, each with commas of its own."""
    return (given,) if isinstance(given, str) else tuple(given or ())


def _is_option(named: tuple[str, Any]) -> bool:
    return named[0] in NamedOptions.__annotations__


def spelled_out(asked: type) -> Callable[[Function], Function]:
    """Let the signature of a function name all that can be asked for, options of the game last."""

    def with_names(function: Function) -> Function:
        signature = inspect.signature(function)
        *own, _ = signature.parameters.values()
        named = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)
            for name, hint in sorted(asked.__annotations__.items(), key=_is_option)
        ]
        function.__signature__ = signature.replace(parameters=[*own, *named])  # type: ignore[attr-defined]
        return function

    return with_names


@spelled_out(Asked)
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
    with announcing_waits(progress):
        prepared = prepare(study_file, asked, out if resume else None, workers, backend, scheduler)
        play(prepared, out, resume=resume, progress=progress)
    return open_study(out)


@spelled_out(Asked)
def forecast(
    study_file: Folder | None = None,
    *,
    workers: int | None = None,
    backend: str = "auto",
    **asked: Unpack[Asked],
) -> "Forecast":
    """About how long a study takes (`seconds`) and how big it is (`bytes`), as `khora simulate --dry-run`."""
    from khora_sim.simulation.run import forecast as judged

    with announcing_waits(False):
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
    from khora_sim.simulation.backend import crew_for

    arm = _arm(study_file, {key: value for key, value in asked.items() if value is not None}, resumed)
    return Prepared(arm, crew_for(arm, workers, backend, scheduler))


def _arm(study_file: Folder | None, asked: dict[str, Any], resumed: Folder | None) -> "Arm":
    from khora_sim.rules import Rules
    from khora_sim.simulation.experiment import plan_study, settled_plan
    from khora_sim.simulation.study_file import read_study, study_of

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
    from khora_sim.simulation.manifest import NAME

    return not asked or (asked.keys() <= WHO and (Path(folder) / NAME).exists())


def _arm_in(folder: Path, named: dict[str, Any]) -> "Arm":
    from khora_sim.simulation.manifest import plan_of, read_manifest

    return plan_of(folder, read_manifest(folder), named, commands.resuming(folder))


def play(prepared: Prepared, out: Folder, *, resume: bool = False, progress: bool = False) -> "Outcome":
    """Play what a folder still lacks of a study."""
    from khora_sim.simulation.run import run_study

    arm, crew = prepared
    with display(progress) as shown:
        return run_study(arm, out, crew, resume=resume, progress=shown)


def open_study(folder: Folder) -> "OpenStudy":
    """A study in a folder: lazy polars frames `games`, `players` and `rounds`, `win_shares`, the manifest."""
    from khora_sim.simulation.study import open_study

    return open_study(folder)


def report(
    *folders: Folder, out: Folder | None = None, compare: bool = False, progress: bool = False
) -> "Written":
    """Write a study up as one page, or with `compare` two studies side by side, as `khora report` does.

    The page goes to `out`, or to `reports/` and the study's name.
    """
    from khora_sim.pages.study_report import write_comparison, write_report

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
    from khora_sim.pages.study_report import compare_studies

    return compare_studies(first, second)


def plot(folder: Folder, kind: str, *, out: Folder | None = None) -> Path:
    """Draw one figure of a study's report into a file, `KIND.svg` unless `out` says otherwise."""
    from khora_sim.pages.study_report import write_figure

    return write_figure(folder, kind, out or f"{kind}.svg")


def load_rules(rules: Folder | None = None) -> "Rules":
    """The base game, or the base game with a variant file laid over it."""
    from khora_sim.rules import load_rules

    return load_rules(rules)
