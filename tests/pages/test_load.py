import shutil
from pathlib import Path

import polars as pl
import pytest

from khora_sim.errors import UserError
from khora_sim.pages.study_data import StudyData, load
from khora_sim.pages.study_report import write_report
from khora_sim.pages.verdict import limits
from khora_sim.stats import means
from tests.pages.synthetic import change_manifest, change_table, make_study


@pytest.fixture
def study(folder: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return Path(shutil.copytree(folder, tmp_path / "study"))


def drop_columns(study: Path, table: str, *columns: str) -> None:
    change_table(study, table, lambda frame: frame.drop(columns))


def test_games_are_counted_by_size_of_table(mixed: StudyData) -> None:
    assert mixed.tables_of == {2: 1000, 3: 1002, 4: 1000}  # whole groups, rounded up
    assert mixed.game_count == 3002


def test_names_for_people_come_from_the_rules_of_the_study(data: StudyData) -> None:
    assert data.city("corinth") == "Corinth"
    assert data.names["cards"]["gold-reserve"] == "Gold Reserve"


def test_where_tables_differ_in_size_success_is_wins_against_the_fair_share(mixed: StudyData) -> None:
    assert means(mixed.standing, [], "success")["value"].item() * mixed.scale == pytest.approx(1.0)
    assert mixed.fair == 1.0


def test_a_folder_without_a_study_is_reported_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no study"):
        load(tmp_path)


def test_a_study_without_finished_games_says_how_to_go_on(study: Path) -> None:
    change_manifest(study, parts=[])
    with pytest.raises(UserError, match="no game is finished yet; go on with: khora simulate --resume"):
        load(study)


def test_a_missing_part_is_named(study: Path) -> None:
    (study / "players" / "part-00000.parquet").unlink()
    with pytest.raises(UserError, match=r"part-00000\.parquet: is missing; khora data check .* --repair"):
        load(study)


def test_a_cut_off_part_is_named(study: Path) -> None:
    path = study / "players" / "part-00000.parquet"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(UserError, match=r"part-00000\.parquet: is damaged"):
        load(study)


def test_a_part_with_scrambled_bytes_is_no_traceback(study: Path, tmp_path: Path) -> None:
    path = study / "players" / "part-00000.parquet"
    data = bytearray(path.read_bytes())
    data[: len(data) - 8] = bytes(len(data) - 8)
    path.write_bytes(bytes(data))
    with pytest.raises(UserError, match="khora data check"):
        write_report(study, tmp_path / "report")


def test_scrambled_pages_in_a_part_are_no_traceback(study: Path, tmp_path: Path) -> None:
    path = study / "players" / "part-00000.parquet"
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[4:middle] = bytes(middle - 4)
    path.write_bytes(bytes(data))
    with pytest.raises(UserError, match="khora data check"):
        write_report(study, tmp_path / "report")


def test_an_older_schema_is_reported_in_one_line(study: Path) -> None:
    change_manifest(study, schema_version=0)
    with pytest.raises(UserError, match="schema version 0"):
        load(study)


def test_a_table_without_what_every_report_needs_is_refused(study: Path) -> None:
    drop_columns(study, "players", "place")
    with pytest.raises(UserError, match="its table players has no place"):
        load(study)


@pytest.mark.usefixtures("undrawn")
def test_a_study_with_fewer_columns_gets_a_page_that_says_what_it_cannot_know(
    study: Path, tmp_path: Path
) -> None:
    drop_columns(study, "players", "pips", "leading", "dealt", "points_glory", "alone_troops", "development")
    page = write_report(study, tmp_path / "report").page.read_text(encoding="utf-8")
    assert "This dataset does not hold the dice." in page
    assert "Hardly ever unlocked" not in page
    assert "This dataset does not say who led after each round" in page
    assert "This dataset does not say which cards were dealt and played." in page
    assert "This dataset does not say where points came from (no column points_glory)." in page
    assert "This dataset does not hold the achievements." in page


def test_an_unfinished_study_is_reported_as_such(study: Path) -> None:
    change_manifest(study, games=9000)
    message = limits(load(study))[-1]
    assert message.startswith("The study is unfinished: 4,000 of 9,000 games are there.")


def test_a_large_study_is_read_in_evenly_spread_parts_where_many_columns_are_needed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tests.pages.synthetic.PART_GAMES", 400)
    monkeypatch.setattr("khora_sim.pages.study_data.WIDE_GAMES", 1000)
    made = load(make_study(tmp_path / "parts", games=2000, rounds=False))
    assert [part.part for part in made.wide_parts] == [0, 2, 4]
    assert made.wide.select(pl.col("game").n_unique()).collect().item() == 800 + 400
    assert made.players.select(pl.col("game").n_unique()).collect().item() == 2000
    assert any("ratings and what decides games rest on 1,200 of 2,000 games" in line for line in limits(made))


def test_a_study_that_is_read_whole_speaks_of_no_sampling(study: Path) -> None:
    assert not any("Sampling" in line for line in limits(load(study)))
