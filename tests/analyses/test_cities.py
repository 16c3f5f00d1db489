"""Cities along a ladder of players: what is played, when it stops, and what is answered."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import khora_sim
from khora_sim.analyses.cities import (
    COMMAND,
    LADDER,
    SUMMING,
    CitiesOptions,
    arms_of,
    most_games,
    widest,
)
from khora_sim.common.seed_ranges import JUDGING
from khora_sim.errors import UserError
from khora_sim.pages.published_answers import CitiesAnswer, read_answer
from khora_sim.simulation.run_dir import SavedPlan
from khora_sim.simulation.study import open_study
from khora_sim.simulation.summing import players_summed
from tests.pages.browser import look


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`idle` and `random` at tables of 4 and 2, 140 games each; `first-legal` is a peer of `random`."""
    out = tmp_path_factory.mktemp("cities") / "answer"
    khora_sim.cities("idle", "random", peers="first-legal", players="4,2", games=140, out=out)
    return out


@pytest.fixture(scope="module")
def answer(folder: Path) -> CitiesAnswer:
    return read_answer(folder / "answer.json")


def studies(folder: Path) -> list[Path]:
    return sorted((folder / "studies").iterdir())


def test_every_player_plays_every_set_of_cities_equally_often_on_judging_seeds(folder: Path):
    assert len(studies(folder)) == 6
    study = open_study(studies(folder)[0])
    assert study.plan.seed in JUDGING
    assert (study.plan.cities, study.plan.rotate, study.plan.lineup) == ("all", "cities", "same")
    assert study.complete


def test_the_shares_are_those_of_the_study_and_sum_to_the_games(folder: Path, answer: CitiesAnswer):
    table = answer.at(4)
    assert table is not None
    own = table.strongest
    assert (own.strategy, own.games) == ("random", 140)
    (path,) = [one for one in studies(folder) if one.name.startswith("random-4")]
    shown = {row["city"]: row["value"] for row in open_study(path).win_shares("city").to_dicts()}
    assert {city: one.share.value for city, one in own.cities.items()} == shown
    assert sum(one.share.value * one.share.n for one in own.cities.values()) == pytest.approx(140)


def test_facts_of_the_games_come_with_the_shares(folder: Path, answer: CitiesAnswer):
    table = answer.at(2)
    assert table is not None
    facts = table.strongest.facts
    assert len(facts.leader_wins) == 9
    assert facts.leader_wins[-1].value > 0.5
    assert facts.score.n == 2 * table.strongest.games
    assert facts.military_wins is not None
    assert facts.experienced_winners.value == 0.0
    assert facts.experienced_winners.high > 0


def test_peers_give_the_spread_of_a_city_and_are_not_on_the_ladder(answer: CitiesAnswer):
    table = answer.at(4)
    assert table is not None
    assert [one.strategy for one in table.ladder] == ["idle", "random"]
    ours, theirs = (one.cities["athens"].share.value for one in (table.strongest, table.peers[0]))
    assert table.spread("athens") == pytest.approx(abs(ours - theirs))
    assert table.peers[0].cities["athens"].p_holm is None


def test_a_finished_answer_is_extended_by_another_player_without_playing_again(folder: Path):
    before = {path: path.stat().st_mtime_ns for path in (folder / "studies").rglob("*.parquet")}
    longer = khora_sim.cities("merchant", resume=True, out=folder, workers=1)
    assert [one.strategy for one in longer.tables[0].ladder] == ["idle", "random", "merchant"]
    assert len(studies(folder)) == 8
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_precision_is_reached_and_ends_the_study_after_whole_turns_of_all_sets(tmp_path: Path):
    answer = khora_sim.cities("random", precision=4, out=tmp_path / "precise")
    (table,) = answer.tables
    assert max(one.share.margin for one in table.strongest.cities.values()) <= 0.04
    (path,) = studies(tmp_path / "precise")
    study = open_study(path)
    assert study.game_count < study.manifest.games
    assert study.game_count % (35 * 4) == 0
    assert {one.share.n for one in table.strongest.cities.values()} == {study.game_count * 4 // 7}
    again = khora_sim.cities(resume=True, out=tmp_path / "precise")
    assert again == answer
    for damaged in ((0,), (0, 2)):
        for number in damaged:
            (path / "players" / f"part-{number:05}.parquet").write_bytes(b"")
        assert khora_sim.cities(resume=True, out=tmp_path / "precise") == answer


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_most_games_of_a_precision_are_enough_for_any_share(players: int):
    (arm,) = arms_of(CitiesOptions.of({"strategies": "random", "players": players, "precision": 1})).values()
    games = most_games(arm.study, 1, 7)
    assert games == arm.games
    assert arm.chunks == 16
    of_a_city = games * players / 7
    assert 1.96 * (0.25 / of_a_city) ** 0.5 < 0.01


def test_the_widest_margin_is_that_of_the_worst_known_city(folder: Path):
    (path,) = [one for one in studies(folder) if one.name.startswith("random-4")]
    study = open_study(path)
    (arm,) = arms_of(CitiesOptions.of({"strategies": "random", "games": 140})).values()
    margins = [(high - low) / 2 for low, high in study.win_shares().select("low", "high").iter_rows()]
    sums = players_summed(arm, study.table("players"), SUMMING)
    assert widest(sums, study.rows_per_group) == pytest.approx(max(margins))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"strategies": ("random", "random")}, "random: named twice; name every player once"),
        ({"strategies": ("random",), "peers": ("random",)}, "random: named twice"),
        ({"players": (4, 4)}, "--players 4,4: name every size of table once"),
        ({"precision": 0.0}, "--precision 0.0: expected"),
        ({"games": 1, "precision": 1.0}, "--games and --precision: give one of them"),
        ({"players": (9,)}, "--players 9: expected 2, 3 or 4, or several of them"),
        ({"strategies": ()}, "a ladder needs a player; name some"),
        (
            {"strategies": ("merchant",), "peers": ("merchant:patience=3",)},
            "--peers: merchant:patience=3 is the same player as merchant; name players that were trained",
        ),
        ({"strategies": ("sagge",)}, "there is no strategy 'sagge'; did you mean sage?"),
    ],
)
def test_what_cannot_be_asked_is_reported_in_one_line(asked: dict, message: str):
    with pytest.raises(UserError, match=r"^[^\n]*$") as problem:
        arms_of(CitiesOptions.of(asked))
    assert message in str(problem.value)


