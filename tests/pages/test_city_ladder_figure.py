"""The picture of cities along a ladder."""

import re
from itertools import pairwise

import pytest

from khora_sim.pages.publish import render
from khora_sim.pages.sections.published import apart, ladder_figure
from tests.analyses.made_up_cities import made_up_answer


@pytest.fixture(scope="module")
def svg() -> str:
    answer = made_up_answer(
        peers={"olympia": 0.31}, random={}, merchant={"olympia": "above"}, sage={"argos": "below"}
    )
    return render(ladder_figure(answer, answer.tables[0], captioned=True), png=False).svg


def test_every_city_and_player_is_named_in_it(svg: str):
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    for name in ("random", "merchant", "sage", "Olympia 25", "Argos 10", "fair 25 %"):
        assert name in texts


def test_it_says_what_it_rests_on(svg: str):
    texts = " ".join(re.findall(r">([^<>]+)</t", svg))
    assert "n 17,500 games a player; shaded: 95 % intervals" in texts
    assert "lowest to highest of 2 players like sage" in re.sub(r"\s+", " ", texts)
    assert "seed 3000000000" in texts


def test_names_never_overlap_and_stay_near_their_lines():
    assert apart([0.5, 0.1], 0.02, 0.6) == [0.5, 0.1]
    assert apart([0.26, 0.25, 0.25], 0.02, 0.6) == pytest.approx([0.2733, 0.2533, 0.2333], abs=1e-3)
    crowded = apart([0.25] * 7, 0.05, 0.6)
    assert all(a - b == pytest.approx(0.05) for a, b in pairwise(crowded))
    assert apart([0.02, 0.0], 0.05, 0.6)[-1] >= 0.0
