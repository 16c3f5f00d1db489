"""The published verdict has room for six players: in the terminal, in its tables and in its picture."""

import re
from itertools import pairwise

import pytest

from khora_sim.analyses.cities import LADDER
from khora_sim.analyses.cities.page import brief, page_of
from khora_sim.cli.output import print_brief
from khora_sim.pages.publish import render
from khora_sim.pages.published_answers import CitiesAnswer, TableVerdict, published
from khora_sim.pages.sections.published import ladder_figure
from khora_sim.pages.table import Table

LETTER = 0.65  # mean width of a letter, of its size


@pytest.fixture
def answer() -> CitiesAnswer:
    """The published answer with every player of the ladder; one that is not in it plays as expert does."""

    def with_all(table: TableVerdict) -> TableVerdict:
        known = {one.strategy: one for one in table.ladder}
        ladder = [known.get(name, known["expert"].model_copy(update={"strategy": name})) for name in LADDER]
        return table.model_copy(update={"ladder": tuple(ladder)})

    found = published()
    return found.model_copy(update={"tables": tuple(map(with_all, found.tables))})


def widths(answer: CitiesAnswer, capsys: pytest.CaptureFixture[str]) -> list[int]:
    """Columns of the terminal that each table of four players takes."""
    found = []
    for part in brief(answer.model_copy(update={"tables": answer.tables[:1]})):
        if isinstance(part, Table):
            print_brief([part])
            found.append(max(len(line.rstrip()) for line in capsys.readouterr().out.splitlines()))
    return found


def test_win_rates_fit_80_columns_and_the_other_tables_100(
    answer: CitiesAnswer, capsys: pytest.CaptureFixture[str]
):
    assert len(LADDER) == 6
    shares, unlocked, games = widths(answer, capsys)
    assert shares <= 80
    assert max(unlocked, games) <= 100


def test_with_full_the_games_have_their_margins(answer: CitiesAnswer):
    def texts(full: bool) -> str:
        return " ".join(
            cell
            for part in brief(answer, full=full)[-4:]
            if isinstance(part, Table)
            for row in part.texts
            for cell in row
        )

    assert " ± " in texts(full=True)
    assert " ± " not in texts(full=False)


def test_the_page_has_a_column_for_each_player(answer: CitiesAnswer):
    shares, unlocked, games = page_of(answer).sections[0].tables
    assert shares.titles == ["City", *LADDER, "In words"]
    assert unlocked.titles == ["City", *LADDER]
    assert games.titles == ["", *LADDER]


def test_the_names_of_six_players_do_not_touch_in_the_picture(answer: CitiesAnswer):
    svg = render(ladder_figure(answer, answer.tables[0]), png=False).svg
    drawn = re.findall(rf'size: ([\d.]+)px[^>]* (-?[\d.]+) -?[\d.]+\)">({"|".join(LADDER)})<', svg)
    assert [name for *_, name in drawn] == list(LADDER[::2])
    assert all(f">{name}<" in svg for name in LADDER[1::2])  # a line lower
    halves = [len(name) * LETTER * float(size) / 2 for size, _, name in drawn]
    ends = [(float(x) - half, float(x) + half) for (_, x, _), half in zip(drawn, halves, strict=True)]
    assert all(one[1] < two[0] for one, two in pairwise(ends))
