"""Ratings: cities, strategies and seats fitted together, so that no city has its player's skill to thank."""

from functools import lru_cache

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import counted, listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.plots import FEW
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.table import Table, amount, count, number, share, text
from khora_sim.pages.wording import Row, estimate_of, is_significant, percent, rests_on, rows_of
from khora_sim.stats import Rankings, Ratings, first_places, format_estimate, rate, read_rankings, tiers

KINDS = ("ratings",)
MOST_WRONG = 3  # rows of the misfit that are named
TITLES = {"city": "Cities", "strategy": "Strategies", "seat": "Seats"}


@lru_cache(maxsize=2)
def rankings(data: StudyData) -> Rankings:
    """The orders of finish of a study; a factor of one level has nothing to rate."""
    sizes = {"city": len(data.cities), "strategy": len(data.strategies), "seat": max(data.tables_of)}
    factors = [factor for factor, size in sizes.items() if size > 1]
    return read_rankings(data.wide, factors)


@lru_cache(maxsize=2)
def fitted(data: StudyData) -> Ratings:
    """The Plackett-Luce model of a study."""
    return rate(rankings(data))


@lru_cache(maxsize=2)
def misfit(data: StudyData) -> pl.DataFrame:
    """First places of every level: measured, fitted, and their difference."""
    return first_places(rankings(data), fitted(data))


def section(data: StudyData) -> Section:
    """Ratings of cities, strategies and seats."""
    ratings = fitted(data)
    table = with_names(data, ratings)
    unknown = table.filter(~pl.col("known"))
    notes = [
        "0 is the average of this study. In the model, a player who is 0.69 above another is twice as likely "
        "to finish ahead of them, whatever else sits at the table.",
        _misfit_in_words(data, table),
    ]
    if len(unknown):
        names = [row["name"] for row in rows_of(unknown)]
        notes.append(
            f"No rating can be given for {listed(names)}: they always won, always lost, or were never seen "
            "apart from something else."
        )
    title = "Ratings: city, player and seat taken apart"
    figures, tables = [_figure(ratings, table, data)], [_table(data, table)]
    return Section("ratings", title, _lead(data, table), figures, tables, notes)


def _misfit_in_words(data: StudyData, table: pl.DataFrame) -> str:
    """Say where the model is wrong about first places."""
    names = {(row["factor"], row["level"]): row["name"] for row in rows_of(table)}
    wrong = [row for row in rows_of(misfit(data)) if is_significant(row["p_holm"])]
    if not wrong:
        return "Measured first places are not distinguishable from those that the model expects."
    wrong.sort(key=lambda row: -abs(row["value"]))
    parts = [
        f"{names[row['factor'], row['level']]} {percent(row['measured'], 1)} measured, "
        f"{percent(row['fitted'], 1)} fitted"
        for row in wrong[:MOST_WRONG]
    ]
    rest = f", and {counted(len(wrong) - MOST_WRONG, 'more row')}" if len(wrong) > MOST_WRONG else ""
    return (
        "The model has one strength for all places, and here it is wrong about first places: "
        f"{'; '.join(parts)}{rest}. For how often a city wins, take its measured share and not its rating."
    )


def with_names(data: StudyData, ratings: Ratings) -> pl.DataFrame:
    """The ratings with names for people."""
    names = [
        data.city(level) if factor == "city" else f"Seat {level}" if factor == "seat" else level
        for factor, level in ratings.table.select("factor", "level").iter_rows()
    ]
    return ratings.table.with_columns(pl.Series("name", names), pl.lit(ratings.clusters).alias("units"))


def _lead(data: StudyData, table: pl.DataFrame) -> str:
    known = table.filter("known")
    parts = []
    for factor, word in (("city", "cities"), ("strategy", "strategies"), ("seat", "seats")):
        own = known.filter(factor=factor).sort("value", descending=True)
        if len(own) < 2:
            continue
        rows = rows_of(own)
        best, worst = rows[0], rows[-1]
        parts.append(f"{word} from {best['name']} ({_rating(best)}) to {worst['name']} ({_rating(worst)})")
    if not parts:
        return f"{counted(data.game_count, 'game')} are too few to rate anything."
    return f"Fitted together over all places from first to last: {'; '.join(parts)}."


def _rating(row: Row) -> str:
    return format_estimate(estimate_of(row), signed=True, with_n=False)


def _figure(ratings: Ratings, table: pl.DataFrame, data: StudyData) -> Figure:
    factors = list(dict.fromkeys(table["factor"].to_list()))
    rows = {factor: rows_of(table.filter(factor=factor).sort("value", descending=True)) for factor in factors}

    def dot(row: Row) -> plots.Dot:
        city = row["factor"] == "city"
        colour = data.colours[row["level"]] if city else FEW[0] if row["factor"] == "strategy" else FEW[1]
        marker = data.markers[row["level"]] if city else "o"
        value = row["value"] if row["known"] else float("nan")
        name = row["name"] if row["known"] else f"{row['name']} (unknown)"
        return plots.Dot(name, value, row["low"], row["high"], colour, marker)

    def draw(canvas: Canvas) -> None:
        sizes = [len(rows[factor]) + 0.6 for factor in factors]
        panels = canvas.subplots(len(factors), 1, squeeze=False, sharex=True, height_ratios=sizes)[:, 0]
        for axes, factor in zip(panels, factors, strict=True):
            plots.dots(axes, [dot(row) for row in rows[factor]], null=0.0)
            axes.set_title(TITLES[factor])
        plots.as_plain(panels[-1].xaxis)
        panels[-1].set_xlabel("rating (log-odds of finishing ahead)")

    return Figure(
        "ratings",
        "Plackett-Luce ratings",
        "The wider a panel spreads, the more that factor decides games; the tiers in the table say what "
        "differs significantly.",
        draw,
        height=plots.dots_height(sum(len(own) for own in rows.values()), len(factors)) - 0.1,
        counted=rests_on(ratings.games, "games", "95 % intervals by resampling rotation groups"),
    )


def _table(data: StudyData, table: pl.DataFrame) -> Table:
    keys = ["factor", "level"]
    firsts = misfit(data).select(*keys, pl.exclude(*keys, "n").name.prefix("first_"))
    frame = table.join(firsts, on=keys, how="left", maintain_order="left")
    tier_of: dict[tuple[str, str], int] = {}
    for factor, own in fitted(data).measured.items():
        if len(own.items) > 1:
            placed = tiers(own).table
            tier_of |= {(factor, item): tier for item, tier in placed.select("item", "tier").iter_rows()}
    columns = [
        text("Factor", "factor"),
        text("Level", "name"),
        count("Players", "n"),
        amount("Rating", signed=True),
        text("Tier", lambda row: tier_of.get((row["factor"], row["level"]))),
        number("First places, measured", "first_measured", lambda part: percent(part, 1)),
        number("fitted", "first_fitted", lambda part: percent(part, 1)),
        share("Measured minus fitted", ("first_value", "first_low", "first_high", "n"), signed=True),
    ]
    note = (
        "Measured minus fitted shows where the model is wrong; its interval knows that the strengths were "
        "fitted to the same games."
    )
    return Table.of("ratings", "Ratings in numbers", frame, columns, note=note)
