import re
from pathlib import Path

import polars as pl
import pytest

from khora_sim.errors import UserError
from khora_sim.pages.page_model import Page
from khora_sim.pages.publish import summary
from khora_sim.pages.sections import KINDS, figure_of
from khora_sim.pages.study_data import StudyData, load
from khora_sim.pages.study_report import simulate_command, write_figure, write_report
from khora_sim.rules import read_rules
from khora_sim.simulation.manifest import as_data
from tests.pages.synthetic import World, change_manifest, make_study


@pytest.fixture
def out(report: Path) -> Path:
    return report.parent


@pytest.fixture
def page(report: Path) -> str:
    return report.read_text(encoding="utf-8")


def test_the_page_needs_nothing_from_elsewhere(page: str) -> None:
    without_names = page.replace("http://www.w3.org/", "")
    assert not re.findall(r"https?://|src=|@import|url\((?!#)", without_names)
    assert not re.findall(r'href="(?!#)', page)


def test_the_page_holds_every_figure_and_its_sentence(page: str, out: Path) -> None:
    for kind in KINDS:
        assert page.count(f'id="figure-{kind}"') == 1
        assert (out / "figures" / f"{kind}.svg").stat().st_size > 2000
        assert (out / "figures" / f"{kind}.png").read_bytes().startswith(b"\x89PNG")


def test_numbers_on_the_page_are_those_of_the_games(page: str, data: StudyData) -> None:
    players = data.study.players.collect()
    share = players.filter(pl.col("city") == "corinth")["win_share"].mean()
    games = players.filter(pl.col("city") == "corinth").height
    row = re.search(r"<tr><td>Corinth</td>.*?</tr>", page[page.index('id="table-cities"') :])
    assert row
    assert f"{games:,}" in row[0]
    shown = re.search(r"(\d+\.\d) % ± \d\.\d", row[0].replace("\N{NO-BREAK SPACE}", " "))
    assert shown
    assert float(shown[1]) == pytest.approx(100 * share, abs=0.05)


def test_tables_are_kept_as_csv_and_parquet_with_the_same_numbers(out: Path) -> None:
    csvs = sorted(path.stem for path in (out / "tables").glob("*.csv"))
    assert csvs == sorted(path.stem for path in (out / "tables").glob("*.parquet"))
    assert {"cities", "ratings", "cards", "events", "strategies", "city-against-city"} <= set(csvs)
    one, two = pl.read_csv(out / "tables" / "cities.csv"), pl.read_parquet(out / "tables" / "cities.parquet")
    assert one["value"].to_list() == pytest.approx(two["value"].to_list())
    assert two["city"].dtype == pl.String


def test_the_summary_says_the_verdict_its_limits_and_how_to_make_it_again(out: Path, folder: Path) -> None:
    text = (out / "summary.md").read_text(encoding="utf-8")
    who = "With strong, middling and weak drawn for each table"
    assert f"**{who}, Corinth wins most and Athens least.**" in text
    assert "| tier | city | result | development 2 | development 3 | development 4 |" in text
    assert "| 1 | Corinth |" in text
    assert "## What this study does not show" in text
    assert f"$ khora report {folder} --out {out}" in text
    assert "$ khora simulate --games 4000 --players 4 --strategies strong,middling,weak --seed 1" in text


def test_names_of_a_stranger_are_no_html_in_the_summary() -> None:
    text = summary(Page("study", "<b>", ["<img src=x>"], "<script>", "", []))
    assert "<" not in text
    assert "**&lt;script>**" in text


def test_no_city_is_called_strongest_or_best_without_its_players(page: str, out: Path) -> None:
    for text in (page, (out / "summary.md").read_text(encoding="utf-8")):
        assert not re.findall(r"strongest|weakest|best city", text)


def test_how_often_developments_are_unlocked_stands_beside_the_shares(page: str, out: Path) -> None:
    first, second = page.index('class="ladder"'), page.index('id="table-developments"')
    assert first < second < page.index("How sure that is")
    assert (out / "tables" / "developments.csv").exists()
    assert (out / "tables" / "developments-by-strategy.csv").exists()


