"""Variants change, add and remove; the hash follows what is played, not how it is worded."""

import pickle
from pathlib import Path

import pytest

from khora_sim.errors import UserError
from khora_sim.rules import load_rules, read_rules
from khora_sim.rules.compare import changes
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import Gain, Quantity, Trigger
from tests.rules.random_variants import random_variant_toml

BASE = load_rules()
EXAMPLES = Path(__file__).parents[2] / "docs/variants"

AGORA = """
[cards.agora]
name = "Agora"
kind = "ongoing"
cost = 2
needs = { blue = 1 }
effects = [{ on = "legislation", gain = { drachmas = 2 } }]
"""


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_the_variants_of_the_docs_change_one_thing_each(path: Path):
    assert len(changes(BASE.model, load_rules(path).model)) == 1


def test_a_change_names_only_what_is_new(variant):
    rules = variant("[cards.lighthouse]\ncost = 2")
    lighthouse = rules.model.cards["lighthouse"]
    assert (lighthouse.cost, lighthouse.needs) == (2, {"red": 1})
    assert lighthouse.text == "A trade action also gives 3 VP."
    assert rules.tables.cards[rules.card_ids.index("lighthouse")]["cost"] == 2
    assert rules.card_ids == BASE.card_ids


def test_needs_and_effects_are_replaced_as_a_whole(variant):
    rules = variant("[cards.reformists]\nneeds = { red = 2 }")
    assert rules.model.cards["reformists"].needs == {"red": 2}


def test_new_effects_without_a_text_are_put_into_words(variant):
    rules = variant('[cards.lighthouse]\neffects = [{ on = "trade", gain = { vp = 2, troops = 1 } }]')
    assert rules.model.cards["lighthouse"].text == "Trade action: 2 VP and 1 troop."


def test_a_new_card_comes_after_the_others(variant):
    rules = variant(AGORA)
    assert rules.tables.card_count == 41
    assert (rules.card_ids[40], rules.card_names[40]) == ("agora", "Agora")
    assert rules.tables.cards[40]["effects"][0]["gain"][Gain.DRACHMAS] == 2
    assert int(rules.tables.cards_on[Trigger.LEGISLATION]) >> 40 & 1
    assert rules.model.cards["agora"].text == "Legislation action: 2 drachmas."


def test_removed_cards_leave_no_gap(variant):
    rules = variant('[remove]\ncards = ["bank", "lighthouse"]')
    assert rules.tables.card_count == 38
    assert rules.card_ids[0] == "austerity"
    assert "lighthouse" not in rules.card_ids


def test_one_development_of_a_city_changes_alone(variant):
    rules = variant("[cities.argos.developments.3]\ncost = 1\nneeds = {}")
    third, fourth = rules.model.cities["argos"].developments.in_order()[2:]
    assert (third.cost, third.needs, third.text) == (1, {}, "1 free military level.")
    assert fourth == BASE.model.cities["argos"].developments.fourth


def test_a_new_city_brings_four_developments(variant):
    steps = "".join(
        f'[cities.delphi.developments.{n}]\nkind = "immediate"\ncost = 0\n'
        f'effects = [{{ on = "at-once", gain = {{ vp = {n} }} }}]\n'
        for n in (1, 2, 3, 4)
    )
    rules = variant(f'[cities.delphi]\nname = "Delphi"\n{steps}')
    assert rules.tables.city_count == 8
    assert [rules.tables.developments[7, n]["effects"][0]["gain"][Gain.VP] for n in range(4)] == [1, 2, 3, 4]


def test_settings_levels_spaces_and_events_change(variant):
    rules = variant("""
        rounds = 7
        hand_dealt = 6
        [start]
        drachmas = 6
        [limits]
        troops = 20
        [prices]
        minor_token = 4
        [actions]
        trade_bonus = 2
        [achievements]
        victory-points = 15
        [options]
        reroll = true
        [tracks.culture]
        4 = { cost = 5 }
        [spaces.persepolis]
        needed = 14
        [events.drought]
        effect = { on = "at-once", gain = { drachmas = -3 } }
    """)
    tables = rules.tables
    assert (tables.rounds, tables.hand_dealt, tables.start_drachmas, tables.start_citizens) == (7, 6, 6, 3)
    assert (tables.max_troops, tables.token_price, tables.trade_bonus) == (20, 4, 2)
    assert tables.achievement_needs.tolist() == [15, 12, 6, 4, 3]
    assert rules.model.options.reroll
    assert (tables.level_cost[1, 4], tables.level_gain[1, 4, Gain.DICE]) == (5, 1)
    assert (tables.spaces[33]["needed"], tables.spaces[33]["lost"]) == (14, 15)
    assert rules.model.events["drought"].text == "Everyone: lose 3 drachmas."


def test_spaces_that_read_alike_are_distinguishable_by_their_ids(variant):
    rules = variant("[spaces.minor-red-2]\nneeded = 2\nlost = 1")
    alike = "minor red, needs 2, loses 1"
    assert rules.space_names[:2] == [f"{alike} (minor-red-1)", f"{alike} (minor-red-2)"]


def test_without_persepolis_its_position_is_minus_one(variant):
    rules = variant('[remove]\nspaces = ["persepolis"]')
    assert (rules.tables.space_count, rules.tables.persepolis) == (33, -1)


