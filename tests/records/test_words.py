"""Options in words: all different, exact in both directions, and as a board gamer says them."""

import pytest

from khora_sim.engine.agenda import DONE, NONE, SELL, SPEND, YES, Setting, Task, push
from khora_sim.engine.match import Match
from khora_sim.records.words import KINDS, option_from_words, options_in_words
from khora_sim.rules import load_rules
from khora_sim.rules.terms import Action, Colour, Track
from tests.records.games import BASE, rich_games


def test_every_option_of_every_kind_of_decision_has_words_of_its_own_that_lead_back_to_it():
    met = set()
    for match, options in rich_games(range(15)):
        met.add(match.task)
        words = options_in_words(match, options)
        assert len(set(words)) == len(options), words
        tried = range(0, len(options), 1 + len(options) // 5)
        assert all(option_from_words(match, options, words[place]) == options[place] for place in tried)
    assert met == set(KINDS)


def test_kinds_are_short_and_all_different():
    assert len(set(KINDS.values())) == len(KINDS) == len([task for task in Task if task >= Task.PICK_CARD])
    assert all(kind == kind.lower() and " " not in kind for kind in KINDS.values())


@pytest.fixture
def match() -> Match:
    """Athens (seat 0) and Thebes in the middle of the action phase of the first round."""
    started = Match(BASE, 2, 1, Setting.DRAFT, [BASE.city_ids.index("athens"), BASE.city_ids.index("thebes")])
    options = started.advance()
    while started.task != Task.PLACE_TILES:
        options = started.choose(options[0])
    started.game.phase = 5
    return started


def said(match: Match, task: Task, options: list[int], seat: int = 0, value: int = 0) -> list[str]:
    """The words for options of a decision put on top of the agenda."""
    getattr(push, "py_func", push)(match.game, task, seat, value)
    return options_in_words(match, options)


def card(name: str) -> int:
    return BASE.card_ids.index(name)


def test_cards(match):
    lighthouse = card("lighthouse")
    assert said(match, Task.PICK_CARD, [lighthouse]) == ["keeps Lighthouse"]
    assert said(match, Task.KEEP_CARD, [lighthouse, NONE]) == ["keeps Lighthouse", "keeps none"]
    assert said(match, Task.DISCARD, [lighthouse]) == ["discards Lighthouse"]
    assert said(match, Task.TAKE_BACK_CARD, [lighthouse]) == ["takes Lighthouse back to hand"]


def test_a_card_is_played_for_drachmas_and_philosophy_where_knowledge_is_missing(match):
    match.game.minor[0, Colour.RED] = 1
    options = [card("lighthouse"), card("rivalry"), card("gold-reserve"), SELL, NONE]
    assert said(match, Task.PLAY_CARD, options) == [
        "plays Lighthouse for 1 drachma",
        "plays Rivalry for free",
        "plays Gold Reserve for 8 drachmas and 4 philosophy tokens",
        "sells 1 glory",
        "declines to play a card",
    ]


def test_a_development_is_unlocked(match):
    assert said(match, Task.DEVELOP, [YES, NONE], seat=1) == [
        "unlocks development 2 for 4 philosophy tokens",
        "declines to develop",
    ]


def test_tiles_are_placed_in_the_order_of_their_numbers(match):
    match.game.dice[0] = (4, 2, 0)
    assert said(match, Task.PLACE_TILES, [Action.TRADE + 7 * Action.MILITARY, Action.MILITARY + 7 * 3]) == [
        "places trade on the 4 and military on the 2",
        "places trade on the 2 and military on the 4",
    ]
    match.game.dice[0] = (5, 5, 1)
    assert said(match, Task.PLACE_TILES, [0 + 7 * 6 + 49 * 5]) == [
        "places philosophy on the 5, politics on the 1 and development on the 5"
    ]


def test_equal_dice_are_told_apart_when_rerolled(match):
    match.game.dice[0] = (2, 2, 6)
    assert said(match, Task.REROLL, [0, 1, 2, 4, 5]) == [
        "rerolls no die",
        "rerolls the first 2",
        "rerolls the second 2",
        "rerolls the 6",
        "rerolls the first 2 and the 6",
    ]


def test_dice_that_fall(match):
    assert said(match, Task.TELL_DICE, [2 + 6 * 3], value=3) == ["rolls 3 and 4"]
    assert said(match, Task.TELL_DICE, [36 * 5], value=4) == ["rolls 6"]


def test_citizens_are_lost_or_tiles_set_aside(match):
    match.game.dice[0], match.game.tile[0], match.game.ready[0] = (4, 2, 0), (6, 5, -1), 0
    match.game.citizens[0] = 13
    assert said(match, Task.PAY_CITIZENS, [0, 1, SPEND, DONE]) == [
        "loses 2 citizens for development",
        "loses 3 citizens for politics",
        "spends 1 philosophy token for 2 citizens",
        "sets development and politics aside",
    ]
    match.game.ready[0] = 3
    assert said(match, Task.PAY_CITIZENS, [DONE]) == ["spends no philosophy token"]


def test_tokens(match):
    assert said(match, Task.BUY_TOKEN, [Colour.RED, NONE]) == [
        "buys a minor red token for 5 drachmas",
        "declines to buy a token",
    ]
    assert said(match, Task.GAIN_TOKEN, [Colour.BLUE]) == ["takes a minor blue token"]
    assert said(match, Task.LOSE_TOKEN, [2, 3, NONE]) == [
        "loses a minor green token",
        "loses a major red token",
        "has no token to lose",
    ]


def test_spaces_say_what_they_need_lose_and_give(match):
    spaces = [BASE.space_ids.index(space) for space in ("minor-red-1", "minor-blue-3", "persepolis")]
    assert said(match, Task.EXPLORE, [*spaces, NONE]) == [
        "explores minor red (needs 2, loses 1)",
        "explores minor blue (needs 3, loses 3, gives 1 drachma and 1 VP)",
        "explores Persepolis",
        "declines to explore",
    ]


def test_levels_say_what_they_cost(match):
    match.game.phase = 6
    assert said(match, Task.CLIMB, [Track.ECONOMY, NONE], value=1) == [
        "moves up to economy 2 for 2 drachmas",
        "declines to move up",
    ]
    assert said(match, Task.CLIMB, [Track.CULTURE]) == [
        "moves up to culture 2 for 1 drachma and 1 philosophy token"
    ]
    assert said(match, Task.CHOOSE_TRACK, [Track.MILITARY]) == ["moves up to military 2 for free"]


def test_an_event_makes_a_level_cheaper(match):
    match.game.events[0] = BASE.event_ids.index("the-rise-of-persia")
    match.game.level[0, Track.MILITARY] = 3
    source = 64 + 4  # Source.EVENT
    assert said(match, Task.CLIMB_CHEAPER, [Track.MILITARY], value=source) == [
        "moves up to military 4 for 2 drachmas"
    ]


def test_choices_of_a_gain_an_action_and_a_reward(match):
    match.game.city[0] = BASE.city_ids.index("argos")
    assert said(match, Task.CHOOSE_GAIN, [0, 1, 2, 3], value=64 + 1) == [
        "chooses 2 troops",
        "chooses 3 drachmas",
        "chooses 4 VP",
        "chooses 5 citizens",
    ]
    assert said(match, Task.CHOOSE_ACTION, [Action.TRADE, NONE]) == [
        "takes a trade action",
        "declines to take an action",
    ]
    assert said(match, Task.TAX_OR_GLORY, [0, 1]) == ["takes 1 tax", "takes 1 glory"]
    assert said(match, Task.SELL_GLORY, [SELL, NONE]) == ["sells 1 glory", "declines to sell glory"]


def test_the_beginning_of_the_words_is_enough_where_only_one_option_begins_so(match):
    options = [card("power"), card("silver-mining"), card("stadion"), NONE]
    assert said(match, Task.PLAY_CARD, options)[0].startswith("plays Power for")
    assert option_from_words(match, options, "declines") == NONE
    assert option_from_words(match, options, "plays  power") == card("power")
    assert option_from_words(match, options, "plays Silver") == card("silver-mining")
    assert option_from_words(match, options, "plays") is None
    assert option_from_words(match, options, "plays S") is None
    assert option_from_words(match, options, "") is None
    assert option_from_words(match, options, "plays Power for 7 drachmas") is None


def test_things_that_read_alike_are_told_apart(tmp_path):
    variant = tmp_path / "twins.toml"
    variant.write_text(
        '[spaces.far-shore]\ntokens = ["minor-red"]\nneeded = 2\nlost = 1\n'
        "[cities.argos.developments.2]\n"
        'effects = [{ on = "at-once", special = "choose-gain", choices = [{ vp = 1 }, { vp = 1 }] }]\n'
    )
    rules = load_rules(variant)
    match = Match(rules, 2, 1)
    match.advance()
    spaces = [rules.space_ids.index("minor-red-1"), rules.space_ids.index("far-shore")]
    assert said(match, Task.EXPLORE, spaces) == [
        "explores minor red (needs 2, loses 1, minor-red-1)",
        "explores minor red (needs 2, loses 1, far-shore)",
    ]
    match.game.city[0] = rules.city_ids.index("argos")
    words = said(match, Task.CHOOSE_GAIN, [0, 1], value=64 + 1)
    assert words == ["chooses 1 VP (option 1)", "chooses 1 VP (option 2)"]
    assert [option_from_words(match, [0, 1], word) for word in words] == [0, 1]
