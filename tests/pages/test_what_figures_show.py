"""Figures and tables give every row its own name and its own number."""

import re
from pathlib import Path

import polars as pl
import pytest
from matplotlib.figure import Figure as Canvas
from typer.testing import CliRunner

from khora_sim.cli.main import app
from khora_sim.pages import plots
from khora_sim.pages.sections import cities
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.wording import chance
from khora_sim.rules import load_rules


def ticks(axes) -> dict[float, str]:
    names = (one.get_text() for one in axes.get_yticklabels())
    return dict(zip(axes.get_yticks(), names, strict=True))


def test_a_dot_stands_on_the_row_that_has_its_name() -> None:
    canvas = Canvas()
    axes = canvas.subplots()
    plots.dots(axes, [plots.Dot(name, value, value, value) for name, value in (("low", 1), ("high", 9))])
    drawn = {line.get_ydata()[0]: line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"}
    assert {ticks(axes)[y]: x for y, x in drawn.items()} == {"low": 1, "high": 9}


def test_a_box_of_scores_stands_on_the_row_of_its_city(data: StudyData) -> None:
    figure = next(one for one in cities.section(data).figures if one.kind == "city-scores")
    canvas = Canvas()
    figure.draw(canvas)
    (axes,) = canvas.axes
    boxes = {ticks(axes)[box.get_y() + box.get_height() / 2]: box.get_x() for box in axes.patches}
    players = data.study.players.collect()
    lower = players.group_by("city").agg(pl.col("score").quantile(0.25, "higher")).rows()
    assert {name: pytest.approx(boxes[name], abs=1) for name in boxes} == {
        data.city(city): value for city, value in lower
    }
    assert len(set(boxes.values())) > 3


@pytest.mark.parametrize("name", ["data", "mixed"])
def test_the_chance_of_the_last_place_is_that_of_the_size_of_table(
    name: str, request: pytest.FixtureRequest
) -> None:
    study: StudyData = request.getfixturevalue(name)
    players = study.study.players.collect()
    last = pl.col("place") == pl.col("players")
    worst = players.group_by("players", "city").agg(last.mean().alias("last")).sort("last").row(-1)
    figure = next(one for one in cities.section(study).figures if one.kind == "city-places")
    found = re.search(r"\), (\w+) last \((\d+) %\)", figure.sentence)
    assert found
    assert (found[1], int(found[2])) == (study.city(worst[1]), round(100 * worst[2]))


def test_data_show_lists_the_best_city_first_beside_what_chance_gives(folder: Path) -> None:
    shown = CliRunner().invoke(app, ["data", "show", str(folder)], catch_exceptions=False).stdout
    names = "|".join(load_rules().city_ids)
    rows = re.findall(rf"^\s*({names})\s+([\d.]+) % ± [\d.]+\s+([\d.]+) %", shown, re.MULTILINE)
    won = [float(value) for _, value, _ in rows]
    assert len(won) == 7
    assert won == sorted(won, reverse=True)
    assert {chance for _, _, chance in rows} == {"25"}


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.0, "more than 99 %"), (0.995, "more than 99 %"), (0.994, "99 %"), (0.005, "less than 1 %")],
)
def test_a_chance_from_resampling_is_never_certain(value: float, shown: str) -> None:
    assert chance(value) == shown
