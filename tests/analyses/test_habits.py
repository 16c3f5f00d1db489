"""Habits: what is done is counted as in a study of the same games, and what is never done is named."""

import json
from pathlib import Path

import polars as pl
import pytest

import khora_sim
from khora_sim.analyses.analysis import Run
from khora_sim.analyses.habits import Habits, HabitsOptions, arm_of, columns_for, measured
from khora_sim.errors import UserError
from khora_sim.simulation.experiment import Design
from khora_sim.simulation.run import play
from khora_sim.simulation.sinks import Columns
from khora_sim.simulation.study import OpenStudy
from khora_sim.stats import share_table
from tests.strategy.plug_ins import write_plug_in

#: Plays sensibly, but declines every development of one city.
BLIND_IN_MILETUS = """
from khora_sim.rules import load_rules

MILETUS = load_rules().city_ids.index("miletus")

@rule
def rate(view, options, scores):
    rate_by_prices(view, options, scores, sensible_prices(view))
    if is_development(view) and view.game.city[view.me] == MILETUS:
        for number in range(len(options)):
            scores[number] = 1.0 if declines(np.int64(options[number])) else 0.0
"""


def of_random(workers: int = 1) -> Habits:
    """Habits in the games of the study below."""
    options = HabitsOptions.of({"strategy": "random", "workers": workers})
    return measured(arm_of("random", 4, 280, seed=5), Run(options))


@pytest.fixture(scope="module")
def few() -> Habits:
    return of_random()


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> OpenStudy:
    out = tmp_path_factory.mktemp("habits") / "study"
    return khora_sim.simulate(strategies="random", games=280, seed=5, cities="all", rounds=True, out=out)


def row(table: pl.DataFrame, **keys: object) -> dict:
    (found,) = table.filter(**keys).to_dicts()
    return found


def test_a_planted_blind_spot_is_named_and_no_other_development(tmp_path: Path):
    path = write_plug_in(tmp_path, "blind", BLIND_IN_MILETUS)
    found = khora_sim.habits(str(path), games=1960)
    spots = [spot for spot in found.blind_spots if spot.kind == "development"]
    assert [(spot.sentence, spot.cities, spot.share.value) for spot in spots] == [
        ("never unlocks Miletus 2", ("miletus",), 0.0)
    ]
    assert spots[0].share.n == 4 * 1960 // 7


def test_developments_are_counted_as_in_a_study(few: Habits, study):
    wanted = study.players.with_columns((pl.col("development") >= 2).cast(pl.Float64).alias("second"))
    table = share_table(wanted, "city", value="second", rows_per_group=4)
    found = few.rates.developments.filter(development=2)
    for column in ("value", "low", "high", "n"):
        assert found[column].to_list() == pytest.approx(table[column].to_list(), rel=1e-12)


def test_the_next_development_is_counted_among_those_who_could_have_it(few: Habits, study):
    players = study.players.filter(city="athens").collect()
    third = row(few.rates.next_developments, city="athens", development=3)
    assert third["n"] == (players["development"] >= 2).sum()
    assert third["value"] == pytest.approx((players["development"] >= 3).sum() / third["n"])


def test_a_development_is_unlocked_in_the_first_round_that_shows_it(few: Habits, study):
    rounds = study.rounds.filter((pl.col("city") == "argos") & (pl.col("development") >= 2)).collect()
    firsts = rounds.group_by("game", "seat").agg(pl.col("round").min())["round"]
    found = row(few.rates.development_rounds, city="argos", development=2)
    assert (found["value"], found["n"]) == (pytest.approx(firsts.mean()), len(firsts))


def test_actions_are_shares_of_the_tiles_paid_for(few: Habits, study):
    used = study.rounds.filter((pl.col("city") == "sparta") & (pl.col("round") == 3)).collect()["tiles_used"]
    tiles = sum(int(one).bit_count() for one in used)
    trade = sum(int(one) >> 3 & 1 for one in used)
    found = row(few.rates.actions_by_round, city="sparta", round=3, action="trade")
    assert (found["value"], found["n"]) == (pytest.approx(trade / tiles), tiles)
    whole = few.rates.actions.group_by("city").agg(pl.col("value").sum())["value"]
    assert whole.to_list() == pytest.approx([1] * 7)


