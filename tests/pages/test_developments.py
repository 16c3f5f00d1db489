import shutil
from pathlib import Path

import polars as pl
import pytest

from khora_sim.pages.study_data import StudyData, load
from khora_sim.pages.verdict import never, unlock_rates, verdict
from tests.pages.synthetic import change_table


@pytest.fixture
def idle_miletus(folder: Path, tmp_path: Path) -> StudyData:
    """A study whose `weak` player never unlocks anything in Miletus, nor a fourth development anywhere."""
    study = Path(shutil.copytree(folder, tmp_path / "study"))
    place, weak = pl.col("development"), pl.col("strategy") == "weak"
    capped = (
        pl.when(weak & (pl.col("city") == "miletus")).then(1).when(weak).then(pl.min_horizontal(place, 3))
    )
    change_table(
        study,
        "players",
        lambda rows: rows.with_columns(capped.otherwise(place).cast(pl.UInt8).alias("development")),
    )
    return load(study)


def test_developments_are_unlocked_as_often_as_in_the_games(data: StudyData) -> None:
    players = data.study.players.collect()
    for by in (["city"], ["city", "strategy"]):
        found = unlock_rates(data, by).filter(place=3).sort(by)
        direct = players.group_by(by).agg((pl.col("development") >= 3).mean().alias("x"), pl.len()).sort(by)
        assert found["value"].to_list() == pytest.approx(direct["x"].to_list())
        assert found["n"].to_list() == direct["len"].to_list()
        assert (found["low"] < found["value"]).all()
        assert (found["value"] < found["high"]).all()


def test_what_a_player_never_unlocks_is_named(idle_miletus: StudyData) -> None:
    message = never(idle_miletus)
    assert message.startswith(
        "Hardly ever unlocked (in less than 2 % of games): by weak, developments 2, 3 and 4 in Miletus and "
        "development 4 in Corinth, Thebes, Sparta, Olympia, Argos and Athens. That is something these "
        "players do not do"
    )
    assert verdict(idle_miletus).habits == [message]


def test_where_everything_is_unlocked_nothing_is_named(data: StudyData) -> None:
    assert verdict(data).habits == []


def test_the_table_has_a_row_for_every_city_in_the_order_of_the_ladder(idle_miletus: StudyData) -> None:
    judged = verdict(idle_miletus)
    ladder = [rung.name for tier in judged.ladder for rung in tier]
    by_city, by_both = judged.unlocked
    assert by_city.column(by_city.titles[0]) == ladder
    assert [column.title for column in by_city.columns][1:] == ["Games", "Second", "Third", "Fourth"]
    assert by_city.open
    weak = by_both.frame.filter((pl.col("strategy") == "weak") & (pl.col("city") == "miletus"))
    assert weak["value"].to_list() == [0.0, 0.0, 0.0]
    assert (weak["high"] > 0).all()  # never seen is not impossible


def test_four_games_name_nothing_that_a_player_never_does(tiny: StudyData) -> None:
    assert never(tiny) == ""
