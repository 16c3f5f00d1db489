"""The toolkit's answers, compiled, in positions set by hand."""

import zlib

import pytest

from khora_sim.engine.agenda import Task
from khora_sim.engine.match import Match
from khora_sim.rules import load_rules
from khora_sim.rules.terms import Action
from tests.strategy.probe import ratings, write_probe

RULES = load_rules()
CARDS = RULES.card_ids


def card(name: str) -> int:
    return CARDS.index(name)


def cards(*names: str) -> int:
    return sum(1 << card(name) for name in names)


@pytest.fixture
def match():
    """Round 1 of a game of three: seat 0 is Corinth and about to place tiles on dice 2 and 5."""
    game = Match(RULES, players=3, seed=7, cities=[0, 1, 2], first_player=0)
    options = game.advance()
    while game.task != Task.PLACE_TILES or game.seat != 0:
        options = game.choose(options[0])
    game.game.dice[0] = [2, 5, 0]
    game.game.phase = 3
    return game


def answers(match, folder, *questions):
    name = f"probe-{zlib.crc32(repr(questions).encode())}"
    options = match.options()
    assert len(options) >= len(questions)
    return ratings(write_probe(folder, name, *questions), match, options)[: len(questions)].tolist()


def test_what_a_player_has_and_where_the_game_stands(match, tmp_path):
    game = match.game
    game.drachmas[0], game.vp[0], game.citizens[0], game.troops[0] = 7, 12, 9, 4
    game.tax[0], game.glory[0], game.philosophy[0], game.dice_count[0] = 2, 3, 1, 3
    game.level[0] = [4, 3, 2]
    game.minor[0], game.major[0] = [2, 0, 1], [0, 1, 1]
    game.hand[0], game.hand_size[0] = cards("bank", "lighthouse"), 2
    game.in_play[0] = cards("diolkos")
    assert answers(
        match,
        tmp_path,
        "drachmas(view)",
        "points(view)",
        "citizens(view)",
        "troops(view)",
        "tax(view)",
        "glory(view)",
        "philosophy(view)",
        "economy(view)",
        "culture(view)",
        "military(view)",
        "level(view, Track.CULTURE)",
        "minors(view)",
        "majors(view)",
        "knowledge(view, Colour.GREEN)",
        "hand_size(view)",
        f"holds_card(view, {card('bank')})",
        f"holds_card(view, {card('diolkos')})",
        f"has_in_play(view, {card('diolkos')})",
        "cards_in_play(view)",
        "developments(view)",
        "dice_next_round(view)",
        "city(view)",
        "round_number(view)",
        "rounds_left(view)",
        "is_last_round(view)",
        "is_tiles(view)",
        "is_draft(view)",
        "size(hand(view))",
        "hand_size(player(view, 1))",
        "size(hand(player(view, 1)))",
    ) == [7, 12, 9, 4, 2, 3, 1, 4, 3, 2, 3, 3, 2, 2, 2, 1, 0, 1, 1, 1, 3, 0, 1, 8, 0, 1, 0, 2, 5, 0]


def test_what_things_cost_and_what_is_missing(match, tmp_path):
    game = match.game
    game.drachmas[0], game.philosophy[0] = 3, 2
    game.minor[0], game.major[0] = [1, 0, 0], [0, 0, 0]
    game.level[0] = [1, 3, 7]
    game.hand[0] = cards("lighthouse", "bank", "oracle", "gold-reserve")
    assert answers(
        match,
        tmp_path,
        f"card_cost(view, {card('lighthouse')})",
        f"missing_for_card(view, {card('lighthouse')})",
        f"can_play(view, {card('lighthouse')})",
        f"missing_for_card(view, {card('bank')})",
        f"can_play(view, {card('bank')})",  # one token short, two philosophy tokens stand in
        f"missing_for_card(view, {card('oracle')})",
        f"can_play(view, {card('oracle')})",
        "playable_cards(view)",
        "has_next_development(view)",
        "development_cost(view)",
        "missing_for_development(view)",
        "can_develop(view)",
        "misses_for_development(view, Colour.RED)",
        "misses_for_city(view, Colour.RED)",
        "misses_for_hand(view, Colour.RED)",
        "most_wanted_colour(view)",
        "level_price(view, Track.ECONOMY)",
        "level_price(view, Track.CULTURE)",
        "level_price(view, Track.MILITARY)",
        "is_top_level(view, Track.MILITARY)",
        "level_gain(view, Track.ECONOMY, Gain.CITIZENS)",
        "level_gain(view, Track.CULTURE, Gain.DICE)",
        "token_price(view)",
    ) == [1, 0, 1, 1, 1, 2, 0, 2, 1, 1, 0, 1, 0, 1, 3, 1, 2, 6, 0, 1, 3, 1, 5]


