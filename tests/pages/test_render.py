import io
import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import pytest
from PIL import Image

from khora_sim.pages import plots, sections
from khora_sim.pages.publish import DPI, WIDTH, Rendered, render
from khora_sim.pages.sections import cities
from khora_sim.pages.study_data import StudyData


@pytest.fixture(scope="module")
def drawn(data: StudyData) -> Rendered:
    return render(cities.section(data).figures[0])


def test_the_same_figure_gives_the_same_bytes(data: StudyData, drawn: Rendered) -> None:
    again = render(cities.section(data).figures[0])
    assert again == drawn


def test_a_matplotlibrc_changes_no_figure(data: StudyData, drawn: Rendered) -> None:
    with mpl.rc_context({"text.usetex": True, "axes.titlesize": 40, "xtick.major.size": 30}):
        assert render(cities.section(data).figures[0]) == drawn


def test_a_file_has_its_title_and_the_drawing_of_the_page_has_not(drawn: Rendered) -> None:
    assert "Win share of each city</text>" in drawn.svg
    assert "Win share of each city</text>" not in drawn.inline
    assert 'aria-label="Win share of each city"' in drawn.inline


def test_the_drawing_of_the_page_takes_its_colours_from_the_page(drawn: Rendered) -> None:
    for colour in (plots.INK, plots.MUTED, plots.RULE):
        assert colour in drawn.svg
        assert colour not in drawn.inline
    assert "var(--ink)" in drawn.inline
    assert "<style" not in drawn.inline  # it would reach over the whole page


def test_ids_of_two_drawings_never_meet(data: StudyData) -> None:
    one, two = (render(figure, png=False).inline for figure in cities.section(data).figures[:2])
    ids = [set(re.findall(r'id="([^"]+)"', text)) for text in (one, two)]
    assert not ids[0] & ids[1]
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', one))
    assert used <= ids[0]


def test_drawings_are_sound_xml_and_text_stays_text(drawn: Rendered) -> None:
    root = ET.fromstring(drawn.inline)
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"Corinth", "Athens"} <= texts


def test_a_png_is_large_enough_to_print_and_small_to_send(drawn: Rendered) -> None:
    picture = Image.open(io.BytesIO(drawn.png))
    assert picture.width == round(WIDTH * DPI)
    assert len(drawn.png) < 60_000


def test_a_city_has_the_same_colour_in_every_study() -> None:
    few = plots.city_colours(["athens", "sparta"])
    all_and_more = plots.city_colours(["rhodes", "corinth", "athens", "samos", "sparta"])
    assert few == {"athens": "#0072B2", "sparta": "#D55E00"}
    assert {city: all_and_more[city] for city in few} == few
    assert len(set(all_and_more.values())) == 5


def test_sixteen_cities_are_distinguishable_by_colour_and_marker() -> None:
    cities = [*plots.CITIES, *(f"city-{number}" for number in range(9))]
    colours, markers = plots.city_colours(cities), plots.city_markers(cities)
    assert len({(colours[city], markers[city]) for city in cities}) == 16


def test_drawing_leaves_the_settings_of_matplotlib_alone(data: StudyData) -> None:
    before = dict(mpl.rcParams)
    render(cities.section(data).figures[0], png=False)
    assert dict(mpl.rcParams) == before


def test_every_figure_can_be_drawn_for_four_games(tiny: StudyData) -> None:
    for maker in sections.MAKERS:
        for figure in maker.make(tiny).figures:
            assert len(render(figure, png=False).svg) > 2000