def test_the_command_names_the_rules_file_as_it_was_typed(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", World(games=80, rules=sixteen_cities(), rounds=False))
    rules = as_data(load(study).manifest)["rules"]
    assert "--rules FILE --out" in simulate_command(load(study))  # of a manifest that does not know the file
    change_manifest(study, rules=rules | {"file": "my variants/argos.toml"})
    assert "--rules 'my variants/argos.toml' --out" in simulate_command(load(study))


def test_the_command_says_which_options_are_not_as_the_rules_say(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", games=80, rounds=False)
    manifest = as_data(load(study).manifest)
    assert "reroll" not in simulate_command(load(study))
    change_manifest(study, plan=manifest["plan"] | {"reroll": True, "draft": False})
    assert "--reroll --no-draft --out" in simulate_command(load(study))
    usual = manifest["rules"]["toml"].replace("reroll = false", "reroll = true")
    change_manifest(study, plan=manifest["plan"], rules=manifest["rules"] | {"toml": usual})
    assert "--no-reroll --out" in simulate_command(load(study))


@pytest.mark.usefixtures("undrawn")
def test_names_that_look_like_html_stay_names(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>"
    study = make_study(tmp_path / "study", games=80, strategies=(hostile, "b&b"), rounds=False)
    text = write_report(study, tmp_path / "report").page.read_text(encoding="utf-8")
    assert hostile not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "b&amp;b" in text


@pytest.mark.slow
def test_a_variant_with_sixteen_cities_and_new_cards_is_reported(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", World(games=600, rules=sixteen_cities(), rounds=False))
    text = write_report(study, tmp_path / "report").page.read_text(encoding="utf-8")
    assert "City 15" in text
    assert "Harbour Tolls" in text
    assert "the variant crowd was played" in text


def sixteen_cities():
    """The base game with nine more cities, copies of Argos, and one more card."""
    import tomllib

    from khora_sim.rules import load_rules

    base = load_rules()
    text = base.to_toml()
    data = tomllib.loads(text)
    argos = text[text.index("[cities.argos]") : text.index("[cities.athens]")]
    more = [
        argos.replace("cities.argos", f"cities.city-{n}").replace('"Argos"', f'"City {n}"')
        for n in range(7, 16)
    ]
    card = '\n[cards.harbour-tolls]\nname = "Harbour Tolls"\nkind = "ongoing"\ncost = 3\n'
    card += 'effects = [{ on = "tax-phase", gain = { drachmas = 1 } }]\n'
    assert len(data["cities"]) == 7
    return read_rules(text.replace('name = "base"', 'name = "crowd"', 1) + card + "\n".join(more))


@pytest.mark.usefixtures("undrawn")
def test_four_games_make_a_page_that_says_so(tiny: StudyData, tmp_path: Path) -> None:
    text = write_report(tiny.folder, tmp_path / "report").page.read_text(encoding="utf-8")
    assert "4 games cannot rank the cities." in text
    assert "Few games: this is what happened in 4 games, not what to expect." in text
    assert "too few games for an interval" in text


@pytest.mark.usefixtures("undrawn")
def test_cities_that_did_not_play_are_named(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", games=200, players=(2,), cities=("argos", "sparta"), rounds=False)
    text = write_report(study, tmp_path / "report").page.read_text(encoding="utf-8")
    assert "Argos" in text
    assert "Corinth, Thebes, Miletus, Olympia and Athens did not play." in text


def test_a_figure_alone_is_the_same_as_on_the_page(folder: Path, out: Path, tmp_path: Path) -> None:
    for ending in (".svg", ".png"):
        alone = write_figure(folder, "city-places", tmp_path / f"one{ending}")
        assert alone.read_bytes() == (out / "figures" / f"city-places{ending}").read_bytes()


def test_a_figure_that_this_study_cannot_have_says_why(mixed: StudyData) -> None:
    with pytest.raises(UserError, match="growth cannot be drawn: This study has no table of rounds"):
        figure_of(mixed, "growth")


def test_an_unknown_figure_is_answered_with_the_nearest(folder: Path) -> None:
    with pytest.raises(UserError, match='no figure is called "city-win"; did you mean city-win-share'):
        figure_of(load(folder), "city-win")


def test_a_figure_is_svg_or_png(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a figure is written as \.svg or \.png; try .*one\.svg"):
        write_figure(folder, "cards", tmp_path / "one.pdf")


def test_a_report_is_not_written_over_a_study(folder: Path) -> None:
    with pytest.raises(UserError, match="holds a study; write the report into another folder"):
        write_report(folder, folder)


def test_a_report_is_not_written_into_a_file(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="is a file; --out should name a folder"):
        write_report(folder, tmp_path / "file")