def test_tracks_and_levels_are_those_at_the_end(few: Habits, study):
    levels = study.players.filter(city="olympia").collect()["level_culture"]
    assert row(few.rates.tracks, city="olympia", track="culture")["value"] == pytest.approx(levels.mean())
    third = row(few.rates.levels, city="olympia", track="culture", level=3)
    assert third["value"] == pytest.approx((levels >= 3).mean())
    fourth = row(few.rates.next_levels, city="olympia", track="culture", level=4)
    assert fourth["n"] == (levels >= 3).sum()


def test_cards_are_kept_of_those_dealt_and_played_of_those_in_hand(few: Habits, study):
    players = study.players.with_columns(
        study.holds("dealt", "bank").alias("was_dealt"), study.holds("drafted", "bank").alias("was_held")
    ).collect()
    dealt, held = players.filter("was_dealt"), players.filter("was_held")
    kept = row(few.rates.cards_kept, card="bank")
    assert (kept["value"], kept["n"]) == (pytest.approx(dealt["was_held"].mean()), len(dealt))
    used = row(few.rates.cards_used, card="bank")
    assert (used["value"], used["n"]) == (pytest.approx((held["card_round_bank"] > 0).mean()), len(held))
    played = row(few.rates.cards_played, card="bank")
    assert (played["value"], played["n"]) == (pytest.approx((players["card_round_bank"] > 0).mean()), 1120)
    by_city = few.rates.cards_used_by_city.filter(card="bank")["n"].sum()
    assert by_city == len(held)


def test_spaces_are_counted_by_games(few: Habits, study):
    explored = study.games.select(study.holds("explored", "persepolis").mean()).collect().item()
    found = row(few.rates.spaces, space="persepolis")
    assert (found["value"], found["n"]) == (pytest.approx(explored), 280)


def test_the_answer_does_not_depend_on_the_workers(few: Habits):
    assert of_random(workers=2).data() == few.data()


def test_columns_in_memory_are_those_of_a_study(study):
    arm = arm_of("random", 4, 280, seed=5)
    sink = Columns(columns_for(arm.rules))
    play(Design((arm,)), sink)
    for name in ("games", "players", "rounds"):
        found = sink.table(name).collect()
        assert found.equals(getattr(study, name).select(found.columns).collect())


def test_finished_games_are_taken_from_the_folder_and_damaged_ones_are_played_again(tmp_path: Path):
    asked = {"games": 280, "out": tmp_path / "out", "workers": 1}
    found = khora_sim.habits("random", **asked).data()
    first, *others = sorted((tmp_path / "out" / "parts").iterdir())
    assert others
    first.write_bytes(first.read_bytes()[:-1])
    times = [one.stat().st_mtime_ns for one in others]
    assert khora_sim.habits(resume=True, out=tmp_path / "out").data() == found
    assert [one.stat().st_mtime_ns for one in others] == times
    assert json.loads((tmp_path / "out" / "answer.json").read_text()) == json.loads(json.dumps(found))


def test_a_variant_has_habits_of_its_own(tmp_path: Path):
    short = tmp_path / "short.toml"
    short.write_text("rounds = 3\n")
    rounds = khora_sim.habits("random", games=140, rules=str(short)).rates.actions_by_round["round"]
    assert rounds.max() == 3


def test_few_games_claim_no_blind_spot_but_say_that_more_may_be():
    found = khora_sim.habits("idle", games=140)
    assert found.blind_spots == ()
    assert found.undecided > 100


def test_a_player_that_does_nothing_is_blind_in_every_city():
    found = khora_sim.habits("idle", games=1400)
    assert "never unlocks development 2 in any city" in [spot.sentence for spot in found.blind_spots]


def test_a_script_gets_plain_numbers(few: Habits):
    found = json.loads(json.dumps(few.data(), allow_nan=False))
    assert (found["strategy"], found["players"], found["games"], found["limit"]) == ("random", 4, 280, 0.02)
    assert len(found["developments"]) == 21
    assert set(found["actions"][0]) == {"city", "action", "value", "low", "high", "n"}


def test_who_does_not_exist_has_no_habits():
    with pytest.raises(UserError, match="there is no strategy 'stewart'; did you mean steward"):
        khora_sim.habits("stewart")
