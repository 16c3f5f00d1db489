"""The answer of `balance` in sentences, tables and figures, for the terminal and for the page."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import polars as pl

from khora_sim.analyses.balance.proposals import NOT, Balance, Confirmed, Proposal
from khora_sim.analyses.balance.search import Change
from khora_sim.analyses.variants import values_of
from khora_sim.common.wording import counted, listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import (
    Figure,
    Page,
    Section,
    Table,
    counts,
    filled,
    grid,
    ordered,
    percentage_points,
    sentences,
    words,
)
from khora_sim.pages.plots import FEW, INK, MARKERS, Move, moves, moves_height
from khora_sim.pages.wording import (
    INTERVALS,
    NOT_ADAPTED,
    POINTS,
    estimate_of,
    in_points,
    percent,
    rows_of,
    seated,
    share,
)
from khora_sim.stats import format_estimate

if TYPE_CHECKING:
    from khora_sim.pages.plots import Canvas

SHOWN = 25  # single changes that the page shows; the files have all
FRESH = (
    "Proposals were searched on choosing seeds and confirmed on judging seeds, luck that had no part in "
    "finding them."
)


def who(found: Confirmed) -> str:
    """The players that it holds for."""
    return seated(found.strategies, found.lineup)


def changed(count: int) -> str:
    """`2 changed numbers`."""
    return counted(count, "changed number")


def change_in_words(change: Change) -> str:
    """A number with its value before and after."""
    return f"{change.path} {change.before} → {change.after}"


def changes_in_words(proposal: Proposal) -> str:
    """All changes of a proposal."""
    return listed([change_in_words(one) for one in proposal.changes]) or "the base game"


def headline(answer: Balance) -> str:
    """The effect of the best proposal, and for whom it holds."""
    best, players = answer.best, f"With {who(answer.base.main)}"
    if not best.changes:
        if best.reached:
            return f"{players}, the base game itself reaches {target(answer)}."
        return f"{players}, no change that was tried brings the cities nearer to {target(answer)}."
    every = len(answer.target.cities) == len(answer.names)
    what = "the spread between the best and the worst city" if every else "the distance from the target"
    before, after = (one.main.spread if every else one.main.distance for one in (answer.base, best))
    reach = "reach" if best.reached else "do not reach"
    if len(best.changes) == 1:
        reach = "reaches" if best.reached else "does not reach"
    bring = "brings" if len(best.changes) == 1 else "bring"
    first, last = (in_points(one, signed=False) for one in (before, after))
    return (
        f"{players}, {changed(len(best.changes))} {bring} {what} "
        f"from {first} to {last} {POINTS}, and {reach} {target(answer)}."
    )


def target(answer: Balance) -> str:
    """The target in words."""
    return answer.target.in_words(answer.names)


def detail(answer: Balance) -> str:
    """The changes of the best proposal, and what other players make of them."""
    best = answer.best
    if not best.changes:
        return confirmed_in_words(answer.base.main)
    return " ".join([f"{changes_in_words(best)}.", *(confirmed_in_words(one) for one in best.confirmed)])


def confirmed_in_words(found: Confirmed) -> str:
    """The effect of a proposal with some players."""
    return (
        f"With {who(found)} the spread is {in_points(found.spread, signed=False)} {POINTS} "
        f"({in_points(found.spread_change)}), a city's typical distance from the target "
        f"{in_points(found.distance, signed=False)} ({in_points(found.distance_change)}), and "
        f"{found.within} of {len(found.cities)} cities are near enough (n {found.games:,} games)."
    )


def searched(answer: Balance) -> str:
    """The way in which the proposals were found."""
    raced = sum(stage.variants for stage in answer.stages)
    return (
        f"{counted(len(answer.effects), 'single change')} of {counted(len(answer.numbers), 'number')} played "
        f"with {answer.screened:,} games each; {counted(raced, 'set')} of changes raced in "
        f"{counted(len(answer.stages), 'stage')}."
    )


def proposal_text(answer: Balance, proposal: Proposal) -> str:
    """The text of a proposal's variant file."""
    found = proposal.main
    spread = in_points(found.spread, signed=False)
    return (
        f"{changed(len(proposal.changes))}: best and worst city {spread} {POINTS} apart with {who(found)}, "
        f"{answer.players} players, {found.games:,} games"
    )


def facts(answer: Balance) -> list[str]:
    """The games and rules, in a few words each."""
    return [
        *(f"{one.games:,} games of each proposal with {who(one)}" for one in answer.base.confirmed),
        f"{answer.players} players",
        f"seed {answer.seed}",
        f"rules {answer.rules.short_hash}",
    ]


# The terminal.


def brief(answer: Balance) -> list[str | Table]:
    """The verdict, every proposal, and every city before and after the best one."""
    return [
        f"Towards {target(answer)}: {answer.players} players, seed {answer.seed}",
        f"  {searched(answer)}\n",
        headline(answer),
        *(f"  {change_in_words(change)}" for change in answer.best.changes),
        *(f"  {confirmed_in_words(found)}" for found in answer.best.confirmed),
        "",
        _proposals(answer),
        *(f"  {len(one.changes)}: {changes_in_words(one)}" for one in answer.proposals[1:]),
        "",
        _before_and_after(answer),
        f"\n{FRESH}\n{NOT_ADAPTED}",
    ]


