"""Options in words: all different, exact in both directions, and as a board gamer says them."""

import pytest

from khora_sim.common.options import Setting
from khora_sim.engine import dice as engine_dice
from khora_sim.engine.agenda import NONE, SELL, YES, Task, push
from khora_sim.engine.match import Match
from khora_sim.records.decision_words import KINDS, option_from_words, options_in_words
from khora_sim.rules import load_rules
from khora_sim.rules.terms import Action, Colour, Track
from tests.records.games import BASE, rich_games


def test_every_option_of_every_kind_of_decision_has_words_of_its_own_that_lead_back_to_it():
    met = set()
    for match, options in rich_games([*range(12), 27]):
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


def test_equal_dice_are_distinguishable_when_rerolled(match):
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


def payment(dice: int, tokens: int, left: int) -> int:
    """An option of a payment: the set of dice paid for, tokens spent, citizens left."""
    return getattr(engine_dice.payment, "py_func", engine_dice.payment)(dice, tokens, left)


def test_a_payment_says_what_is_paid_set_aside_spent_and_left(match):
    match.game.dice[0], match.game.tile[0], match.game.ready[0] = (1, 2, 6), (3, 4, 5), 0
    match.game.citizens[0] = 3
    options = [
        payment(0b101, 0, 1),
        payment(0b110, 0, 1),
        payment(0b111, 1, 2),
        payment(0b101, 1, 4),
        payment(0b100, 2, 9),
    ]
    assert said(match, Task.PAY_CITIZENS, options) == [
        "pays 2 citizens for trade, sets military aside: 1 citizen left",
        "pays 2 citizens for military, sets trade aside: 1 citizen left",
        "pays 2 citizens for trade and 2 for military, spends 1 philosophy token for 3 citizens: "
        "2 citizens left",
        "pays 2 citizens for trade, sets military aside, spends 1 philosophy token for 3 citizens: "
        "4 citizens left",
        "sets trade and military aside, spends 2 philosophy tokens for 6 citizens: 9 citizens left",
    ]


def test_a_payment_that_costs_nothing_spends_tokens_or_none(match):
    match.game.dice[0], match.game.tile[0] = (4, 2, 0), (4, 0, -1)
    match.game.citizens[0] = 13
    assert said(match, Task.PAY_CITIZENS, [payment(0b11, 0, 13), payment(0b11, 1, 15)]) == [
        "spends no philosophy token: 13 citizens left",
        "spends 1 philosophy token for 2 citizens: 15 citizens left",
    ]


def test_the_beginning_of_a_payment_is_enough_where_no_other_begins_so(match):
    match.game.dice[0], match.game.tile[0] = (4, 2, 0), (6, 3, -1)
    match.game.citizens[0] = 1
    options = [payment(0b10, 0, 0), payment(0b01, 1, 2), payment(0b11, 1, 1)]
    said(match, Task.PAY_CITIZENS, options)
    assert option_from_words(match, options, "pays 1 citizen for trade") == options[0]
    assert option_from_words(match, options, "pays 2 citizens for development") is None
    assert option_from_words(match, options, "pays 2 citizens for development and 1 for trade") == options[2]
    assert (
        option_from_words(match, options, "pays 2 citizens for development, sets trade aside") == options[1]
    )


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
    match.game.troops[0] = 9
    spaces = [BASE.space_ids.index(space) for space in ("minor-red-1", "minor-blue-3", "persepolis")]
    assert said(match, Task.EXPLORE, [*spaces, NONE]) == [
        "explores minor red (needs 2, loses 1)",
        "explores minor blue (needs 3, loses 3, gives 1 drachma and 1 VP)",
        "explores Persepolis",
        "declines to explore",
    ]


@pytest.mark.parametrize(("spared", "lost"), [(1, (0, 2)), (2, (0, 1)), (5, (0, 0))])
def test_spaces_say_what_this_player_loses_whose_troops_are_spared(match, spared, lost):
    match.game.troops[0], match.game.spared_troops[0] = 9, spared  # Sparta 1, Helepole, and more
    spaces = [BASE.space_ids.index(space) for space in ("minor-red-1", "minor-blue-3")]
    assert said(match, Task.EXPLORE, spaces) == [
        f"explores minor red (needs 2, loses {lost[0]})",
        f"explores minor blue (needs 3, loses {lost[1]}, gives 1 drachma and 1 VP)",
    ]


def test_nobody_loses_more_troops_than_it_has(tmp_path):
    variant = tmp_path / "far.toml"
    variant.write_text("[spaces.minor-red-1]\nneeded = 2\nlost = 9\n")
    rules = load_rules(variant)
    match = Match(rules, 2, 1)
    match.advance()
    match.game.troops[0] = 4
    assert said(match, Task.EXPLORE, [rules.space_ids.index("minor-red-1")]) == [
        "explores minor red (needs 2, loses 4)"
    ]


def test_spaces_that_read_alike_because_troops_are_spared_are_distinguishable_by_their_ids(tmp_path):
    variant = tmp_path / "near.toml"
    variant.write_text('[spaces.near-shore]\ntokens = ["minor-red"]\nneeded = 2\nlost = 2\n')
    rules = load_rules(variant)
    match = Match(rules, 2, 1)
    match.advance()
    match.game.troops[0] = 9
    spaces = [rules.space_ids.index("minor-red-1"), rules.space_ids.index("near-shore")]
    assert said(match, Task.EXPLORE, spaces) == [
        "explores minor red (needs 2, loses 1)",
        "explores minor red (needs 2, loses 2)",
    ]
    match.game.spared_troops[0] = 2
    assert said(match, Task.EXPLORE, spaces) == [
        "explores minor red (needs 2, loses 0, minor-red-1)",
        "explores minor red (needs 2, loses 0, near-shore)",
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


def test_things_that_read_alike_are_distinguishable(tmp_path):
    variant = tmp_path / "twins.toml"
    variant.write_text(
        '[spaces.far-shore]\ntokens = ["minor-red"]\nneeded = 2\nlost = 1\n'
        "[cities.argos.developments.2]\n"
        'effects = [{ on = "at-once", special = "choose-gain", choices = [{ vp = 1 }, { vp = 1 }] }]\n'
    )
    rules = load_rules(variant)
    match = Match(rules, 2, 1)
    match.advance()
    match.game.troops[0] = 2
    spaces = [rules.space_ids.index("minor-red-1"), rules.space_ids.index("far-shore")]
    assert said(match, Task.EXPLORE, spaces) == [
        "explores minor red (needs 2, loses 1, minor-red-1)",
        "explores minor red (needs 2, loses 1, far-shore)",
    ]
    match.game.city[0] = rules.city_ids.index("argos")
    words = said(match, Task.CHOOSE_GAIN, [0, 1], value=64 + 1)
    assert words == ["chooses 1 VP (option 1)", "chooses 1 VP (option 2)"]
    assert [option_from_words(match, [0, 1], word) for word in words] == [0, 1]
