"""The ladder for the terminal and for the page: ratings, who wins how much against whom, and a figure."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Page, Section, Table, counts, grid, ordered, words
from khora_sim.pages.wording import INTERVALS, capital
from khora_sim.stats import Estimate, decimals_of, format_estimate

if TYPE_CHECKING:
    from khora_sim.analyses.ladder import Ladder, LadderOptions
    from khora_sim.pages.plots import Canvas

SCALE = "The mean is 1,500; 400 points more are odds of 10 to 1 to finish ahead."
#: An interval whose shorter side is less than this part of the longer one is printed as a bound on one side.
ONE_WAY = 0.2
ITSELF = "·"  # a strategy against itself wins its share, and is not played
SMALL, LARGE, MANY = 7, 8, 9  # sizes of numbers, and strategies from which on they are small
LONGEST = 20  # letters of a name
CELL, HEAD = 0.3, 1.5  # inches of a row of cells, and of names above and words below


def brief(ladder: "Ladder") -> list[str | Table]:
    """What the terminal prints; columns have the numbers of the rows, so that many strategies fit a line."""
    numbers = [str(place) for place in range(1, len(ladder.rungs) + 1)]
    ratings = [
        (
            number,
            rung.strategy,
            format_estimate(rung.rating, with_n=False),
            f"{rung.rating.n:,}",
            "" if rung.tier is None else str(rung.tier),
        )
        for number, rung in zip(numbers, ladder.rungs, strict=True)
    ]
    shares = [
        (number, one, *(cell(ladder, one, other) for other in ladder.names))
        for number, one in zip(numbers, ladder.names, strict=True)
    ]
    return [
        f"{capital(', '.join(facts(ladder)))}.",
        "",
        grid(("", "Strategy", "Rating", "Seats", "Tier"), ratings, right=("", "Seats", "Tier")),
        SCALE,
        "",
        "Won by the row against the column, in %, with 95 % intervals; chance alone gives "
        f"{100 * ladder.null:.3g} %.",
        grid(("", "One", *numbers), shares, right=("", *numbers)),
        *([""] if ladder.sentences else []),
        *ladder.sentences,
    ]


def facts(ladder: "Ladder") -> list[str]:
    """What was played, in a few words each."""
    return [
        f"one strategy against {ladder.players - 1} of another",
        f"{ladder.players} players",
        "seats rotated",
        f"{_games(ladder)} games a pairing",
        f"seed {ladder.seed}",
        *([] if ladder.rules.name == "base" else [f"rules {ladder.rules.name}"]),
    ]


def _games(ladder: "Ladder") -> str:
    numbers = sorted({pairing.share.n for pairing in ladder.pairings})
    return f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"


def cell(ladder: "Ladder", one: str, other: str) -> str:
    """`68 ±4`; where nothing lies beyond the value, `0 +4` and `100 −4`."""
    share = ladder.shares.get((one, other))
    if share is None:
        return ITSELF
    value, low, high = (100 * number for number in (share.value, share.low, share.high))
    if value - low < ONE_WAY * (high - value):
        return f"{value:.0f} +{high - value:.0f}"
    if high - value < ONE_WAY * (value - low):
        return f"{value:.0f} −{value - low:.0f}"
    places = max(decimals_of(100 * share.margin), 0) if share.margin < 0.005 else 0
    return f"{value:.{places}f} ±{100 * share.margin:.{places}f}"


def page_of(ladder: "Ladder", options: "LadderOptions") -> Page:
    """The page: ratings, then who wins how much against whom."""
    made_by = options.typed(out=options.out)
    first = ladder.rungs[0]
    return Page(
        kind="Ladder",
        title="Strategies against each other",
        facts=facts(ladder),
        headline=f"{first.strategy} has the highest rating, {format_estimate(first.rating, with_n=False)}.",
        detail=SCALE,
        sure=ladder.sentences,
        sections=[
            Section(
                "ladder",
                "Ratings and win shares",
                "Every strategy played one against all others of every other one, in all seats.",
                [figure(ladder)],
                [_ratings(ladder), _shares(ladder)],
            )
        ],
        made_by=made_by,
        origin=[INTERVALS],
        commands=[made_by],
    )


def _ratings(ladder: "Ladder") -> Table:
    rungs = ladder.rungs
    columns = [
        words("Strategy", ladder.names),
        ordered(
            "Rating",
            [format_estimate(one.rating, with_n=False) for one in rungs],
            [one.rating.value for one in rungs],
        ),
        counts("Seats", [one.rating.n for one in rungs]),
        ordered(
            "Tier",
            ["" if one.tier is None else str(one.tier) for one in rungs],
            [one.tier or 0 for one in rungs],
        ),
    ]
    frame = pl.DataFrame(
        {
            "strategy": ladder.names,
            "rating": [one.rating.value for one in rungs],
            "low": [one.rating.low for one in rungs],
            "high": [one.rating.high for one in rungs],
            "n": [one.rating.n for one in rungs],
            "tier": [one.tier for one in rungs],
        }
    )
    return Table("ratings", "Ratings, strongest first", frame, columns, note=SCALE, open=True)


def _shares(ladder: "Ladder") -> Table:
    """What every strategy wins against every other one."""
    found = [(one.one, one.other, one.share) for one in ladder.pairings]
    rows = [[one, other, share.value, share.low, share.high, share.n] for one, other, share in found]
    return Table(
        "shares",
        "Win share of one strategy against all others of another",
        pl.DataFrame(rows, ["one", "other", "win_share", "low", "high", "n"], orient="row"),
        [
            words("One", [one for one, _, _ in found]),
            words("Others", [other for _, other, _ in found]),
            ordered(
                "Win share",
                [format_estimate(share, percent=True, with_n=False) for _, _, share in found],
                [share.value for _, _, share in found],
            ),
            counts("n", [share.n for _, _, share in found]),
        ],
    )


def figure(ladder: "Ladder") -> Figure:
    """The cross-table as a heat map, strongest first, over the ratings with their intervals."""
    names = ladder.names
    table, ratings = len(names) * CELL + HEAD, plots.dots_height(len(names))

    def draw(canvas: "Canvas") -> None:
        upper, lower = canvas.subplots(2, 1, height_ratios=[table, ratings])
        _draw_shares(upper, ladder)
        rows = [plots.Dot(_short(rung.strategy), *_ends(rung.rating)) for rung in ladder.rungs]
        plots.dots(lower, rows)
        plots.as_plain(lower.xaxis)
        canvas.supxlabel(_caption(ladder), x=0.012, ha="left", fontsize=7.5)

    return Figure(
        "ladder",
        f"Won by the row against {_table_of(ladder)} of the column, in %",
        "Blue rows win more than their share against the strategy above the column, orange ones less.",
        draw,
        height=table + ratings,
        counted=_caption(ladder),
    )


def _draw_shares(axes: object, ladder: "Ladder") -> None:
    names = ladder.names
    cells = [[ladder.shares.get((row, column)) for column in names] for row in names]
    values = np.array([[_strength(cell, ladder.null) for cell in row] for row in cells])
    texts = [[ITSELF if cell is None else f"{100 * cell.value:.0f}" for cell in row] for row in cells]
    size = LARGE if len(names) < MANY else SMALL
    short = [_short(name) for name in names]
    plots.heat(axes, values, texts, short, short, 0.0, least=1.0, size=size)


def _short(name: str) -> str:
    """A strategy in the margin of a figure: without its folder, and cut where it is long."""
    name = Path(name).name
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def _strength(share: Estimate | None, null: float) -> float:
    """How far a share lies from the null, as a part of how far it can."""
    if share is None:
        return float("nan")
    return (share.value - null) / (1 - null if share.value > null else null)


def _ends(rating: Estimate) -> tuple[float, float, float]:
    return rating.value, rating.low, rating.high


def _table_of(ladder: "Ladder") -> str:
    others = ladder.players - 1
    return {1: "one", 2: "two", 3: "three"}.get(others, str(others))


def _caption(ladder: "Ladder") -> str:
    """What the numbers mean and rest on, in lines that fit the width."""
    margins = sorted(round(100 * share.margin) for share in ladder.shares.values())
    n = min(share.n for share in ladder.shares.values())
    return (
        f"Shares: n {n:,} games each, 95 % intervals of ± {margins[0]} to ± {margins[-1]} points,\n"
        f"chance alone {100 * ladder.null:.3g} %. Ratings: 400 more are odds of 10 to 1 to finish ahead."
    )
