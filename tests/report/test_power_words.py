"""What too few games do not tell is said in words, never as an interval of hundreds of points."""

import pytest

from khora_sim.report.power_words import _known
from khora_sim.report.what_if_words import points_cell
from khora_sim.stats import Estimate


@pytest.mark.parametrize(
    ("estimate", "shown"),
    [
        (Estimate(0.04, -0.19, 0.27, 160), "+4 ± 23"),
        (Estimate(0.004, -4.1, 4.1, 7), "too few games"),
        (Estimate(0.004, -float("inf"), float("inf"), 1), "too few games"),
    ],
)
def test_an_interval_as_wide_as_all_there_could_be_is_not_shown(estimate: Estimate, shown: str):
    assert points_cell(estimate) == shown


def test_how_well_things_are_known_names_no_infinite_precision():
    assert _known(1.1, 3.1).endswith("over all cities, and to ± 3.1 with a city")
    assert _known(13, float("inf")).endswith("over all cities, and with a city not all are known")
    assert _known(410, float("inf")) == "too few games for some of them"