def test_placements_and_their_citizens(match, tmp_path):
    game = match.game
    game.citizens[0], game.philosophy[0] = 3, 1
    both = Action.DEVELOPMENT + 7 * Action.POLITICS  # 6 on die 2, 5 on die 5: 4 citizens
    cheap = Action.CULTURE + 7 * Action.TRADE  # free
    assert answers(
        match,
        tmp_path,
        "die(view, 0)",
        "die(view, 2)",
        f"tile_on({both}, 0)",
        f"tile_on({both}, 1)",
        f"die_under(view, {both}, Action.POLITICS)",
        f"die_under(view, {both}, Action.CULTURE)",
        f"places(view, {cheap}, Action.TRADE)",
        f"citizens_for(view, {both})",
        f"citizens_for(view, {cheap})",
        f"unpaid_dice(view, {both}, 3)",
        f"unpaid_dice(view, {both}, 4)",
        f"is_unpaid(view, {both}, Action.DEVELOPMENT)",
        f"is_unpaid(view, {both}, Action.POLITICS)",
        "citizens_within_reach(view)",
    ) == [2, 0, 6, 5, 1, -1, 1, 4, 0, 1, 0, 1, 0, 6]


def test_placements_are_rated_by_what_can_be_paid(match, tmp_path):
    match.game.citizens[0] = 3
    question = "rate_placements(view, options, scores, np.arange(7.0), 0.5)"
    strategy = write_probe(tmp_path, "placements", "0.0\n        " + question)
    options = match.options()
    rated = dict(zip(options, ratings(strategy, match, options).tolist(), strict=True))
    assert rated[Action.CULTURE + 7 * Action.TRADE] == 5.0
    assert rated[Action.MILITARY + 7 * Action.POLITICS] == 9.0 - 0.5 * 2
    assert rated[Action.DEVELOPMENT + 7 * Action.POLITICS] == 5.0  # the development stays unpaid


def test_exploring(match, tmp_path):
    game = match.game
    game.troops[0] = 2
    game.level[0, 2] = 4
    game.minor[0], game.major[0] = [0, 0, 0], [0, 0, 0]
    spaces = RULES.tables.spaces
    red_major = next(
        place
        for place in range(RULES.tables.space_count)
        if spaces[place].major[0] and spaces[place].needed == 6 and spaces[place].lost == 3
    )
    assert answers(
        match,
        tmp_path,
        "troops_after_muster(view)",
        f"can_reach(view, {red_major}, 6)",
        f"can_reach(view, {red_major}, 5)",
        f"troops_lost(view, {red_major})",
        f"space_majors(view, {red_major})",
        f"space_minors(view, {red_major})",
        f"space_wanted(view, {red_major})",
        f"space_worth(view, {red_major}, 3.0, 2.0, 0.5)",
        f"is_unexplored(view, {red_major})",
        "best_space(view, -1, 3.0, 2.0, 0.5)",
    ) == [6, 1, 0, 3, 1, 0, 1, 0.5 * spaces[red_major].drachmas + 3.0 + 2.0 - 1.5, 1, -1]


