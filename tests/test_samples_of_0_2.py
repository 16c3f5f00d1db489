"""Files of khora 0.2 open with this version and mean the same, or are refused with one line.

They are of rules version 3. In version 4 a free level may be declined: the same seed gives another game where
somebody has that choice, and the same one where nobody has. What depends on it says so.

The commands of khora 0.2.0 that made `samples_of_0.2`:

    khora simulate --games 40 --strategies steward,random --seed 1 --rounds --out study
    khora replay --seed 7 --record record.json  # at that time random players played
    khora tune --cities none --budget 112games --games 8 --population 4 --seed 1 --out my_player.toml
    khora learn --players 2 --budget 200games --seed 1 --out value.npz
    khora gate --write --cards --strategies random --games 280          (baseline.json)
    khora what-if --set cards.lighthouse.cost=2 --strategies random --beside none --games 280 --out what-if

Scores and shares below are what khora 0.2.0 itself printed or played with them.
"""

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

import khora_sim
from khora_sim.analyses.gate import notes
from khora_sim.analyses.gate.baseline import read_baseline
from khora_sim.cli.main import app
from khora_sim.errors import UserError
from khora_sim.pages import study_data
from khora_sim.pages.sections import published as published_section
from khora_sim.pages.study_report import study_page
from khora_sim.records.record_format import read_record
from khora_sim.records.verifying import verify
from khora_sim.rules import RULES_VERSION
from khora_sim.simulation.study import check
from khora_sim.strategy import load

SAMPLES = Path(__file__).with_name("samples_of_0.2")
OLD_SAGE = Path(__file__).with_name("yardsticks") / "old_sage.py"
PLAYED = {"games": 40, "strategies": "steward,random", "seed": 1, "rounds": True}


def khora(*words: str | Path) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def scores(tmp_path: Path, strategy: str, players: int, games: int) -> list[int]:
    study = khora_sim.simulate(
        games=games, players=players, strategies=strategy, seed=1, out=tmp_path / "study", workers=1
    )
    return study.players.sort("game", "seat").collect()["score"].to_list()


def test_a_study_opens_with_its_shares_and_is_sound():
    study = khora_sim.open_study(SAMPLES / "study")
    assert (study.game_count, study.tables, study.complete) == (40, ["games", "players", "rounds"], True)
    assert check(SAMPLES / "study").sound
    won = {row["city"]: round(row["value"], 4) for row in study.win_shares().iter_rows(named=True)}
    assert won == {
        "olympia": 0.425,
        "miletus": 0.2917,
        "athens": 0.2,
        "thebes": 0.1786,
        "sparta": 0.1667,
        "corinth": 0.1429,
        "argos": 0.125,
    }
    assert re.search("olympia +42 % ± 17", khora("data", "show", SAMPLES / "study"))


def test_a_study_says_that_its_seeds_may_give_other_games_now():
    said = (
        f"Played with rules version 3; this khora plays version {RULES_VERSION}, in which the same seeds may "
        "give other games."
    )
    assert f"\n            {said}\n" in khora("data", "show", SAMPLES / "study")
    page = study_page(study_data.load(SAMPLES / "study"), "report", lambda _: None)
    assert f"{SAMPLES / 'study'}: {said}" in page.origin


def test_the_games_of_a_study_are_the_same_but_where_a_free_level_can_be_declined(tmp_path: Path):
    old = khora_sim.open_study(SAMPLES / "study")
    new = khora_sim.simulate(**PLAYED, out=tmp_path / "study", workers=1)
    asked = {6, 9, 10, 21, 22, 24, 26}  # games with such a decision
    declined = {24, 26}
    same = {"games": asked, "players": declined, "rounds": declined}
    for table in old.tables:
        here, there = (one.table(table).collect() for one in (old, new))
        kept = ~pl.col("game").is_in(same[table])
        assert_frame_equal(here.filter(kept), there.filter(kept))
        assert not here.filter(~kept).equals(there.filter(~kept))


def test_a_study_is_not_paired_with_one_of_this_rules_version(tmp_path: Path):
    khora_sim.simulate(**PLAYED, out=tmp_path / "study", workers=1)
    found = khora_sim.compare(SAMPLES / "study", tmp_path / "study")
    assert not found.paired
    assert found.differences == [
        f"Rules version 3 in A, {RULES_VERSION} in B: the same seeds may give other games.",
        "The strategy random was another version in A than in B.",
        f"khora 0.2.0 in A, {khora_sim.__version__} in B.",
    ]


def test_no_published_verdict_is_quoted_beside_a_study_of_another_rules_version():
    made = published_section.section(study_data.load(SAMPLES / "study"))
    assert made.lead == "No verdict along a ladder of players is published here for rules version 3."