@pytest.mark.parametrize("change", ['scope = "all"', "lowest = {}"])
def test_an_event_can_lose_what_it_does_to_the_least_troops(variant, change):
    event = variant(f"[events.the-thirty-tyrants]\n{change}").model.events["the-thirty-tyrants"]
    assert event.lowest is None


def test_card_64_is_the_sign_of_the_set(variant):
    cards = "".join(AGORA.replace("gora", f"gora-{n}") for n in range(24))
    rules = variant(cards)
    assert rules.tables.card_count == 64
    assert rules.tables.cards_on[Trigger.LEGISLATION] < 0
    members = int(rules.tables.cards_on[Trigger.LEGISLATION]) & (1 << 64) - 1
    assert members.bit_count() == 25  # with Amnesty for Socrates


def test_name_and_text_are_the_variants_own(variant):
    rules = variant('name = "cheap"\ntext = "Cheaper things."')
    assert (rules.name, rules.model.text) == ("cheap", "Cheaper things.")
    assert variant("").name == "v"


def test_hash_is_the_same_whatever_the_words_and_the_order_of_keys(variant):
    assert variant('name = "other"\n[cards.bank]\ntext = "Reworded."\nname = "Till"').hash == BASE.hash
    assert variant("[cards.bank]\nneeds = { red = 2, blue = 0 }").hash == BASE.hash
    effects = "effects = [{ gain = { vp = 1, troops = 1, drachmas = 1 }, on = 'trade' }]"
    assert variant(f"[cards.diolkos]\n{effects}").hash == BASE.hash


@pytest.mark.parametrize(
    "text",
    [
        "[cards.bank]\ncost = 1",
        "[cards.bank]\nneeds = { red = 1 }",
        '[remove]\ncards = ["bank"]',
        "rounds = 8",
        "[start]\nvp = 1",
        "[options]\nreroll = true",
        "[tracks.economy]\n2 = { cost = 1 }",
        "[cities.argos.developments.2]\ncost = 1",
        "[spaces.minor-red-1]\nvp = 1",
        '[events.drought]\nslot = "middle"\neffect = { on = "at-once", gain = { drachmas = -1 } }',
    ],
)
def test_hash_changes_with_anything_that_is_played(variant, text):
    assert variant(text).hash != BASE.hash


def test_rules_written_as_toml_are_read_back_the_same():
    again = read_rules(BASE.to_toml())
    assert again.hash == BASE.hash
    assert again.model == BASE.model
    assert again.tables.tobytes() == BASE.tables.tobytes()


def test_rules_travel_to_other_processes():
    again = pickle.loads(pickle.dumps(BASE))
    assert again.tables.rounds == 9
    assert again.hash == BASE.hash


def test_changes_are_reported_one_by_one(variant):
    rules = variant(
        '[remove]\ncards = ["bank"]\n[cards.lighthouse]\ncost = 2\n'
        'effects = [{ on = "trade", gain = { vp = 2 } }]\n'
        "[start]\ndrachmas = 6\n[tracks.culture]\n4 = { cost = 5, gain = {} }\n[options]\nreroll = true"
        + AGORA
    )
    assert [change.in_words() for change in changes(BASE.model, rules.model)] == [
        "start.drachmas: 4 -> 6",
        "options.reroll: off -> on",
        "tracks.culture.4.cost: 6 -> 5",
        "tracks.culture.4.gain: 1 die -> none",
        "cards.bank: removed (Bank: At the end, 1 VP for every 2 drachmas.)",
        "cards.lighthouse.cost: 1 -> 2",
        "cards.lighthouse.effects: Trade action: 3 VP. -> Trade action: 2 VP.",
        "cards.agora: added (Agora: Legislation action: 2 drachmas.)",
    ]


def test_base_game_changes_nothing_against_itself():
    assert changes(BASE.model, load_rules().model) == []


@pytest.mark.parametrize("seed", range(30))
def test_random_variants_are_valid_and_survive_writing(variant, seed):
    rules = variant(random_variant_toml(seed))
    assert rules.name == f"random-{seed}"
    again = read_rules(rules.to_toml())
    assert (again.hash, again.model) == (rules.hash, rules.model)
    assert len(set(rules.space_names)) == len(rules.space_ids)


def test_random_variants_use_every_word_and_reach_every_limit(variant):
    specials, triggers, quantities, counts = set(), set(), set(), set()
    for seed in range(60):
        tables = variant(random_variant_toml(seed)).tables
        counts |= {("cards", tables.card_count), ("events", tables.event_count)}
        counts |= {("spaces", tables.space_count), ("cities", tables.city_count)}
        for effects in (tables.cards["effects"], tables.developments["effects"]):
            specials |= set(effects["special"].ravel().tolist())
            triggers |= set(effects["on"].ravel().tolist())
            quantities |= set(effects["per"].ravel().tolist())
    assert counts >= {("cards", 64), ("events", 32), ("spaces", 60), ("cities", 16)}
    assert specials == set(Special)
    assert triggers == set(Trigger) - {Trigger.DICE_PHASE}
    assert quantities == set(Quantity)


def test_base_is_no_name_for_a_variant(variant):
    with pytest.raises(UserError, match='name: "base" is the base game; expected a name of its own'):
        variant('name = "base"')