def test_what_cards_do_is_read_from_the_rules(match, tmp_path):
    game = match.game
    game.drachmas[0], game.citizens[0], game.level[0] = 9, 8, [4, 2, 1]
    game.hand[0], game.hand_size[0] = cards("bank", "austerity", "central-government", "council"), 4
    game.in_play[0] = cards("lighthouse", "diolkos")
    assert answers(
        match,
        tmp_path,
        f"card_points_now(view, {card('bank')})",  # 9 drachmas
        f"card_points_now(view, {card('austerity')})",  # 3 cards are left in hand
        f"card_points_now(view, {card('central-government')})",  # itself included
        f"card_points_now(view, {card('tunnel-of-eupalinos')})",
        f"card_gain(view, {card('diolkos')}, Trigger.TRADE, Gain.DRACHMAS)",
        f"card_gain(view, {card('mercenary-recruitment')}, Trigger.AT_ONCE, Gain.TROOPS)",
        f"is_end_game_card(view, {card('bank')})",
        f"is_ongoing_card(view, {card('bank')})",
        f"has_special(view, {card('helepole')}, Special.SPARES_TROOPS)",
        "gain_on(view, Trigger.TRADE, Gain.VP)",
        "trade_income(view)",
        "development_gain(view, 2, Trigger.AT_ONCE, Gain.TAX)",
        "next_development_points(view)",
        "action_trigger(Action.TRADE) == Trigger.TRADE",
    ) == [4, 9, 6, 6, 1, 4, 1, 0, 1, 4, 6, 0, 0, 1]


def test_how_a_player_stands(match, tmp_path):
    game = match.game
    game.vp[:3] = [10, 12, 3]
    game.glory[0], game.major[0], game.minor[0] = 2, [1, 1, 1], [0, 0, 0]
    game.in_play[0], game.citizens[0] = cards("proskenion", "stadion"), 5
    game.tax[0], game.troops[:3] = 3, [4, 6, 1]
    game.achieved[:] = [2, 0, 0, 0, 0]
    assert answers(
        match,
        tmp_path,
        "points_if_over(view)",  # 10 + 5 citizens + 2 glory x 3 majors
        "rank(view)",
        "rank(player(view, 1))",
        "best_rival_points(view)",
        "income(view)",
        "culture_points(view)",
        "is_achievement_open(view, Achievement.VICTORY_POINTS)",
        "is_achievement_open(view, Achievement.TROOPS)",
        "missing_for_achievement(view, Achievement.TROOPS)",
        "missing_for_achievement(view, Achievement.POLITICS)",
        "most_troops_of_others(view)",
        "least_troops_of_others(view)",
        "event_looks_at_troops(view)",
    ) == [21, 1, 2, 12, 3, 1, 0, 1, 2, 1, 6, 1, 0]


def test_players_who_are_level_share_their_place(match, tmp_path):
    match.game.vp[:3] = [10, 10, 12]
    assert answers(match, tmp_path, "rank(view)", "rank(player(view, 1))", "rank(player(view, 2))") == [
        2,
        2,
        1,
    ]


def test_the_price_of_a_level_knows_the_discounts_of_the_phase_to_come(match, tmp_path):
    match.game.level[0] = [1, 3, 1]
    price = "level_price(view, Track.CULTURE)"
    assert answers(match, tmp_path, price) == [6]
    match.game.discount[0], match.game.progress_discount[0] = 1, 2
    assert answers(match, tmp_path, price) == [3]


def test_looking_ahead_leaves_the_position_alone(match, tmp_path):
    game = match.game
    game.level[0], game.drachmas[0], game.troops[0], game.vp[0] = [3, 5, 2], 2, 1, 0
    assert answers(
        match,
        tmp_path,
        "points(look_ahead_action(view, Action.CULTURE, 1))",
        "drachmas(look_ahead_action(view, Action.TRADE, 2))",
        "choice_after(in_spare(view, 2)) == Task.BUY_TOKEN",
        "minors(look_ahead(in_spare(view, 2), Colour.BLUE, 3))",
        "drachmas(in_spare(view, 3))",
        "troops(look_ahead_action(view, Action.MILITARY, 1))",
        "choice_after(in_spare(view, 1)) == Task.EXPLORE",
        "philosophy(look_ahead_action(view, Action.PHILOSOPHY, 1)) - philosophy(view)",
        "choice_after(in_spare(view, 1))",
        "points(view) + drachmas(view) + troops(view)",
    ) == [5, 6, 1, 1, 1, 3, 1, 1, -1, 3]


def test_toolkit_functions_run_as_plain_python_when_python_calls_them(match):
    from khora_sim.strategy.toolkit import View, citizens_for, drachmas, points_if_over

    record = match.view(0)
    record.vp[0] = 4
    view = View(record, RULES.tables, 0, 0, 0, 0, None)
    assert drachmas(view) == record.drachmas[0]
    assert citizens_for(view, Action.DEVELOPMENT + 7 * Action.POLITICS) == 4
    assert points_if_over(view) == 4
