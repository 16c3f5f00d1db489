"""The labels of things, by their rules."""

import pytest

from khora_sim.analyses.power.worth import event_label, label_of, overall_label
from khora_sim.stats import Estimate

FAIR_SHARE = 0.25


def worth(value: float, margin: float) -> Estimate:
    return Estimate(value, value - margin, value + margin, 1000)


@pytest.mark.parametrize(
    ("value", "margin", "p", "card", "other"),
    [
        (0.05, 0.01, 0.001, "must-have", "must-have"),
        (0.049, 0.01, 0.001, "strong", "strong"),
        (0.0125, 0.005, 0.049, "strong", "strong"),
        (0.0125, 0.005, 0.05, "open", "open"),
        (0.012, 0.005, 0.001, "fair", "fair"),
        (0.004, 0.008, 0.9, "fair", "fair"),
        (0.004, 0.009, 0.9, "open", "open"),
        (0.001, 0.004, 0.9, "fair", "dead"),
        (-0.0125, 0.005, 0.001, "weak", "weak"),
        (-0.05, 0.01, 0.001, "dead", "weak"),
        (-0.05, 0.06, 0.2, "open", "open"),
    ],
)
def test_a_label_goes_by_the_win_share_and_whether_it_is_significant(value, margin, p, card, other):
    assert label_of(worth(value, margin), p, FAIR_SHARE, card=True) == card
    assert label_of(worth(value, margin), p, FAIR_SHARE, card=False) == other


def test_a_thing_that_only_some_cities_want_is_called_so():
    cities = [("Athens", "fair"), ("Miletus", "must-have"), ("Sparta", "open"), ("Argos", "strong")]
    assert overall_label("weak", cities[:3]) == "only with Miletus"
    assert overall_label("fair", cities) == "only with Miletus and Argos"
    assert overall_label("strong", cities) == "strong"
    assert overall_label("fair", [*cities, ("Thebes", "strong")]) == "fair"
    assert overall_label("open", [("Athens", "weak")]) == "open"


def test_an_event_is_labelled_by_whom_it_helps():
    cities = [("Athens", "weak"), ("Miletus", "must-have"), ("Sparta", "fair"), ("Argos", "strong")]
    assert event_label(cities, moved=True) == "for Miletus and Argos, against Athens"
    assert event_label([("Athens", "dead"), ("Sparta", "fair")], moved=True) == "fair"
    assert event_label([("Athens", "open"), ("Sparta", "fair")], moved=True) == "open"
    assert event_label([("Athens", "open")], moved=False) == "dead"
