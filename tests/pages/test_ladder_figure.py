"""The figure of a ladder."""

import re
from pathlib import Path

from khora_sim.analyses.ladder import Ladder, Plan, judged
from khora_sim.pages.ladder_figure import _short, _strength, figure, write_figures
from khora_sim.stats import Estimate
from tests.analyses.made_up import sums_of_all

PLAN = Plan(("weak", "strong", "./ideas/mine.py"))


def made_up() -> Ladder:
    return judged(PLAN, sums_of_all(PLAN, {("strong", "weak"): 0.6, ("weak", "strong"): 0.1}))


def test_every_share_is_a_number_and_every_strategy_a_row(tmp_path: Path):
    ladder = made_up()
    svg, png = write_figures(tmp_path, ladder)
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text())
    for pairing in ladder.pairings:
        assert f"{100 * pairing.share.value:.0f}" in texts
    for name in ("weak", "strong", "mine.py"):
        assert texts.count(name) == 3  # a row, a column and a rating
    assert png.read_bytes().startswith(b"\x89PNG")


def test_the_title_says_who_sits_at_the_table():
    assert figure(made_up()).title == "Won by the row against three of the column, in %"


def test_colours_reach_as_far_below_the_null_as_above():
    shares = [Estimate(value, 0, 1, 9) for value in (0.0, 0.25, 1.0)]
    assert [_strength(share, 0.25) for share in shares] == [-1, 0, 1]


def test_a_long_name_is_cut_and_a_path_goes_by_its_file():
    assert _short("./strategies/my_idea.py") == "my_idea.py"
    assert _short("merchant:patience=3,thrift=1") == "merchant:patience=3…"
