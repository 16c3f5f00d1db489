"""The sentences of power: what stands out, and what too few games do not tell."""

import pytest

from khora_sim.analyses.power import _known, cell, headline, strong_in_few
from khora_sim.analyses.power.worth import ALL, DEALT, MUST_HAVE, WEAK, Power, Worth
from khora_sim.pages.wording import points_cell
from khora_sim.simulation.result import RulesPlayed
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


def answer_of(labels: dict[str, str]) -> Power:
    """An answer about cards with these labels; what a card is worth does not matter here."""
    known = Estimate(0.0, -0.01, 0.01, 100)
    rows = [
        Worth(
            thing=card,
            city=ALL,
            way=DEALT,
            points=known,
            wins=known,
            p_points=1.0,
            p_wins=1.0,
            shrunken=0.0,
            label=label,
        )
        for card, label in labels.items()
    ]
    return Power(
        khora="0",
        rules=RulesPlayed(name="base", hash="0", version="1"),
        kind="cards",
        strategies=("steward",),
        players=4,
        seed=1,
        precision=None,
        games=100,
        sides=10,
        things={card: card.capitalize() for card in labels},
        cities={},
        rows=tuple(rows),
    )


@pytest.mark.parametrize(("p_wins", "p_points", "shown"), [(0.01, 1.0, "+5.0*"), (1.0, 0.01, "+5.0")])
def test_a_star_marks_a_win_rate_that_is_significant_not_points(p_wins: float, p_points: float, shown: str):
    row = answer_of({"power": MUST_HAVE}).rows[0]
    changed = {"p_wins": p_wins, "p_points": p_points, "shrunken": 0.05}
    assert cell(row.model_copy(update=changed)) == shown


def test_the_headline_names_what_stands_out_over_all_cities_and_another_sentence_the_rest():
    answer = answer_of({"power": MUST_HAVE, "bank": "fair", "quarry": "only with Olympia", "oracle": WEAK})
    assert headline(answer) == "With steward in every seat: must-have: Power; weak: Oracle."
    assert strong_in_few(answer) == ["Strong or must-have in one or two cities only: Quarry with Olympia."]


def test_where_nothing_stands_out_the_headline_says_so():
    answer = answer_of({"bank": "fair", "oracle": "open"})
    assert headline(answer) == "With steward in every seat, none of the cards stands out over all cities."
    assert strong_in_few(answer) == []
