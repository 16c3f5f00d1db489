"""A number with its 95 % interval, and how it is written."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy.typing as npt

Array = npt.NDArray[Any]  # of numbers: float64, or integers where things are counted
LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A measured value, its interval and the number of observations; bounds at ±inf mean "unknown"."""

    value: float
    low: float
    high: float
    n: int

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def holds(self, value: float) -> bool:
        """Tell if the interval contains a value."""
        return self.low <= value <= self.high

    def data(self) -> dict[str, Any]:
        """The estimate for a script or a file; JSON has no infinity, so an unknown bound is None."""
        return {name: one if math.isfinite(one) else None for name, one in asdict(self).items()}


def format_estimate(
    estimate: Estimate,
    *,
    percent: bool = False,
    signed: bool = False,
    unit: str = "",
    with_n: bool = True,
    whole: bool = False,
) -> str:
    """Write an estimate with no more digits than its interval supports: "27.4 % ± 0.6, n 20,000".

    A lopsided interval is written with both ends: "0.4 % (0.1 to 1.6), n 500". Percentages, and what should
    be `whole`, are never rounded to tens: beside "+3 ± 8" and "+7 ± 9" a change of "0 ± 20" reads as wrong.
    """
    scale = 100 if percent else 1
    value, low, high = (scale * x for x in (estimate.value, estimate.low, estimate.high))
    unit = f" {'%' if percent else unit}" if percent or unit else ""
    tail = f", n {estimate.n:,}" if with_n else ""
    if math.isnan(value):
        return "unknown" + tail
    margin = (high - low) / 2
    # A share that could be anything from 0 to 1 is as unknown as one without bounds.
    if not math.isfinite(margin) or (percent and low <= 0 and high >= 100):
        return f"{_digits(value, 0, signed)}{unit} (too few games for an interval){tail}"
    if margin == 0:
        return f"{_minus(format(value, '+.4g' if signed and value else '.4g'))}{unit} exactly{tail}"
    places = max(decimals_of(margin), 0) if percent or whole else decimals_of(margin)
    shown = _digits(value, places, signed)
    if abs((high - value) - (value - low)) > 0.5 * margin:
        return f"{shown}{unit} ({_digits(low, places, signed)} to {_digits(high, places, signed)}){tail}"
    return f"{shown}{unit} ± {_digits(margin, places)}{tail}"


def decimals_of(margin: float) -> int:
    """Number of decimals that a margin supports: one digit of the margin, two when the first is a 1."""
    if not margin > 0 or not math.isfinite(margin):
        return 0
    power = math.floor(math.log10(margin))
    leading = math.floor(margin / 10**power + 1e-9)
    return -power + (1 if leading == 1 else 0)


def _digits(value: float, decimals: int, signed: bool = False) -> str:
    rounded = round(value, decimals) + 0.0  # adding zero turns -0.0 into 0.0
    return _minus(f"{rounded:{'+' if signed and rounded else ''},.{max(decimals, 0)}f}")


def _minus(text: str) -> str:
    return text.replace("-", "−")
