"""Rules that are changed as typed: the same game as the file that says so, and one line for every mistake."""

from pathlib import Path

import pytest

from khora_sim.errors import UserError
from khora_sim.rules import load_rules, set_rules
from khora_sim.rules.assignments import variant_text

SAME = {
    "cards.lighthouse.cost=2": "[cards.lighthouse]\ncost = 2",
    "rounds=8": "rounds = 8",
    "start.vp=3": "[start]\nvp = 3",
    "tracks.culture.4.cost=5": "[tracks.culture]\n4 = { cost = 5 }",
    "cards.lighthouse.needs.blue=1": "[cards.lighthouse]\nneeds = { red = 1, blue = 1 }",
    "cities.argos.developments.1.effects.1.gain.vp=10": (
        '[cities.argos.developments.1]\neffects = [{ on = "at-once", gain = { troops = 2, vp = 10 } }]'
    ),
    'remove.events=["drought"]': '[remove]\nevents = ["drought"]',
    "options.reroll=true": "[options]\nreroll = true",
    "events.prosperity.scope=troops": '[events.prosperity]\nscope = "troops"',
}

MISTAKES = {
    "cards.lighthose.cost=2": 'no card is called "lighthose"; did you mean lighthouse?',
    "cards.lighthouse.cots=2": "cards.lighthouse.cots: unknown key; did you mean cost",
    "cards.lighthouse.cost=x": 'cards.lighthouse.cost: "x" given; expected a whole number from 0 to 99',
    "cards.lighthouse.cost=100": "cards.lighthouse.cost: 100 given; expected a whole number from 0 to 99",
    "crads.lighthouse.cost=2": 'the rules have no "crads"; did you mean cards',
    "cards.lighthouse": "should be a path into the rules and a value, such as cards.lighthouse.cost=2",
    "cards.lighthouse=2": "cards.lighthouse is a table; name one of its values",
    "cards.lighthouse.effects.2.gain.vp=3": 'no "2" in cards.lighthouse.effects; its places are 1 to 1',
    "cards.lighthouse.cost.more=2": "cards.lighthouse.cost is a value; nothing is inside it",
    "tracks.cultur.4.cost=2": 'no "cultur" in tracks; did you mean culture?',
}


@pytest.mark.parametrize("typed", SAME)
def test_what_is_typed_is_the_same_game_as_its_file(typed: str, tmp_path: Path):
    file = tmp_path / "variant.toml"
    file.write_text(SAME[typed], encoding="utf-8")
    assert set_rules([typed]).hash == load_rules(file).hash


def test_what_is_typed_can_be_kept_as_a_file(tmp_path: Path):
    file = tmp_path / "variant.toml"
    file.write_text(variant_text(list(SAME)), encoding="utf-8")
    assert load_rules(file).hash == set_rules(list(SAME)).hash


def test_two_values_of_one_table_are_both_changed():
    rules = set_rules(["cards.lighthouse.effects.1.gain.vp=2", "cards.lighthouse.effects.1.gain.drachmas=1"])
    assert rules.model.cards["lighthouse"].effects[0].gain == {"vp": 2, "drachmas": 1}


@pytest.mark.parametrize("typed", MISTAKES)
def test_a_mistake_is_reported_in_one_line(typed: str):
    with pytest.raises(UserError) as problem:
        set_rules([typed])
    assert str(problem.value).startswith("--set")
    assert MISTAKES[typed] in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_value_is_given_once():
    with pytest.raises(UserError, match="rounds is given twice; give it once"):
        set_rules(["rounds=8", "rounds=7"])
