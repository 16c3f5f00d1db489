"""The scoreboard tests itself."""

from pathlib import Path

import polars as pl
import pytest

from khora_sim.simulation.study import open_study
from tests.simulation.folders import run


def shares(folder: Path, column: str) -> dict[str, float]:
    table = open_study(folder).players.group_by(column).agg(pl.col("win_share").mean()).collect()
    return dict(table.iter_rows())


@pytest.mark.parametrize("players", [2, 3, 4])
def test_identical_deterministic_players_come_out_at_exactly_one_nth(tmp_path: Path, players: int):
    names = ",".join(["first-legal"] * players)
    run(tmp_path, games=360, players=players, strategies=names, rotate="strategies")
    twelfths = (pl.col("win_share") * 12).round().cast(pl.Int64)  # whole numbers, whoever shares a victory
    wins = open_study(tmp_path).players.group_by("slot").agg(twelfths.sum()).collect()
    assert dict(wins.iter_rows()) == dict.fromkeys(range(1, players + 1), 12 * 360 // players)


def test_idle_loses_to_everyone(tmp_path: Path):
    for rival in ("random", "first-legal"):
        run(tmp_path / rival, games=600, players=2, strategies=f"idle,{rival}")
        assert shares(tmp_path / rival, "strategy")["idle"] < 0.2


def test_a_game_is_the_same_whatever_the_others_of_its_study(tmp_path: Path):
    run(tmp_path / "few", games=40)
    run(tmp_path / "many", games=800)
    few, many = (
        open_study(tmp_path / name).players.filter(pl.col("game") < 40).collect() for name in ("few", "many")
    )
    assert few.equals(many)


def test_studies_that_differ_in_one_strategy_meet_the_same_luck(tmp_path: Path):
    run(tmp_path / "one", games=80, strategies="random,idle,idle,idle")
    run(tmp_path / "other", games=80, strategies="first-legal,idle,idle,idle")
    one, other = (open_study(tmp_path / name) for name in ("one", "other"))
    luck = ["seed", "first_seat", *(f"event_{number}" for number in range(1, 10))]
    assert one.games.select(luck).collect().equals(other.games.select(luck).collect())
    dealt = ["city", "dealt", "slot"]
    assert one.players.select(dealt).collect().equals(other.players.select(dealt).collect())