def _proposals(answer: Balance) -> Table:
    """A row for each proposal and line-up."""
    rows = [
        (
            str(len(one.changes)),
            str(one.steps),
            ", ".join(found.strategies),
            in_points(found.spread, signed=False),
            in_points(found.spread_change) if one.changes else "",
            in_points(found.distance, signed=False),
            f"{found.within} of {len(found.cities)}",
            f"{found.games:,}",
        )
        for one, found in _each(answer)
    ]
    columns = ("Changes", "Steps", "Players", "Best − worst", "Change", "Distance", "Near enough", "n games")
    return grid(columns, rows, right=[one for one in columns if one != "Players"])


def _before_and_after(answer: Balance) -> Table:
    """Every city before and after the best proposal."""
    best = answer.best
    before = {row["city"]: row for row in answer.base.main.cities.to_dicts()}
    rows = [
        (
            answer.names[row["city"]],
            share(estimate_of(before[row["city"]])),
            share(estimate_of(row)),
            in_points(values_of(row, "change", row["n"])) if best.changes else "",
            percent(row["wanted"]),
            row["met"],
            f"{row['n']:,}",
        )
        for row in best.main.cities.sort("value", descending=True).to_dicts()
    ]
    columns = ("City", "Before", "After", "Change", "Wanted", "Near enough", "n")
    return grid(columns, rows, right=[one for one in columns if one not in ("City", "Near enough")])


# The page.


def page_of(answer: Balance, made_by: str) -> Page:
    """The page: the verdict, the trade-off, every city, and what single changes do."""
    return Page(
        kind="Balance",
        title=f"Towards {target(answer)}",
        facts=facts(answer),
        headline=headline(answer),
        detail=detail(answer),
        sections=[_trade_off(answer), _cities(answer), _singles(answer)],
        sure=[
            FRESH,
            searched(answer),
            "All games were played on the same luck, and changes are paired.",
        ],
        limits=[
            NOT_ADAPTED,
            "Only sets that the search came across were played: there may be better ones.",
        ],
        limits_title="For whom it holds",
        made_by=made_by,
        origin=[INTERVALS],
        commands=[made_by],
    )


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
        percentage_points("Best − worst", [found.spread for _, found in rows]),
        percentage_points("Change", spread_changes, signed=True),
        percentage_points("Distance", [found.distance for _, found in rows]),
        percentage_points("Its change", distance_changes, signed=True),
        ordered(
            "Near enough",
            [f"{found.within} of {len(found.cities)}" for _, found in rows],
            [found.within for _, found in rows],
        ),
        counts("Games", [found.games for _, found in rows]),
    ]
    table = filled("proposals", "Every proposal", frame, columns, f"In {POINTS}.", open=True)
    files = ", ".join(one.file for one in answer.proposals if one.file is not None)
    lead = f"{searched(answer)} Each proposal is a variant file: {files}."
    tables = [_changes(answer), table]
    return Section("trade-off", "What more changes bring", lead, [_front(answer)], tables)


def _changes(answer: Balance) -> Table:
    rows = [(len(one.changes), change) for one in answer.proposals for change in one.changes]
    frame = pl.DataFrame(
        [{"changes": size, **asdict(change)} for size, change in rows],
        schema={"changes": pl.Int64, "path": pl.String, "before": pl.Int64, "after": pl.Int64},
    )
    columns = [
        counts("Changes", frame["changes"].to_list()),
        sentences("Number", frame["path"].to_list()),
        counts("Before", frame["before"].to_list()),
        counts("After", frame["after"].to_list()),
    ]
    return filled("changes", "What each proposal changes", frame, columns, open=True)


def _front(answer: Balance) -> Figure:
    sizes = [len(one.changes) for one in answer.proposals]

    def draw(canvas: "Canvas") -> None:
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
        axes.set_ylabel(f"best − worst city, {POINTS}")
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

    def draw(canvas: "Canvas") -> None:
        moves(canvas, rows, 1 / answer.players)

    figure = Figure(
        "balance-cities",
        "Cities before → after",
        f"With {who(best.main)}, {changed(len(best.changes))}; hollow: before, filled: after. Bold: "
        "near enough to the target.",
        draw,
        moves_height(len(rows)),
        f"n {best.main.games:,} games of each side; 95 % intervals are in the table",
    )
    return Section(
        "cities",
        "Every city",
        f"The proposal: {changes_in_words(best)}.",
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
        percentage_points("Change", changes, signed=True),
        ordered("Wanted", [percent(row["wanted"]) for row in rows], [row["wanted"] for row in rows]),
        words("Near enough", [row["met"] for row in rows]),
        counts("n", [row["n"] for row in rows]),
    ]
    return filled("cities", "Every city in every proposal", frame, columns)


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
        f"In {POINTS}, from {answer.screened:,} games each, which the search chose by: figures are "
        "rough, and the best of many look better than they are."
    )
    table = filled(
        "single-changes", "Single changes, the nearest to the target first", answer.effects, columns, note
    )
    return Section("singles", "What single changes do", searched(answer), tables=[table])
