"""The tables hold the base game to the last number, checked against a second, hand-written copy."""

import numpy as np
import pytest

from khora_sim.rules import load_rules
from khora_sim.rules.specials import Special
from khora_sim.rules.tables import TABLES
from khora_sim.rules.terms import (
    GAINS,
    MAX_TROOPS,
    Action,
    Condition,
    Gain,
    Kind,
    Quantity,
    Slot,
    Track,
    Trigger,
    word,
)
from tests.rules import frozen_base_game as frozen

RULES = load_rules()
CARDS = frozen.rows(frozen.CARDS)
DEVELOPMENTS = frozen.rows(frozen.DEVELOPMENTS)
EVENTS = frozen.rows(frozen.EVENTS)


def gains(amounts) -> str:
    return " ".join(f"{word(gain)}{amounts[gain]:+d}" for gain in Gain if amounts[gain] != 0)


def short(effect) -> str:
    """An effect of the tables, written as in the frozen copy."""
    parts = []
    if effect["condition"]:
        parts.append(f"if {word(Condition(effect['condition']))}")
    if effect["special"]:
        parts.append(word(Special(effect["special"])))
    if effect["number"]:
        parts.append(str(effect["number"]))
    if effect["action"] >= 0:
        parts.append(word(Action(effect["action"])))
    if effect["track"] >= 0:
        parts.append(word(Track(effect["track"])))
    if gains(effect["gain"]):
        parts.append(gains(effect["gain"]))
    if effect["per"]:
        parts.append(f"per {effect['every']} {word(Quantity(effect['per']))}")
    if effect["choice_count"]:
        parts.append(
            f"({' or '.join(gains(choice) for choice in effect['choices'][: effect['choice_count']])})"
        )
    return f"{word(Trigger(effect['on']))}: {' '.join(parts)}"


def source(row) -> list[str]:
    """A card or development of the tables, written as in the frozen copy."""
    needs = "/".join(str(need) for need in row["needs"])
    effects = " & ".join(short(effect) for effect in row["effects"][: row["effect_count"]])
    return [word(Kind(row["kind"])), str(row["cost"]), needs, effects]


@pytest.mark.parametrize("position", range(40), ids=[card[0] for card in CARDS])
def test_card_is_as_printed(position):
    assert [RULES.card_names[position], *source(RULES.tables.cards[position])] == CARDS[position]


@pytest.mark.parametrize("position", range(28), ids=[development[0] for development in DEVELOPMENTS])
def test_development_is_as_printed(position):
    city, step = divmod(position, 4)
    development = source(RULES.tables.developments[city, step])
    assert [f"{RULES.city_names[city]} {step + 1}", *development] == DEVELOPMENTS[position]


@pytest.mark.parametrize("position", range(16), ids=[event[0] for event in EVENTS])
def test_event_is_as_printed(position):
    row = RULES.tables.events[position]
    scope = "troops" if row["by_troops"] else "all"
    lowest = short(row["lowest"]) if row["has_lowest"] else "-"
    event = [word(Slot(row["slot"])), scope, short(row["effect"]), lowest]
    assert [RULES.event_names[position], *event] == EVENTS[position]


@pytest.mark.parametrize("kind", frozen.SPACES)
def test_spaces_are_as_printed(kind):
    size, colour = kind.split("-")
    for number, printed in enumerate(frozen.SPACES[kind].split(), start=1):
        row = RULES.tables.spaces[RULES.space_ids.index(f"{kind}-{number}")]
        assert "/".join(str(row[field]) for field in ("needed", "lost", "drachmas", "vp")) == printed
        tokens = [*row["minor"].tolist(), *row["major"].tolist()]
        assert tokens.index(1) == 3 * (size == "major") + ["red", "blue", "green"].index(colour)
        assert sum(tokens) == 1


def test_persepolis_takes_15_troops_and_gives_three_majors():
    row = RULES.tables.spaces[RULES.tables.persepolis]
    assert (row["needed"], row["lost"], row["drachmas"], row["vp"]) == (15, 15, 0, 0)
    assert (row["minor"].tolist(), row["major"].tolist()) == ([0, 0, 0], [1, 1, 1])


def test_34_spaces_hold_16_minor_and_20_major_tokens():
    spaces = RULES.tables.spaces
    assert len(RULES.space_ids) == 34
    assert (spaces["minor"].sum(), spaces["major"].sum()) == (16, 20)


@pytest.mark.parametrize("track", Track)
def test_track_is_as_printed(track):
    for level, (cost, gain) in frozen.TRACKS[word(track)].items():
        assert RULES.tables.level_cost[track, level] == cost
        assert gains(RULES.tables.level_gain[track, level]) == gain


@pytest.mark.parametrize("name", frozen.SETTINGS)
def test_setting_is_as_printed(name):
    value = RULES.tables[name]
    assert (value.tolist() if hasattr(value, "tolist") else value) == frozen.SETTINGS[name]


