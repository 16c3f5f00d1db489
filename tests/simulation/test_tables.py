"""What the tables say, and that the page about them is true."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from khora_sim.engine.match import Match
from khora_sim.engine.scoring import places
from khora_sim.rules import load_rules
from khora_sim.rules.terms import Achievement, Action, word
from khora_sim.simulation import column_buffers
from khora_sim.simulation.chunk import Standings
from khora_sim.simulation.manifest import Manifest
from khora_sim.simulation.study import open_study
from tests.simulation.folders import plan_for, run

PAGE = Path(__file__).parents[2] / "docs" / "dataset.md"


def test_places_go_by_points_then_drachmas_and_equals_share():
    points = np.array([[10, 12, 12, 3], [5, 5, 5, 5], [9, 8, 7, 6]])
    drachmas = np.array([[9, 1, 2, 0], [3, 3, 1, 0], [0, 0, 0, 9]])
    assert places(points, drachmas).tolist() == [[3, 2, 1, 4], [1, 1, 3, 4], [1, 2, 3, 4]]


def test_a_shared_victory_is_shared_in_equal_parts():
    standings = Standings(np.array([[7, 7, 7, 1]]), np.array([[2, 2, 2, 0]]), np.zeros((1, 3, 4), int))
    assert standings.win_share.tolist() == [[1 / 3, 1 / 3, 1 / 3, 0]]


def test_the_lead_passes_on_when_another_leads_alone():
    vp = np.array([[[5, 3], [5, 5], [6, 7], [9, 7]]])  # first, both, second, first; then the second wins
    standings = Standings(np.array([[10, 12]]), np.array([[0, 0]]), vp)
    assert standings.lead_changes().tolist() == [3]
    assert standings.leading().tolist() == [[0b1011, 0b0110]]


@pytest.mark.parametrize("fixture", ["small", "with_rounds"])
def test_parts_sum_exactly_to_the_score(fixture: str, request: pytest.FixtureRequest):
    players = open_study(request.getfixturevalue(fixture)).players.collect()
    cards = [name for name in players.columns if name.startswith("card_points_")]
    assert len(cards) == 40
    assert (players.select(pl.sum_horizontal(column_buffers.PARTS)).to_series() == players["score"]).all()
    in_detail = players.select(pl.sum_horizontal(cards)).to_series()
    assert (in_detail == players["points_cards"] + players["points_end_game_cards"]).all()
    developments = players.select(pl.sum_horizontal(f"points_development_{n}" for n in (1, 2, 3, 4)))
    assert (developments.to_series() == players["points_developments"]).all()


def test_points_to_start_with_are_a_part(tmp_path: Path):
    (tmp_path / "rich.toml").write_text('name = "rich"\ntext = "Points to begin with."\n[start]\nvp = 7\n')
    run(tmp_path / "study", games=40, rules=str(tmp_path / "rich.toml"))
    players = open_study(tmp_path / "study").players.collect()
    assert players["points_start"].unique().to_list() == [7]
    assert (players.select(pl.sum_horizontal(column_buffers.PARTS)).to_series() == players["score"]).all()


def test_a_row_tells_what_the_engine_says_of_that_game(small: Path):
    from khora_sim.engine.kernels import kernels
    from khora_sim.simulation.seating import set_ups
    from khora_sim.strategy.games import play_set_ups

    plan = plan_for()
    games, ledgers = play_set_ups(plan.rules, set_ups(plan, plan.sections[0], 0, 2), plan.strategies)
    study = open_study(small)
    kernels()
    for place in range(8):
        game, ledger = games[place], ledgers[place]
        rows = study.players.filter(pl.col("game") == place).collect()
        assert rows["score"].to_list() == game["vp"].tolist()
        assert rows["dealt"].to_list() == ledger["dealt"].tolist()
        assert rows["card_round_bank"].to_list() == ledger["card_round"][:, 0].tolist()
        assert rows["actions_trade"].to_list() == ledger["actions"][:, Action.TRADE].tolist()
        assert rows["achieved_troops"].to_list() == ledger["achieved_round"][:, Achievement.TROOPS].tolist()
        assert rows["level_military"].to_list() == game["level"][:, 2].tolist()
        row = study.games.filter(pl.col("game") == place).collect()
        names = [plan.rules.event_ids[event] for event in game["events"][:9]]
        assert [row[f"event_{number}"][0] for number in range(1, 10)] == names
        match = Match(plan.rules, 4, row["seed"][0])
        assert rows["city"].to_list() == [plan.rules.city_ids[city] for city in match.game.city]
        assert rows["is_first"].to_list() == [seat == match.game.first_player for seat in range(4)]
        assert row["first_seat"].to_list() == [match.game.first_player + 1]


def test_games_and_players_agree(small: Path):
    study = open_study(small)
    games, players = study.games.collect(), study.players.collect()
    assert games["game"].to_list() == list(range(400))
    assert games["rotation_group"].to_list() == [number // 4 for number in range(400)]
    assert players["seat"].to_list() == [1, 2, 3, 4] * 400
    first = players.filter(pl.col("place") == 1).group_by("game", maintain_order=True)
    best = first.agg(pl.col("seat").first(), pl.len(), pl.col("score").first())
    assert best["seat"].to_list() == games["winner"].to_list()
    assert best["len"].to_list() == games["winners"].to_list()
    assert best["score"].to_list() == games["winning_score"].to_list()
    assert players.group_by("game").agg(pl.col("win_share").sum())["win_share"].unique().to_list() == [1.0]


def test_seats_and_slots_count_from_1_in_all_tables(tmp_path: Path):
    run(tmp_path / "study", games=40, first_player=3, rounds=True)
    study = open_study(tmp_path / "study")
    games, players, rounds = (study.table(name).collect() for name in ("games", "players", "rounds"))
    assert games["first_seat"].unique().to_list() == [3]
    assert players.filter("is_first")["seat"].unique().to_list() == [3]
    assert players["slot"].to_list()[:8] == [1, 2, 3, 4, 4, 1, 2, 3]
    assert players["strategy"].to_list()[4:8] == players["strategy"].gather([3, 0, 1, 2]).to_list()
    assert rounds["seat"].to_list()[:8] == [1, 2, 3, 4, 1, 2, 3, 4]
    won = players.filter(pl.col("win_share") > 0).group_by("game", maintain_order=True).first()
    assert won["seat"].to_list() == games["winner"].to_list()
    assert set(games["winner"]) == {1, 2, 3, 4}


def test_the_last_round_and_the_end_agree(with_rounds: Path):
    study = open_study(with_rounds)
    rounds, players = study.rounds.collect(), study.players.collect()
    assert rounds["round"].to_list()[:6] == [1, 1, 1, 2, 2, 2]
    assert len(rounds) == 9 * len(players)
    last = rounds.filter(pl.col("round") == 9)
    for column in ("city", "strategy", "win_share", "level_economy", "cards_in_play", "hand", "development"):
        assert (last[column] == players[column]).all()
    leads = rounds.with_columns((pl.col("vp") == pl.col("vp").max().over("game", "round")).alias("leads"))
    third = leads.filter(pl.col("round") == 3)["leads"]
    assert (third == (players["leading"] & 0b100 != 0)).all()


def test_achievements_are_alone_or_shared(small: Path):
    players = open_study(small).players.collect()
    for achievement in Achievement:
        name = word(achievement).replace("-", "_")
        earned = (pl.col(f"achieved_{name}") > 0).sum().over("game")
        alone = players.select((pl.col(f"achieved_{name}") > 0) & (earned == 1)).to_series()
        assert (alone == players[f"alone_{name}"]).all()


def documented(table: str) -> list[tuple[str, str]]:
    """Names and types of the columns that the page lists, with its short forms spelled out."""
    rules = load_rules()
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {table}\n")[1].split("\n## ")[0]
    members = {
        "<card>": [card.replace("-", "_") for card in rules.card_ids],
        "<round>": [str(number) for number in range(1, 10)],
        "<action>": [word(action) for action in Action],
        "<achievement>": [word(one).replace("-", "_") for one in Achievement],
    }
    found = []
    for cell, kind in re.findall(r"^\| (`.*?) \| (\w[^|]*?) \|", section, re.MULTILINE):
        names = re.findall(r"`(.*?)`", cell)
        if "…" in cell:
            names = [f"points_development_{number}" for number in (1, 2, 3, 4)]
        for name in names:
            short = re.search(r"<\w+>", name)
            spelled = [name.replace(short[0], one) for one in members[short[0]]] if short else [name]
            found += [(one, kind) for one in spelled]
    return found


@pytest.mark.parametrize("table", ["games", "players", "rounds"])
def test_the_page_lists_every_column_with_its_type_in_order(table: str, with_rounds: Path):
    actual = open_study(with_rounds).table(table).collect_schema()
    kinds = {"Enum (cities)": pl.Enum, "Enum (events)": pl.Enum, "Enum (strategies)": pl.Enum}
    listed = documented(table)
    assert [name for name, _ in listed] == list(actual)
    for name, kind in listed:
        assert actual[name] == kinds.get(kind) or str(actual[name]) == kind, name


def test_the_page_lists_every_key_of_the_manifest(small: Path):
    section = PAGE.read_text(encoding="utf-8").split("\n## manifest.json\n")[1]
    listed = [
        name
        for cell in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
        for name in re.findall(r"`(.*?)`", cell)
    ]
    assert listed == list(Manifest.model_fields) == list(json.loads((small / "manifest.json").read_text()))


def test_no_value_is_null(with_rounds: Path):
    study = open_study(with_rounds)
    for table in study.tables:
        nulls = study.table(table).null_count().collect()
        assert sum(nulls.row(0)) == 0
