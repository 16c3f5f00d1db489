"""The page of a search for balance, and what is written into its folder.

index.html         the page, with figures/, tables/ (CSV and Parquet) and summary.md
answer.json        the answer, for scripts
proposal-2.toml    the proposal with two changed numbers, as a variant
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.analyses.answer_folder import OTHER_OUT, write_json
from khora_sim.analyses.balance_answer import NOT, Balance, Confirmed, Proposal
from khora_sim.analyses.sweep_answer import values_of
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.pages import balance_words as say
from khora_sim.pages import plots
from khora_sim.pages.page_model import Column, Figure, Page, Section, Table, counts, ordered, sentences, words
from khora_sim.pages.plots import FEW, INK, MARKERS, Move, moves, moves_height
from khora_sim.pages.publish import Written, write_page
from khora_sim.pages.wording import INTERVALS, SHOWN_UNKNOWN, estimate_of, in_points, percent, rows_of
from khora_sim.rules import variant_data
from khora_sim.rules.assignments import variant_of
from khora_sim.rules.describe import toml_text
from khora_sim.stats import Estimate, format_estimate

ANSWER = "answer.json"
SHOWN = 25  # single changes that the page shows; the files have all


def write(answer: Balance, out: Path, progress: Callable[[str], None] = lambda _: None) -> Written:
    """Write the page, its tables and figures, the answer and every proposal as a variant."""
    start = variant_data(answer.rules_file)
    with explain_write_errors(out, OTHER_OUT):
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / ANSWER, answer.data())
        for one in answer.proposals[1:]:
            made = variant_of([change.typed for change in one.changes], start)
            made |= {"name": Path(one.file).stem, "text": say.proposal_text(answer, one)}
            write_atomically(out / one.file, toml_text(made).encode())
    return write_page(page_of(answer, out), out, progress)


def page_of(answer: Balance, out: Path) -> Page:
    """The page: the verdict, the trade-off, every city, and what single changes do."""
    made_by = say.command(answer, str(out))
    return Page(
        kind="Balance",
        title=f"Towards {say.target(answer)}",
        facts=say.facts(answer),
        headline=say.headline(answer),
        detail=say.detail(answer),
        sections=[_trade_off(answer), _cities(answer), _singles(answer)],
        sure=[
            say.FRESH,
            say.searched(answer),
            "All games were played on the same luck, and changes are paired.",
        ],
        limits=[
            say.NOT_ADAPTED,
            "Only sets that the search came across were played: there may be better ones.",
        ],
        limits_title="For whom it holds",
        made_by=made_by,
        origin=[INTERVALS],
        commands=[made_by],
    )


def _points(title: str, found: Sequence[Estimate | None], *, signed: bool = False) -> Column:
    texts = [SHOWN_UNKNOWN if one is None else in_points(one, signed=signed) for one in found]
    return ordered(title, texts, [0.0 if one is None else one.value for one in found])


def _each(answer: Balance) -> list[tuple[Proposal, Confirmed]]:
    return [(one, found) for one in answer.proposals for found in one.confirmed]


def _trade_off(answer: Balance) -> Section:
    rows = _each(answer)
    frame = pl.DataFrame(
        [
            {
                "changes": len(one.changes),
                "steps": one.steps,
                "set": ", ".join(change.typed for change in one.changes),
                "players": ", ".join(found.strategies),
                "games": found.games,
                **{
                    f"{name}{end}": getattr(getattr(found, name), kind)
                    for name in ("spread", "spread_change", "distance", "distance_change")
                    for end, kind in (("", "value"), ("_low", "low"), ("_high", "high"))
                },
                "within": found.within,
            }
            for one, found in rows
        ]
    )
    spread_changes = [found.spread_change if one.changes else None for one, found in rows]
    distance_changes = [found.distance_change if one.changes else None for one, found in rows]
    columns = [
        counts("Changes", [len(one.changes) for one, _ in rows]),
        counts("Steps", [one.steps for one, _ in rows]),
        words("Players", [", ".join(found.strategies) for _, found in rows]),
        _points("Best − worst", [found.spread for _, found in rows]),
        _points("Change", spread_changes, signed=True),
        _points("Distance", [found.distance for _, found in rows]),
        _points("Its change", distance_changes, signed=True),
        ordered(
            "Near enough",
            [f"{found.within} of {len(found.cities)}" for _, found in rows],
            [found.within for _, found in rows],
        ),
        counts("Games", [found.games for _, found in rows]),
    ]
    table = Table("proposals", "Every proposal", frame, columns, f"In {say.POINTS}.", open=True)
    files = ", ".join(one.file for one in answer.proposals[1:])
    lead = f"{say.searched(answer)} Each proposal is a variant file: {files}."
    tables = [_changes(answer), table]
    return Section("trade-off", "What more changes bring", lead, [_front(answer)], tables)


def _changes(answer: Balance) -> Table:
    rows = [(len(one.changes), change) for one in answer.proposals for change in one.changes]
    frame = pl.DataFrame(
        [{"changes": size, **change._asdict()} for size, change in rows],
        schema={"changes": pl.Int64, "path": pl.String, "before": pl.Int64, "after": pl.Int64},
    )
    columns = [
        counts("Changes", frame["changes"].to_list()),
        sentences("Number", frame["path"].to_list()),
        counts("Before", frame["before"].to_list()),
        counts("After", frame["after"].to_list()),
    ]
    return Table("changes", "What each proposal changes", frame, columns, open=True)


def _front(answer: Balance) -> Figure:
    sizes = [len(one.changes) for one in answer.proposals]

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        series = []
        for place, line_up in enumerate(answer.base.confirmed):
            spreads = [one.confirmed[place].spread for one in answer.proposals]
            centre = [100 * one.value for one in spreads]
            reach = [
                [max(100 * (one.value - one.low), 0.0) for one in spreads],
                [max(100 * (one.high - one.value), 0.0) for one in spreads],
            ]
            axes.errorbar(sizes, centre, reach, fmt="none", ecolor=INK, elinewidth=1.0, capsize=2, zorder=4)
            series.append((", ".join(line_up.strategies), centre, FEW[place], MARKERS[place]))
        plots.lines(axes, sizes, series)
        axes.set_xticks(sizes)
        axes.set_xlabel("changed numbers")
        axes.set_ylim(bottom=0)
        axes.set_ylabel(f"best − worst city, {say.POINTS}")
        plots.as_plain(axes.yaxis)
        plots.legend_below(canvas, axes, 4)

    return Figure(
        "balance-front",
        "Spread between the best and the worst city",
        "Each proposal with the players that searched, and with players of another skill.",
        draw,
        3.3,
        f"n {answer.base.main.games:,} games of each proposal, on fresh luck; bars are 95 % intervals",
    )


def _cities(answer: Balance) -> Section:
    best, names = answer.best, answer.names
    before = {row["city"]: row["value"] for row in rows_of(answer.base.main.cities)}
    after = {row["city"]: row for row in rows_of(best.main.cities)}
    order = sorted(before, key=lambda city: -before[city])
    rows = [
        Move(names[city], before[city], after[city]["value"], city, after[city]["met"] != NOT)
        for city in order
    ]

    def draw(canvas: Canvas) -> None:
        moves(canvas, rows, 1 / answer.players)

    figure = Figure(
        "balance-cities",
        "Cities before → after",
        f"With {say.who(best.main)}, {say.changed(len(best.changes))}; hollow: before, filled: after. Bold: "
        "near enough to the target.",
        draw,
        moves_height(len(rows)),
        f"n {best.main.games:,} games of each side; 95 % intervals are in the table",
    )
    return Section(
        "cities",
        "Every city",
        f"The proposal: {say.changes_in_words(best)}.",
        [figure],
        [_city_table(answer)],
    )


def _city_table(answer: Balance) -> Table:
    frame = pl.concat(
        [
            found.cities.select(
                pl.lit(len(one.changes)).alias("changes"),
                pl.lit(", ".join(found.strategies)).alias("players"),
                pl.all(),
            )
            for one, found in _each(answer)
        ]
    )
    rows = rows_of(frame)
    shares = [format_estimate(estimate_of(row), percent=True, with_n=False) for row in rows]
    changes = [values_of(row, "change", row["n"]) if row["changes"] else None for row in rows]
    columns = [
        counts("Changes", [row["changes"] for row in rows]),
        words("Players", [row["players"] for row in rows]),
        words("City", [answer.names[row["city"]] for row in rows]),
        ordered("Win share", shares, [row["value"] for row in rows]),
        _points("Change", changes, signed=True),
        ordered("Wanted", [percent(row["wanted"]) for row in rows], [row["wanted"] for row in rows]),
        words("Near enough", [row["met"] for row in rows]),
        counts("n", [row["n"] for row in rows]),
    ]
    return Table("cities", "Every city in every proposal", frame, columns)


def _singles(answer: Balance) -> Section:
    shown = answer.effects.head(SHOWN).to_dicts()
    cities = [city for city in answer.names if city in answer.effects.columns]
    columns = [
        sentences("Number", [row["path"] for row in shown]),
        counts("Before", [row["before"] for row in shown]),
        counts("After", [row["after"] for row in shown]),
        ordered(
            "Distance", [f"{100 * row['distance']:.1f}" for row in shown], [row["distance"] for row in shown]
        ),
        *(
            ordered(
                answer.names[city],
                [f"{100 * row[city]:+.1f}".replace("-", "−") for row in shown],
                [row[city] for row in shown],
            )
            for city in cities
        ),
    ]
    note = (
        f"In {say.POINTS}, from {answer.screened:,} games each, which the search chose by: figures are "
        "rough, and the best of many look better than they are."
    )
    table = Table(
        "single-changes", "Single changes, the nearest to the target first", answer.effects, columns, note
    )
    return Section("singles", "What single changes do", say.searched(answer), tables=[table])
