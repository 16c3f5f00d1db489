"""`khora report`: the page of a study or of two, with its commands and the way to make it again."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Self

import polars as pl
from pydantic import Field, model_validator

from khora_sim.common.command_options import Command, Flag, Options, Texts
from khora_sim.common.commands import checking_data, comparing, plotting, reporting
from khora_sim.common.progress import Progress as Reporter
from khora_sim.common.wording import counted, listed
from khora_sim.errors import UserError, printable
from khora_sim.pages.page_model import Page, Section
from khora_sim.pages.publish import Progress, Written, put, render, write_page
from khora_sim.pages.sections import MAKERS, check_kind, figure_of
from khora_sim.pages.study_comparison import StudyComparison, compare
from khora_sim.pages.study_data import StudyData, load, who_played
from khora_sim.pages.verdict import stronger, verdict
from khora_sim.pages.wording import FEW_GROUPS, INTERVALS, percent
from khora_sim.simulation.manifest import simulating
from khora_sim.simulation.simulate import lineup_in_words

PICTURES = (".svg", ".png")


def study_page(data: StudyData, out: str, progress: Progress) -> Page:
    """The report of one study."""
    progress("weighing the cities")
    found = verdict(data)
    sections = []
    for maker in MAKERS:
        progress(f"working out {maker.kinds[0]}")
        sections.append(_cautious(data, maker.make(data)))
    made_by = reporting(data.folder, out)
    return Page(
        kind="Balance report",
        title=title(data),
        facts=facts(data),
        ladder_note=_ladder_note(data),
        limits_title="What this study does not show",
        **vars(found),
        sections=sections,
        plot=partial(plotting, data.folder),
        made_by=made_by,
        origin=[*origin(data), INTERVALS],
        commands=[simulate_command(data), made_by],
    )


def _cautious(data: StudyData, section: Section) -> Section:
    """A section that says so where it rests on few games."""
    if data.group_count >= FEW_GROUPS or not section.figures:
        return section
    games = counted(data.game_count, "game")
    caution = f"Few games: this is what happened in {games}, not what to expect."
    return replace(section, notes=[caution, *section.notes])


def compare_page(first: StudyData, second: StudyData, out: str, progress: Progress) -> Page:
    """The comparison of two studies."""
    progress("comparing the studies")
    found = compare(first, second)
    made_by = comparing(first.folder, second.folder, out)
    return Page(
        kind="Comparison of two studies",
        title=f"{first.folder} against {second.folder}",
        facts=[
            f"A: {first.folder}, {first.game_count:,} games",
            f"B: {second.folder}, {second.game_count:,} games",
        ],
        headline=found.headline,
        detail=found.detail,
        sure=[*found.sure, *_stronger(first, second)],
        limits=found.differences,
        limits_title="What is different between the studies",
        sections=found.sections,
        made_by=made_by,
        origin=[*origin(first), *origin(second), INTERVALS],
        commands=[simulate_command(first), simulate_command(second), made_by],
    )


def _stronger(first: StudyData, second: StudyData) -> list[str]:
    """The caveats on the first study; where there are none, those on the second."""
    return stronger(first) or stronger(second)


def title(data: StudyData) -> str:
    """The subject of a study, in a line."""
    sizes, rules = listed([str(players) for players in data.tables_of]), data.manifest.rules.name
    under = "" if rules == "base" else f" under {rules}"
    return f"Khôra cities at {sizes} players{under}, with {who_played(data)}"


def facts(data: StudyData) -> list[str]:
    """The games that were played, in a few words each."""
    plan, rules = data.manifest.plan, data.manifest.rules
    tables = [f"{games:,} at {players}" for players, games in data.tables_of.items()]
    split = f" ({listed(tables)} players)" if len(tables) > 1 else f" of {next(iter(data.tables_of))} players"
    return [
        f"{counted(data.game_count, 'game')}{split}",
        lineup_in_words(plan),
        f"rules {rules.name} {rules.hash[:12]}",
        f"seed {plan.seed}",
        f"khora {data.manifest.versions.khora}",
    ]


def origin(data: StudyData) -> list[str]:
    """The origin of the games."""
    rules, groups = data.manifest.rules, counted(data.group_count, "rotation group")
    sentences = [f"{data.folder}: {data.game_count:,} games in {groups}: {data.manifest.rotation}."]
    if rules.version_note:
        sentences.append(f"{data.folder}: {rules.version_note}")
    if rules.name != "base" and not rules.file:
        sentences.append(
            f"FILE in its command: the study does not say in which file its rules {rules.name} were."
        )
    return sentences


def _ladder_note(data: StudyData) -> str:
    who = f"with {who_played(data)}"
    if data.only_players:
        fair = percent(data.fair)
        return f"Win share {who} and its 95 % interval; the dashed line is the fair share, {fair}."
    return f"Wins {who} against the fair share (dashed line, 1), 95 % intervals, over tables of all sizes."


def simulate_command(data: StudyData) -> str:
    """The command that plays the study again."""
    return simulating(data.manifest.plan, data.manifest.rules, data.folder)


def write_report(folder: str | Path, out: str | Path, progress: Progress = lambda _: None) -> Written:
    """Report on a study."""
    _check_folder(Path(out))
    with _readable(folder):
        data = load(folder)
        page, caveats = study_page(data, str(out), progress), stronger(data)
    return write_page(page, Path(out), progress)._replace(caveats=caveats)


def write_comparison(
    first: str | Path, second: str | Path, out: str | Path, progress: Progress = lambda _: None
) -> Written:
    """Compare two studies."""
    _check_folder(Path(out))
    with _readable(first, second):
        one, two = load(first), load(second)
        page, caveats = compare_page(one, two, str(out), progress), _stronger(one, two)
    return write_page(page, Path(out), progress)._replace(caveats=caveats)


def compare_studies(first: str | Path, second: str | Path) -> StudyComparison:
    """The changes from one study to another, without a page."""
    with _readable(first, second):
        return compare(load(first), load(second))


def write_figure(folder: str | Path, kind: str, out: str | Path) -> Path:
    """Draw one figure into a file, SVG or PNG by its ending."""
    path = Path(out)
    if path.suffix not in PICTURES:
        raise UserError(f"{out}: a figure is written as .svg or .png; try {path.with_suffix('.svg')}")
    check_kind(kind)
    with _readable(folder):
        figure = figure_of(load(folder), kind)
    picture = render(figure, png=path.suffix == ".png")
    put(path, picture.png if path.suffix == ".png" else picture.svg.encode())
    return path


@contextmanager
def _readable(*folders: str | Path) -> Iterator[None]:
    """Tell in one line when files of a study cannot be read."""
    try:
        yield
    except (pl.exceptions.ComputeError, OSError) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        tries = listed([checking_data(folder) for folder in folders])
        raise UserError(f"the study cannot be read: {reason}; try: {tries}") from None


def _check_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: is a file; --out should name a folder")
    if (out / "manifest.json").exists():
        raise UserError(
            f"{out}: holds a study; write the report into another folder, such as reports/{out.name}"
        )


class ReportOptions(Options):
    """With `--compare`, the page compares two studies: what changes from the first to the second."""

    command = "report"

    folders: Annotated[
        Texts,
        Flag("A study; with --compare, two of them.", metavar="DIR", argument=True),
        Field(min_length=1, description="a study; with --compare, two of them"),
    ]
    out: Annotated[
        Path | None, Flag("A folder for the report.", metavar="DIR", default="reports/ and the study's name")
    ] = None
    compare: Annotated[bool, Flag("Compare two studies.")] = False

    @model_validator(mode="after")
    def _as_many_as_needed(self) -> Self:
        if len(self.folders) != (2 if self.compare else 1):
            two = f"--compare takes two studies: {comparing('A', 'B')}"
            wanted = two if self.compare else f"a report takes one study: {reporting('DIR')}"
            raise ValueError(f"{len(self.folders)} folders were named; {wanted}")
        return self


class Report(Command):
    """Writes studies up."""

    Options = ReportOptions

    def make(self, options: ReportOptions, progress: Reporter) -> Written:
        """Write the page."""
        names = [Path(folder).resolve().name for folder in options.folders]
        out = options.out or Path("reports") / "-against-".join(names)
        if options.compare:
            return write_comparison(options.folders[0], options.folders[1], out, progress.step)
        return write_report(options.folders[0], out, progress.step)

    def brief(self, result: Written, *, full: bool = False) -> list[str]:
        """The verdict, and where the page is."""
        return [
            printable(result.headline),
            printable(result.detail),
            *map(printable, result.caveats),
            f"Report: {result.page}",
            f"Summary, figures and tables are beside it in {result.page.parent}",
        ]

    def data(self, result: Written) -> dict[str, Any]:
        """The same for a script."""
        return {
            "page": str(result.page),
            "headline": result.headline,
            "detail": result.detail,
            "caveats": list(result.caveats),
            "summary": str(result.summary),
            "figures": str(result.figures),
            "tables": str(result.tables),
        }


COMMAND = Report()
