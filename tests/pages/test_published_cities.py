"""The published verdict: it comes with the package, and a report quotes it only for the same game."""

import json
from pathlib import Path

import pytest

from khora_sim.analyses.cities import LADDER
from khora_sim.pages.published_answers import origin, published, published_exploit, published_for
from khora_sim.pages.sections import published as published_section
from khora_sim.pages.study_data import StudyData, load
from khora_sim.rules import load_rules
from tests.pages.synthetic import make_study


def test_the_published_verdict_is_about_the_base_game_of_this_version():
    rules = load_rules()
    answer = published()
    assert (answer.rules.hash, answer.rules.version) == (rules.hash, rules.version)
    assert [table.players for table in answer.tables] == [4, 3, 2]
    assert all(tuple(one.strategy for one in table.ladder) == LADDER for table in answer.tables)


def test_it_says_where_it_comes_from():
    message = origin(published())
    assert f"rules base {load_rules().short_hash}" in message
    assert "seed 3000000000" in message
    assert all(len(one.digest) == 16 for table in published().tables for one in table.ladder)


def test_shares_of_every_player_sum_to_its_games():
    for table in published().tables:
        for one in (*table.ladder, *table.peers):
            won = sum(city.share.value * city.share.n for city in one.cities.values())
            assert won == pytest.approx(one.games)


def test_other_rules_have_no_published_verdict():
    rules = load_rules()
    assert published_for("0" * 64, rules.version) is None
    assert published_for(rules.hash, "2") is None


def test_a_report_of_the_base_game_quotes_it_with_its_origin_and_every_n(data: StudyData):
    made = published_section.section(data)
    assert made.lead.startswith("Not from this study, but published for the same rules. At 4 players, from ")
    assert made.notes[-1].startswith("The published verdict: rules base ")
    assert made.figures[0].counted.startswith("n ")
    names = [table.name for table in made.tables]
    gains = ["published-gains"] if published_exploit() else []
    assert names == ["published-cities", *gains, "published-developments"]


def test_a_report_of_a_variant_says_that_there_is_none_and_how_to_make_one(tmp_path: Path):
    (tmp_path / "v.toml").write_text('name = "short"\nrounds = 8\n')
    rules = load_rules(tmp_path / "v.toml")
    made = published_section.section(load(make_study(tmp_path / "study", games=40, rules=rules)))
    assert made.figures == ()
    assert "is published for rules short; khora cities --precision 1" in made.lead
    assert made.missing == {"city-ladder": made.lead}


def test_a_study_with_an_option_of_the_game_is_not_compared_with_it(tmp_path: Path):
    path = make_study(tmp_path / "study", games=40, rounds=False) / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["plan"]["reroll"] = True
    path.write_text(json.dumps(manifest))
    made = published_section.section(load(path.parent))
    assert (
        made.lead
        == "The published verdict along the ladder of players is about games without special options."
    )
