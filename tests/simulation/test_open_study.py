"""Looking into a study from Python, SQL and pandas."""

import re
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pytest

import khora_sim
from khora_sim.errors import UserError
from khora_sim.simulation.study import SETS, export_csv, open_study

QUERY = (
    "select {column}::varchar as name, avg(win_share) as share from '{folder}/players/*.parquet' group by 1"
)


@pytest.mark.parametrize("column", ["strategy", "city", "seat"])
def test_polars_duckdb_and_pandas_give_the_same_shares(small: Path, column: str):
    study = khora_sim.open_study(small)
    ours = study.players.group_by(column).agg(pl.col("win_share").mean()).collect()
    shares = {str(name): pytest.approx(share, abs=1e-12) for name, share in ours.iter_rows()}
    sql = duckdb.sql(QUERY.format(column=column, folder=small)).fetchall()
    assert dict(sql) == shares
    frame = pd.read_parquet(small / "players", columns=[column, "win_share"])
    by_pandas = frame.groupby(column, observed=True)["win_share"].mean()
    assert {str(name): share for name, share in by_pandas.items()} == shares


def test_tables_are_lazy_and_sorted(with_rounds: Path):
    study = open_study(with_rounds)
    assert study.tables == ["games", "players", "rounds"]
    assert isinstance(study.players, pl.LazyFrame)
    assert study.games.select(pl.col("game").is_sorted()).collect().item()
    assert study.game_count == 2100  # 35 sets x 3 games, twenty times
    assert study.complete


def test_a_set_tells_whether_it_holds_a_card(small: Path):
    study = open_study(small)
    dealt = study.players.select(
        *(study.holds("dealt", card).alias(card) for card in study.manifest.enums.cards)
    )
    rows = dealt.collect()
    assert rows.select(pl.sum_horizontal(pl.all())).to_series().unique().to_list() == [5]
    with pytest.raises(UserError, match='no "bnak" among the cards; did you mean bank'):
        study.holds("dealt", "bnak")
    with pytest.raises(UserError, match="score is not a column of sets"):
        study.holds("score", "bank")


def test_every_column_of_sets_tells_what_it_holds(with_rounds: Path):
    study = open_study(with_rounds)
    text = (Path(__file__).parents[2] / "docs" / "dataset.md").read_text()
    assert set(SETS) == set(re.findall(r"^\| `(\w+)` \| UInt\d+ \| set of ", text, re.MULTILINE))
    players, rounds = study.players.collect(), study.rounds.collect()
    third = players.select(study.holds("leading", 3)).to_series()
    assert third.to_list() == (players["leading"] & 0b100 != 0).to_list()
    assert 0 < third.sum() < len(third)
    trade = rounds.select(study.holds("tiles_used", "trade")).to_series()
    assert trade.to_list() == (rounds["tiles_used"] & 0b1000 != 0).to_list()
    with pytest.raises(UserError, match='no "10" among the rounds; '):
        study.holds("leading", 10)
    with pytest.raises(UserError, match='no "trad" among the actions; did you mean trade'):
        study.holds("tiles_set_aside", "trad")


def test_a_table_that_was_not_asked_for_is_named(small: Path):
    with pytest.raises(UserError, match="has no table rounds; play the study with --rounds"):
        _ = open_study(small).rounds


def test_a_folder_without_a_study_is_named(tmp_path: Path):
    with pytest.raises(UserError, match=r"holds no study \(manifest.json is missing\)"):
        open_study(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(
        UserError, match=r"manifest\.json: not valid JSON: .*; play the study again, into another folder"
    ):
        open_study(tmp_path)
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(UserError, match="is not the manifest of a study"):
        open_study(tmp_path)


def test_the_manifest_tells_everything_that_was_played(small: Path):
    manifest = open_study(small).manifest
    assert manifest.plan.rotate == "strategies"
    assert manifest.rotation.startswith("the strategies move around the table")
    assert (manifest.games, manifest.groups, manifest.group_size) == (400, 100, {4: 4})
    assert [strategy.name for strategy in manifest.strategies] == [
        "random",
        "first-legal",
        "idle",
        "random",
    ]
    assert manifest.enums.strategies == ["random", "first-legal", "idle"]
    assert manifest.versions.khora == khora_sim.__version__
    assert sum(part.games for part in manifest.parts) == 400
    assert manifest.rules.toml.count("[cards.") == 40


def test_csv_holds_the_same_numbers(small: Path, tmp_path: Path):
    study = open_study(small)
    games, players = export_csv(study, tmp_path / "csv")
    assert [path.name for path in (games, players)] == ["games.csv", "players.csv"]
    frame = pl.read_csv(players)
    assert frame.columns == study.table("players").collect_schema().names()
    assert frame["score"].to_list() == study.players.collect()["score"].to_list()
    assert frame["strategy"][:4].to_list() == ["random", "first-legal", "idle", "random"]