def test_nothing_named_is_the_usual_ladder():
    assert CitiesOptions.of({}).strategies == LADDER
    assert CitiesOptions.of({"precision": 1.0}).games_wanted is None


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A folder in which a ladder of two was begun."""
    options = CitiesOptions.of({"strategies": ("random", "steward"), "games": 280})
    plan = SavedPlan(command="cities", options=options.plan(), identity={})
    (tmp_path / "plan.json").write_text(plan.model_dump_json())
    return tmp_path


def resumed(out: Path, **asked: Any) -> CitiesOptions:
    return COMMAND.resolve({"out": out, "resume": True, **asked})


def test_players_and_tables_come_in_addition(begun: Path):
    longer = resumed(begun, strategies=("expert",), peers="sage", players="2")
    assert longer.strategies == ("random", "steward", "expert")
    assert (longer.peers, longer.players, longer.games) == (("sage",), (4, 2), 280)


def test_naming_all_of_them_again_puts_them_in_order(begun: Path):
    named = ("random", "merchant", "steward")
    assert resumed(begun, strategies=named).strategies == named


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"games": 140}, "--games differs from what it was begun with (cities random steward --games 280)"),
        ({"seed": 5}, "--seed differs from what it was begun with"),
        (
            {"precision": 1.0},
            "--precision differs from what it was begun with (cities random steward --games ",
        ),
        ({"peers": "random"}, "random: named twice"),
    ],
)
def test_what_does_not_fit_the_folder_is_reported(begun: Path, asked: dict[str, Any], message: str):
    with pytest.raises(UserError, match=r"^[^\n]*$") as problem:
        resumed(begun, **asked)
    assert message in str(problem.value)


def test_a_stranger_s_plug_in_is_run_only_when_it_is_named(begun: Path):
    plan = json.loads((begun / "plan.json").read_text())
    plan["options"]["strategies"] = ["random", "./evil.py"]
    (begun / "plan.json").write_text(json.dumps(plan))
    again = "run only when you name it; if you trust it, type: khora cities random ./evil.py "
    with pytest.raises(UserError, match=again):
        resumed(begun)
    assert resumed(begun, strategies=("./evil.py",)).strategies == ("random", "./evil.py")


def test_a_folder_has_the_answer_a_page_and_a_picture_of_every_size_of_table(folder: Path):
    assert "At 2 players" in (folder / "index.html").read_text()
    assert {path.name for path in (folder / "figures").iterdir()} == {
        *("cities-4.svg", "cities-4.png", "cities-2.svg", "cities-2.png")
    }
    assert (folder / "figures" / "cities-4.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "tables" / "cities-4.csv").exists()


@pytest.mark.slow
def test_the_page_fits_a_phone(folder: Path, tmp_path: Path):
    shown = look(folder / "index.html", tmp_path)
    assert (shown["problems"], shown["wide"]) == ([], [])
    assert shown["width"] <= 390
    assert all(one["outside"] == [] for one in shown["figures"])


def test_linked_studies_are_refused(folder: Path, tmp_path: Path):
    shutil.copytree(folder, tmp_path / "out")
    (tmp_path / "out" / "studies").rename(tmp_path / "elsewhere")
    (tmp_path / "out" / "studies").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="is a link, and a run is written to no place but its folder"):
        khora_sim.cities(resume=True, out=tmp_path / "out")
