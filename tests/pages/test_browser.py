"""The page in a real browser: nothing fails, all is drawn, tables sort, nothing is wider than a phone."""

from pathlib import Path

import pytest

from khora_sim.pages.study_data import StudyData
from khora_sim.pages.study_report import write_comparison, write_report
from tests.pages.browser import look
from tests.pages.synthetic import make_study

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def on_phone(report: Path, tmp_path_factory: pytest.TempPathFactory) -> dict:
    return look(report, tmp_path_factory.mktemp("browser"))


def in_order(keys: list, upwards: bool) -> bool:
    if all(isinstance(key, int | float) for key in keys):
        return keys == sorted(keys, reverse=not upwards)
    return [str(key).lower() for key in keys] == sorted(
        (str(key).lower() for key in keys), reverse=not upwards
    )


def test_no_errors_in_the_console_and_nothing_asked_of_the_network(on_phone: dict) -> None:
    assert on_phone["problems"] == []
    assert on_phone["asked"] == []


def test_all_figures_are_drawn(on_phone: dict) -> None:
    assert len(on_phone["figures"]) == 25
    for figure in on_phone["figures"]:
        assert figure["width"] > 250, figure["id"]
        assert figure["height"] > 60, figure["id"]
        assert figure["shapes"] > 3, figure["id"]
        assert figure["texts"] > 2, figure["id"]


def test_no_label_is_cut_off(on_phone: dict) -> None:
    assert {figure["id"]: figure["outside"] for figure in on_phone["figures"] if figure["outside"]} == {}


def test_labels_can_be_read_on_a_phone(on_phone: dict) -> None:
    smallest = {figure["id"]: figure["smallest"] for figure in on_phone["figures"]}
    assert min(smallest.values()) > 7, smallest


def test_every_figure_names_the_command_that_draws_it(on_phone: dict) -> None:
    for figure in on_phone["figures"]:
        kind = figure["id"].removeprefix("figure-")
        assert figure["command"].startswith("khora plot ")
        assert figure["command"].endswith(f" {kind} --out {kind}.svg")


def test_tables_sort_by_a_click_and_the_other_way_by_a_second(on_phone: dict) -> None:
    assert len(on_phone["tables"]) > 25
    for table in on_phone["tables"]:
        assert table["rows"] > 0
        for column in table["sorted"]:
            assert {column["first"], column["then"]} == {"ascending", "descending"}
            assert in_order(column["once"], column["first"] == "ascending"), (table["id"], column["title"])
            assert in_order(column["twice"], column["then"] == "ascending"), (table["id"], column["title"])


def test_nothing_is_wider_than_a_phone(on_phone: dict) -> None:
    assert on_phone["screen"] == 390
    assert on_phone["width"] <= 390
    assert on_phone["wide"] == []


def test_nothing_is_cut_off_on_a_desk_either(report: Path, tmp_path: Path) -> None:
    found = look(report, tmp_path, width=1280)
    assert found["problems"] == []
    assert found["wide"] == []
    assert [figure["outside"] for figure in found["figures"] if figure["outside"]] == []
    assert max(figure["width"] for figure in found["figures"]) <= 600


def test_figures_follow_light_and_dark(report: Path, on_phone: dict, tmp_path: Path) -> None:
    dark = look(report, tmp_path, dark=True)
    assert on_phone["drawn"] == on_phone["ink"] == "rgb(28, 29, 33)"
    assert dark["drawn"] == dark["ink"] == "rgb(233, 231, 226)"
    assert dark["paper"] == "rgb(27, 29, 33)"


@pytest.mark.usefixtures("no_png")
def test_a_study_of_four_games_and_tables_of_all_sizes_fit_a_phone(
    tiny: StudyData, mixed: StudyData, tmp_path: Path
) -> None:
    for study in (tiny, mixed):
        found = look(write_report(study.folder, tmp_path / Path(study.folder).name).page, tmp_path)
        assert found["problems"] == []
        assert found["width"] <= 390
        assert [figure["outside"] for figure in found["figures"] if figure["outside"]] == []


@pytest.mark.usefixtures("no_png")
def test_a_comparison_fits_a_phone_too(folder: Path, tmp_path: Path) -> None:
    other = make_study(
        tmp_path / "other", games=1000, city_terms=(0.5, 0.3, 0.3, 0.0, 0.0, -0.3, 0.5), rounds=False
    )
    found = look(write_comparison(folder, other, tmp_path / "report").page, tmp_path)
    assert found["problems"] == []
    assert len(found["figures"]) == 3
    assert found["width"] <= 390
    assert found["wide"] == []
