"""Words for numbers: lists, shares and careful sentences."""

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from khora_sim.common.wording import listed
from khora_sim.stats import Estimate, decimals_of, format_estimate, shrunken

Row = dict[str, Any]  # of a table, by the names of its columns
SHOWN_UNKNOWN = "–"
POINTS, TOO_FEW = "percentage points", "too few games"
BARS, IN_BRACKETS = "bars are 95 % intervals", "in brackets: few games"  # of a figure
FEW_ROWS, FEW_GROUPS = 100, 20  # below these a number is shown faint
ALPHA = 0.05
NORMAL = 1.96  # standard errors from a value to the end of its interval
MOST_NAMES = 4  # strategies or cities that are named one by one in a headline

INTERVALS = (
    "All intervals are 95 % and come from the spread between rotation groups, whose games share their luck; "
    "no more digits are shown than they support."
)
NOT_ADAPTED = (
    "The players did not adapt. They reckon with the new costs and effects, but what they value was settled "
    "in the base game; players who learn the changed game may gain more from it or lose less."
)


def few(n: int | None, units: int | None = None) -> bool:
    """Tell if a number rests on few games."""
    return (n or 0) < FEW_ROWS or (units is not None and units < FEW_GROUPS)


def bracketed(text: str, row: Row) -> str:
    """The text of a cell, in brackets where it rests on few games."""
    return f"({text})" if few(row["n"], row["units"]) else text


def rests_on(count: int, what: str, *more: str) -> str:
    """The basis of a figure: `n 50,000 games; bars are 95 % intervals`."""
    return "; ".join([f"n {count:,} {what}", *more])


def shortened(names: Sequence[str], rest: str) -> str:
    """`a, b, c and 4 more strategies`."""
    if len(names) <= MOST_NAMES:
        return listed(names)
    return listed([*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} {rest}"])


def times(number: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {0: "never", 1: "once", 2: "twice"}.get(number, f"{number} times")


def estimate_of(row: Row, side: str = "value") -> Estimate:
    """The estimate of a table's row; of a comparison also that of its `first` and `second` side."""
    head = "" if side == "value" else f"{side}_"
    n = row[f"{head}n" if f"{head}n" in row else "n"]
    return Estimate(row[side], row[f"{head}low"], row[f"{head}high"], n)


def with_shrunken(table: pl.DataFrame, centre: float | None = None) -> pl.DataFrame:
    """A table of effects with a column `shrunken`: what is left of each if chance helped the largest ones."""
    numbers = table.select(pl.col("value", "low", "high").cast(pl.Float64).fill_null(math.nan))
    value, low, high = (column.to_numpy() for column in numbers)
    variance = ((high - low) / 2 / NORMAL) ** 2
    return table.with_columns(pl.Series("shrunken", shrunken(value, variance, centre)))


def effect(value: float | None, width: float, unit: str = "", as_percent: bool = False) -> str:
    """A shrunken effect, with the digits that the interval (of this width) of the measured one supports."""
    if value is None or not math.isfinite(value) or not math.isfinite(width):
        return SHOWN_UNKNOWN
    scale = 100 if as_percent else 1
    decimals = max(decimals_of(scale * width / 2), 0)
    rounded = round(scale * value, decimals) + 0.0
    text = f"{rounded:{'+' if rounded else ''}.{decimals}f}".replace("-", "\N{MINUS SIGN}")
    return f"{text}{' %' if as_percent else ''}{' ' * bool(unit)}{unit}"


def overstates(count: int) -> str:
    """Why the figure of the largest effect is not the measured one."""
    return f"figures are shrunken, since the largest of {count} measured effects tends to overstate the truth"


def rows_of(table: pl.DataFrame) -> list[Row]:
    """The rows of a table, names as plain text."""
    return table.with_columns(pl.col(pl.Enum).cast(pl.String)).to_dicts()


def largest(numbers: pl.Series) -> float:
    """The largest of some numbers; 0 where there are none."""
    return float(numbers.cast(pl.Float64).max() or 0.0)  # type: ignore[arg-type]


def share(estimate: Estimate, with_n: bool = False) -> str:
    """A share with its interval, in per cent."""
    return format_estimate(estimate, percent=True, with_n=with_n)


def points(estimate: Estimate, unit: str = "points") -> str:
    """A difference or mean with its interval and unit."""
    return format_estimate(estimate, unit=unit, with_n=False)


def percent(value: float, decimals: int | None = None) -> str:
    """A plain percentage with as few digits as it needs."""
    if decimals is None:
        decimals = 0 if abs(100 * value - round(100 * value)) < 0.05 else 1
    return f"{100 * value:.{decimals}f} %"


def bare_percent(value: float) -> str:
    """A share in whole per cent without the sign, for crowded cells."""
    return f"{100 * value:.0f}"


def about(value: float) -> str:
    """A share in whole per cent, for the flow of a sentence."""
    if 0 < value < 0.01:
        return "less than 1 %"
    return "more than 99 %" if 0.99 < value < 1 else percent(value, 0)


def chance(value: float) -> str:
    """A chance from resampling, which is never shown as certain."""
    return "more than 99 %" if value >= 0.995 else "less than 1 %" if value <= 0.005 else percent(value, 0)


def p_text(value: float) -> str:
    """A p-value as it is shown."""
    if value is None or math.isnan(value):
        return SHOWN_UNKNOWN
    return "< 0.001" if value < 0.001 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def is_significant(value: float) -> bool:
    """Tell if a finding is significant by its corrected p-value."""
    return value < ALPHA


def capital(sentence: str) -> str:
    """A sentence with its first letter in upper case."""
    return sentence[:1].upper() + sentence[1:]


def seated(strategies: tuple[str, ...], lineup: str) -> str:
    """The players at the table: what is said holds for them."""
    different = tuple(dict.fromkeys(strategies))
    if lineup == "same" or len(different) == 1:
        return f"{different[0]} in every seat"
    how = "at one table" if lineup == "seats" else "drawn for each table"
    return f"{shortened(strategies, 'more strategies')} {how}"


def in_points(estimate: Estimate, *, signed: bool = True) -> str:
    """A share or its change in percentage points."""
    scaled = Estimate(100 * estimate.value, 100 * estimate.low, 100 * estimate.high, estimate.n)
    return format_estimate(scaled, signed=signed, with_n=False, whole=True)


def in_percent(row: Row, side: str = "value") -> str:
    """The share of a row with its interval, in per cent; of a comparison that of a side."""
    return format_estimate(estimate_of(row, side), percent=True, with_n=False)


def points_cell(estimate: Estimate, *, signed: bool = True) -> str:
    """The same for a table; an interval as wide as all changes there could be tells nothing."""
    return in_points(estimate, signed=signed) if estimate.margin < 1 else TOO_FEW