def test_every_field_of_the_tables_is_checked_here():
    checked = {
        *frozen.SETTINGS,
        "level_cost",
        "level_gain",
        "level_gain_kinds",
        "cards",
        "cards_on",
        "cards_wanting_low",
        "card_digest",
        "developments",
        "city_digest",
        "events",
        "event_digest",
        "spaces",
        "spaces_within",
    }
    assert set(TABLES.names) == checked


def test_every_id_has_a_digest_of_its_own_that_never_changes():
    tables = RULES.tables
    digests = [
        *tables.card_digest[: tables.card_count].tolist(),
        *tables.city_digest[: tables.city_count].tolist(),
        *tables.event_digest[: tables.event_count].tolist(),
    ]
    assert len(set(digests)) == 40 + 7 + 16
    assert digests[0] == 11_629_350_947_798_869_288  # bank
    assert not tables.card_digest[tables.card_count :].any()
    assert not tables.city_digest[tables.city_count :].any()
    assert not tables.event_digest[tables.event_count :].any()


def test_sets_of_kinds_hold_what_a_gain_gives_or_takes():
    tables = RULES.tables
    sources = [*tables.cards[: tables.card_count], *tables.developments[: tables.city_count].ravel()]
    effects = [effect for source in sources for effect in source["effects"]]
    effects += [event[half] for event in tables.events[: tables.event_count] for half in ("effect", "lowest")]
    pairs = [(effect["gain"], effect["gain_kinds"]) for effect in effects]
    pairs += [pair for one in effects for pair in zip(one["choices"], one["choice_kinds"], strict=True)]
    pairs += zip(tables.level_gain.reshape(-1, GAINS), tables.level_gain_kinds.ravel(), strict=True)
    for gain, kinds in pairs:
        assert [bool(int(kinds) >> kind & 1) for kind in range(GAINS)] == [amount != 0 for amount in gain]


def test_what_gives_actions_or_tokens_at_once_is_marked():
    tables = RULES.tables
    cards = [RULES.card_ids[card] for card in np.flatnonzero(tables.cards["opens"])]
    assert cards == ["ostracism", "scholarly-welcome"]
    cities, steps = np.nonzero(tables.developments["opens"])
    assert [RULES.city_ids[city] for city in cities] == ["sparta", "olympia"]
    assert list(steps + 1) == [3, 4]


@pytest.mark.parametrize("troops", range(MAX_TROOPS + 1))
def test_set_of_spaces_within_reach_holds_exactly_those(troops):
    needed = RULES.tables.spaces["needed"][: RULES.tables.space_count]
    members = int(RULES.tables.spaces_within[troops])
    assert {space for space in range(64) if members >> space & 1} == set(np.flatnonzero(needed <= troops))


@pytest.mark.parametrize("trigger", Trigger)
def test_set_of_cards_on_a_trigger_holds_exactly_those(trigger):
    expected = {card[0] for card in CARDS if f"{word(trigger)}:" in card[-1]}
    members = int(RULES.tables.cards_on[trigger])
    assert {card for position, card in enumerate(RULES.card_names) if members >> position & 1} == expected


def test_power_and_rivalry_reward_being_low_and_no_other_card():
    def cards(track):
        members = int(RULES.tables.cards_wanting_low[track])
        return [card for position, card in enumerate(RULES.card_names) if members >> position & 1]

    assert [cards(track) for track in Track] == [[], ["Power"], ["Rivalry"]]


def test_unused_effects_are_blank_and_safe_to_divide_by():
    effects = RULES.tables.cards["effects"][:40]
    assert (effects["every"] >= 1).all()
    assert not RULES.tables.cards["effect_count"][40:].any()


def test_options_of_the_base_game_are_off_but_for_the_draft():
    options = RULES.model.options.model_dump()
    assert options == {"reroll": False, "shared_dice": False, "progress_bonuses_stack": False, "draft": True}


def test_every_card_development_and_event_has_a_text():
    model = RULES.model
    sources = [*model.cards.values(), *model.events.values()]
    sources += [step for city in model.cities.values() for step in city.developments.in_order()]
    assert len(sources) == 40 + 16 + 28
    assert all(entry.text for entry in sources)


def test_ids_are_the_names_in_small_letters_with_hyphens():
    ids = [*RULES.card_ids, *RULES.city_ids, *RULES.event_ids]
    names = [*RULES.card_names, *RULES.city_names, *RULES.event_names]
    assert ids == [name.lower().replace(" ", "-") for name in names]


def test_spaces_have_names_in_words_that_differ():
    assert RULES.space_names[0] == "minor red, needs 2, loses 1"
    assert RULES.space_names[17] == "major blue, needs 6, loses 5, gives 2 drachmas and 1 VP"
    assert RULES.space_names[33] == "Persepolis"
    assert len(set(RULES.space_names)) == 34


def test_base_game_has_a_name_a_version_and_a_frozen_hash():
    assert (RULES.name, RULES.version) == ("base", "4")
    assert RULES.short_hash == "25b9b3a50b4d"
    assert RULES.hash.startswith(RULES.short_hash)