def test_a_study_has_a_report_that_names_its_version():
    page = study_page(study_data.load(SAMPLES / "study"), "report", lambda _: None)
    assert page.facts == [
        "40 games of 4 players",
        "drawn for each group from steward, random; random cities",
        "rules base 25b9b3a50b4d",
        "seed 1",
        "khora 0.2.0",
    ]


def test_a_study_is_not_continued_by_another_version(tmp_path: Path):
    shutil.copytree(SAMPLES / "study", tmp_path / "study")
    with pytest.raises(UserError) as refused:
        khora_sim.simulate(**PLAYED, out=tmp_path / "study", resume=True, workers=1)
    assert str(refused.value) == (
        f"{tmp_path / 'study'}: holds another study (other rules: base 25b9b3a50b4d of rules version 3 "
        f"there, base 25b9b3a50b4d of rules version {RULES_VERSION} here); choose another --out"
    )


def test_a_damaged_study_is_said_to_need_its_own_version(tmp_path: Path):
    shutil.copytree(SAMPLES / "study", tmp_path / "study")
    next((tmp_path / "study" / "games").iterdir()).write_bytes(b"")
    told = CliRunner().invoke(app, ["data", "check", str(tmp_path / "study")])
    assert told.exit_code == 1
    assert told.output.splitlines()[-1] == (
        "They cannot be played again here: it was begun with khora 0.2.0, "
        f"and this is {khora_sim.__version__}: the parts would not match"
    )


def test_a_record_opens_with_its_scores_and_is_not_confirmed_by_other_rules():
    record = read_record(SAMPLES / "record.json")
    assert record.scores is not None
    assert {one.player: one.score for one in record.scores} == {
        "thebes": 3,
        "athens": 3,
        "sparta": 7,
        "olympia": 19,
    }
    with pytest.raises(UserError) as refused:
        verify(record)
    assert str(refused.value) == (
        "rules.version: the game was recorded with version 3 of the rules, in which the same seed and "
        f"decisions give another game, and this khora plays version {RULES_VERSION}; "
        "record it again (khora replay --record FILE)"
    )


def test_a_record_is_made_again_by_its_seed_and_confirmed(tmp_path: Path):
    """Nobody could decline a free level in this game, so nothing but the version differs."""
    khora("replay", "--seed", "7", "--strategies", "random", "--record", tmp_path / "again.json")
    old, new = (json.loads(path.read_text()) for path in (SAMPLES / "record.json", tmp_path / "again.json"))
    assert old["rules"].pop("version") == "3"
    assert new["rules"].pop("version") == RULES_VERSION
    assert old == new
    found = verify(read_record(tmp_path / "again.json"))
    assert (found.decisions, found.over, found.scores, found.seeded) == (138, True, True, True)


def test_tuned_weights_say_how_they_were_made_and_play_the_same(tmp_path: Path):
    weights = str(SAMPLES / "my_player.toml")
    shown = khora("strategies", "show", weights)
    assert "Made with: khora tune --start steward" in shown
    assert "5.0% (1.9% to 12.2%) of 80 games won, 4 players, all others expert" in shown
    assert scores(tmp_path, weights, players=4, games=4) == [
        *(49, 79, 75, 78),
        *(73, 65, 90, 74),
        *(57, 68, 70, 66),
        *(57, 60, 75, 71),
    ]


def test_a_learned_value_plays_the_same_in_the_hands_of_the_sage_of_then(tmp_path: Path):
    assert load(f"sage:learned={SAMPLES / 'value.npz'}").learned is not None
    learned = f"{OLD_SAGE}:learned={SAMPLES / 'value.npz'}"
    assert scores(tmp_path, learned, players=2, games=4) == [33, 53, 50, 31, 45, 25, 18, 65]


def test_a_baseline_opens_and_is_compared_as_one_of_other_games():
    assert read_baseline(SAMPLES / "baseline.json").khora == "0.2.0"
    found = khora_sim.gate(SAMPLES / "baseline.json", workers=1)
    assert (found.unchanged, found.same_plan, found.same_luck) == (False, False, False)
    assert Counter(row.kind for row in found.rows) == {"city": 7, "seat": 4, "card": 40}
    assert (
        f"The baseline is of rules version 3; this khora plays version {RULES_VERSION}, in which the same "
        "seed may give another game. Changes may come from that; --write makes the baseline again."
    ) in notes(found)


@pytest.mark.parametrize("given", [{"resume": True}, {"set": "cards.lighthouse.cost=2", "games": 280}])
def test_a_run_of_an_analysis_is_neither_resumed_nor_overwritten(given: dict, tmp_path: Path):
    """Only its plan is a sample: it is what such a folder is known by."""
    folder = tmp_path / "what-if"
    shutil.copytree(SAMPLES / "what-if", folder)
    with pytest.raises(UserError) as refused:
        khora_sim.what_if(**given, out=folder, workers=1)
    assert str(refused.value) == f"{folder}: was made by an earlier version of khora; choose another --out"
    assert [path.name for path in folder.iterdir()] == ["plan.json"]
