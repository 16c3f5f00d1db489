"""A study as flags or as a TOML file, checked."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from khora_sim.errors import UserError
from khora_sim.simulation.experiment import plan_study
from khora_sim.simulation.study_file import Study, read_study, study_of
from tests.simulation.folders import plan_for


def test_a_file_says_the_same_as_flags(tmp_path: Path):
    file = tmp_path / "study.toml"
    file.write_text(
        'games = 200\nplayers = [2, 3]\nstrategies = ["random", "idle"]\ncities = "all"\nreroll = true\n'
    )
    flags = {"games": 200, "players": "2,3", "strategies": "random, idle", "cities": "all", "reroll": True}
    assert read_study(file) == study_of(flags)


def test_flags_change_what_a_file_says(tmp_path: Path):
    file = tmp_path / "study.toml"
    file.write_text('games = 200\nstrategies = "random"\n')
    study = read_study(file, games=8, seed=3)
    assert (study.games, study.seed, study.strategies) == (8, 3, ("random",))


def test_adept_plays_where_nobody_is_named(tmp_path: Path):
    (tmp_path / "study.toml").write_text("games = 4\n")
    assert read_study(tmp_path / "study.toml").strategies == study_of({}).strategies == ("adept",)
    assert study_of({"by_city": "athens=random"}).strategies == ()


def test_a_variant_is_found_beside_the_study_file(tmp_path: Path):
    (tmp_path / "short.toml").write_text('name = "short"\ntext = "A short game."\nrounds = 8\n')
    (tmp_path / "study.toml").write_text('games = 4\nstrategies = "random"\nrules = "short.toml"\n')
    assert plan_study(read_study(tmp_path / "study.toml")).rules.model.rounds == 8


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"games": 0}, "games: 0 given; expected a whole number from 1 to 2,000,000,000"),
        ({"players": "5"}, 'players: "5" given; expected a whole number from 2 to 4'),
        ({"game": 3}, "game: unknown key; did you mean games?"),
        (
            {"rotate": "seats"},
            'rotate: "seats" given; expected one of: auto, strategies, cities, both, none',
        ),
        ({"strategies": ""}, "no strategies; say who plays, for example: strategies = adept"),
        ({"cities": "spartta"}, 'cities: no city is called "spartta"; did you mean sparta?'),
        ({"cities": "sparta,sparta"}, "cities: sparta, sparta: each city is there once"),
        (
            {"cities": "sparta,athens,argos", "players": 2, "strategies": "random"},
            "cities: 3 cities for 2 seats",
        ),
        ({"lineup": "same"}, "lineup: same is for one strategy, and 4 are named; try pool"),
        (
            {"lineup": "seats", "players": 3},
            "lineup: seats needs a strategy for each of 3 seats, and 4 are named",
        ),
        ({"by_city": "spartta=idle"}, 'by_city: no city is called "spartta"; did you mean sparta?'),
        (
            {"by_city": "sparta"},
            'by_city: "sparta" given; expected one strategy for each of some cities, such as athens=merchant',
        ),
        (
            {"by_city": "sparta=idle,sparta=random"},
            'by_city: "sparta=idle,sparta=random" given; expected one strategy for each of some cities, such '
            "as athens=merchant",
        ),
        (
            {"by_city": "sparta=idle,athens=idle", "strategies": ()},
            "no strategies; say who plays the other cities: corinth, thebes, miletus, olympia, argos",
        ),
        ({"first_player": 0}, "first_player: 0 given; expected random or a seat from 1 to 4"),
        (
            {"first_player": 3, "players": 2},
            "first_player: seat 3 is not taken; with 2 players the seats are 1 to 2",
        ),
    ],
)
def test_what_is_wrong_is_reported_by_its_key(asked: dict[str, Any], message: str):
    with pytest.raises(UserError) as error:
        plan_for(**asked)
    assert str(error.value) == message


def test_a_file_that_is_no_toml_is_named(tmp_path: Path):
    file = tmp_path / "study.toml"
    file.write_text("games = = 3\n")
    with pytest.raises(UserError, match=r"study\.toml: not valid TOML: "):
        read_study(file)
    file.write_text("games = " + "[" * 5000)
    with pytest.raises(UserError, match=r"study\.toml: not valid TOML: "):
        read_study(file)
    with pytest.raises(
        UserError, match=r"other\.toml: no such file; expected the path of a study file in TOML"
    ):
        read_study(tmp_path / "other.toml")


def test_options_follow_the_rules_unless_set_otherwise():
    assert plan_for().study.draft is True
    assert plan_for(draft=False).settings == 0
    assert plan_for(first_player="2").study.first_player == 2
    assert plan_for(reroll=True).settings == 3


def test_the_line_up_follows_from_the_number_of_strategies():
    assert plan_for(strategies="random").study.lineup == "same"
    assert plan_for().study.lineup == "seats"
    assert plan_for(strategies="random,idle").study.lineup == "pool"
    assert plan_for(players="2,3", strategies="random,idle").study.lineup == "pool"


def test_the_page_lists_every_key_with_its_default():
    page = (Path(__file__).parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")
    listed = tomllib.loads(page.split("```toml\n")[1].split("```")[0])
    strategies = listed.pop("strategies")
    assert study_of(listed | {"strategies": strategies}) == study_of({"strategies": strategies})
    unset = {"rules", "reroll", "shared_dice", "progress_bonuses_stack", "draft"}
    assert listed.keys() | unset | {"strategies"} == Study.model_fields.keys()
