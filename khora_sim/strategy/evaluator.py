"""The evaluator: the player behind every weights file, which rates options by what they lead to."""

from typing import Any, NamedTuple

import numpy as np

from khora_sim.engine.agenda import NONE, SELL, Task, next_up
from khora_sim.engine.bits import BIT, lowest, size, without_lowest
from khora_sim.engine.dice import TILES, citizens_left, paid_dice, tokens_spent
from khora_sim.engine.memory import copy_record
from khora_sim.engine.seat import listed_of, spare, uses_spare, weights_of
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import DEVELOPMENTS, DICE, PLAYER_COUNTS, Action, Gain
from khora_sim.strategy.decorators import inlined, macro, rule
from khora_sim.strategy.reading.costs import can_develop, has_next_development, playable_cards
from khora_sim.strategy.reading.decisions import in_spare, is_sale_for_achievement, try_action, try_option
from khora_sim.strategy.reading.gains import has_special
from khora_sim.strategy.reading.holdings import citizens, city, drachmas, philosophy
from khora_sim.strategy.reading.tiles import (
    citizens_for,
    pay_for_the_same_dice,
    pips_gained,
    rolled_dice,
    tile_on,
    unpaid_of,
)
from khora_sim.strategy.value.features import FEATURES, PARTS
from khora_sim.strategy.value.placements import (
    add_together,
    blank_action_worths,
    payment_worth,
    rate_placements,
    tiles_worth,
)
from khora_sim.strategy.value.position import citizens_worth, measure_cards, value
from khora_sim.strategy.value.prices import blank_prices, fill_in
from khora_sim.strategy.value.worths import (
    card_in_hand,
    lost_by_rising,
    most_worth_exploring,
    sales_for_achievements,
    unset_worths,
    work_out_cards,
    work_out_colours,
    work_out_development,
    work_out_units,
)


class Model(NamedTuple):
    """The value model with one set of weights, in one position."""

    weights: Any  # so many points for each feature
    prices: Any  # the price list that follows from them (value/prices.py)
    worths: Any  # levels, cards and developments by these prices (value/worths.py)


@rule
def prepare_units(view, model):
    """Work out what one more of each thing is worth."""
    fill_in(view, model.weights, model.prices)
    work_out_units(view, model.prices, model.worths.unit)


@rule
def prepare(view, model):
    """Work out once per decision what the cards and developments are worth that it may touch."""
    prepare_units(view, model)
    cards = view.game.hand[view.me]
    if view.decision == Task.TAKE_BACK_CARD or _may_take_back(view):
        cards |= view.game.in_play[view.me]
    work_out_cards(view, model.prices, model.worths, cards)
    step = np.int64(view.game.development[view.me])
    work_out_development(view, model.prices, model.worths, step)
    work_out_development(view, model.prices, model.worths, step + 1)
    measure_cards(view, model.weights, model.worths, model.worths.known)


@inlined
def _may_take_back(view):
    """Tell if a card in hand, or a development to come, brings a card back from play to hand."""
    had = view.game.development[view.me]
    for step in range(had, min(had + 2, DEVELOPMENTS)):
        development = view.tables.developments[view.game.city[view.me], step]
        for place in range(development.effect_count):
            if development.effects[place].special == Special.TAKE_BACK_CARD:
                return True
    cards = view.game.hand[view.me]
    while cards != 0:
        if has_special(view, lowest(cards), Special.TAKE_BACK_CARD):
            return True
        cards = without_lowest(cards)
    return False


NOTHING = -1e9  # worse than any position
BEST = 3  # the spare record that keeps the best end of all sequences
TRIAL = 4  # the first of the spare records for the positions after each choice of a sequence
IN_A_ROW = 6  # choices that are followed one after the other
SEQUENCES = 16384  # sequences that are followed from one position: more than the base game has


@rule
def _best_space(view, model):
    """The space within reach that brings most, as a set; empty: none brings anything."""
    prices, worths = model.prices, model.worths
    work_out_colours(view, prices, worths, prices.next_development)
    best = most_worth_exploring(view, worths, view.game.troops[view.me], view.game.explored)
    return BIT[best] if best >= 0 else np.int64(0)


@inlined
def _is_short_of_drachmas(view, task):
    """Tell if the decision at hand could buy something if there were more drachmas."""
    if task == Task.BUY_TOKEN:
        return drachmas(view) < view.game.token_price[view.me]
    if task == Task.DEVELOP:
        city = view.tables.developments[view.game.city[view.me]]
        return has_next_development(view) and drachmas(view) < city[view.game.development[view.me]].cost
    if task == Task.PLAY_CARD:
        cards = view.game.hand[view.me]
        while cards != 0:
            if drachmas(view) < view.tables.cards[lowest(cards)].cost:
                return True
            cards = without_lowest(cards)
        return False
    return True


@rule
def _end(view, model, so_far):
    """The worth of a position in which nothing more is chosen, if it is the best so far: then it is kept."""
    worth = value(view, model.weights, model.worths)
    if worth > so_far:
        uses_spare(view.seat, BEST)
        copy_record(spare(view.seat, BEST), view.game)
        return worth
    return so_far


@rule
def _follow(view, model, count, row, sequences, so_far):
    """Try all sequences of the choices that wait in a position; an end better than the best so far is kept.

    A development or card may open a choice, and that one more: what it brings is known only at the end of
    them. Only the player's own choices are followed, from what it may know. `count` options are listed, if
    anybody has a choice there; `row` choices have been followed before it.
    """
    mine = False
    task = np.int64(0)
    if count > 1 and row < IN_A_ROW and count <= sequences:
        task, seat, _ = next_up(view.game)
        mine = seat == view.me
    if not mine:
        return _end(view, model, so_far)
    listed = listed_of(view.seat)
    declines = listed[count - 1] == NONE
    sells = declines and count > 1 and listed[count - 2] == SELL
    choices = count - declines - sells
    options = np.int64(0)
    if task == Task.EXPLORE:
        options = _best_space(view, model)
    else:
        for index in range(choices):
            if listed[index] >= len(BIT):
                return _end(view, model, so_far)
            options |= BIT[listed[index]]
    number = TRIAL + row
    after = in_spare(view, number)
    share = np.int64(sequences // (size(options) + 2))
    while options != 0:
        waiting = try_option(view, lowest(options), number)
        so_far = _follow(after, model, np.int64(waiting), row + 1, share, so_far)
        options = without_lowest(options)
    if sells and _is_short_of_drachmas(view, task):
        waiting = try_option(view, SELL, number)
        so_far = _follow(after, model, np.int64(waiting), row + 1, share, so_far)
    if declines and view.game.agenda_size == 1:
        so_far = _end(view, model, so_far)
    elif declines:
        waiting = try_option(view, NONE, number)
        so_far = _follow(after, model, np.int64(waiting), row + 1, share, so_far)
    return so_far


@inlined
def settle(view, model, count, number):
    """The worth of the position in a spare record after the player's best choices, which are made there.

    `count` says how many options wait there, as `try_option` returned it.
    """
    if count < 2 or next_up(view.game)[1] != view.me:
        return value(view, model.weights, model.worths)
    worth = _follow(view, model, np.int64(count), np.int64(0), np.int64(SEQUENCES), NOTHING)
    copy_record(spare(view.seat, number), spare(view.seat, BEST))
    return worth


@inlined
def act(view, action, model, number):
    """The worth of the position after an action and the best choices within it; a spare record keeps it."""
    count = try_action(view, action, number)
    return settle(in_spare(view, number), model, count, number)


@inlined
def choose(view, option, model, number):
    """The worth of the position after an option and the best choices that it opens."""
    count = try_option(view, option, number)
    return settle(in_spare(view, number), model, count, number)


@rule
def _value_actions(view, model, actions):
    """Work out the worth of each action, by itself and after one that pays for it; all is still 0 there."""
    now = value(view, model.weights, model.worths)
    playable = playable_cards(view)
    develops = can_develop(view)
    if develops:
        actions.alone[Action.DEVELOPMENT] = act(view, Action.DEVELOPMENT, model, 1) - now
    if playable > 0:
        actions.alone[Action.POLITICS] = act(view, Action.POLITICS, model, 1) - now
        if develops and not can_develop(in_spare(view, 1)):
            either = min(actions.alone[Action.POLITICS], actions.alone[Action.DEVELOPMENT])
            add_together(actions, Action.POLITICS, Action.DEVELOPMENT, -either)
    for action in range(Action.POLITICS):
        worth = act(view, action, model, 1) - now
        actions.alone[action] = worth
        after = in_spare(view, 1)
        if not develops and can_develop(after):
            gained = act(after, Action.DEVELOPMENT, model, 2) - now - worth
            add_together(actions, action, Action.DEVELOPMENT, gained)
        if playable_cards(after) > playable:
            both = act(after, Action.POLITICS, model, 2) - now
            gained = both - worth - actions.alone[Action.POLITICS]
            add_together(actions, action, Action.POLITICS, max(gained, 0.0))
    actions.alone[Action.LEGISLATION] += drawn_card(view, model)


@macro
def drawn_card(view, model):
    """Worth of the card that legislation keeps of those drawn, which nobody has seen yet."""
    return model.prices.gain[Gain.CARDS] if view.game.deck_size > 0 else 0.0


@rule
def _rate_beyond_means(view, model, actions, option, purse):
    """A placement that asks for more citizens than there are: leave tiles unpaid, or spend philosophy."""
    one, two, three = tile_on(option, 0), tile_on(option, 1), tile_on(option, 2)
    dice = view.game.dice[view.me]
    first, second, third = max(one - dice[0], 0), max(two - dice[1], 0), max(three - dice[2], 0)
    rolled = rolled_dice(view)
    used = rolled & ~unpaid_of(first, second, third, purse)
    paid = (first if used & 1 else 0) + (second if used & 2 else 0) + (third if used & 4 else 0)
    best = tiles_worth(actions, used, one, two, three) + citizens_worth(view, model.weights, purse - paid)
    cost = first + second + third
    each = max(view.tables.citizens_per_philosophy, 1)
    tokens = (cost - purse + each - 1) // each
    if tokens <= philosophy(view):
        left = citizens_worth(view, model.weights, purse + tokens * each - cost)
        worth = tiles_worth(actions, rolled, one, two, three) - tokens * model.worths.unit[Gain.PHILOSOPHY]
        best = max(best, worth + left)
    return best


@rule
def rate_tiles(view, model, options, scores):
    """PLACE_TILES: what the actions are worth together, with the citizens left."""
    actions = blank_action_worths()
    prepare(view, model)
    _value_actions(view, model, actions)
    purse = np.int64(citizens(view))
    for cost in range(DICE * TILES):
        actions.paying[cost] = citizens_worth(view, model.weights, purse - cost)
    rate_placements(view, actions, options, scores)
    for number in range(len(options)):
        option = np.int64(options[number])
        if citizens_for(view, option) > purse:
            scores[number] = _rate_beyond_means(view, model, actions, option, purse)


@rule
def rate_payments(view, model, options, scores):
    """PAY_CITIZENS: the actions that are paid for and the citizens left, minus the tokens spent."""
    actions = blank_action_worths()
    if pay_for_the_same_dice(options):
        prepare_units(view, model)
    else:
        prepare(view, model)
        _value_actions(view, model, actions)
    for number in range(len(options)):
        option = np.int64(options[number])
        worth = payment_worth(view, actions, paid_dice(option))
        worth += citizens_worth(view, model.weights, citizens_left(option))
        scores[number] = worth - tokens_spent(option) * model.worths.unit[Gain.PHILOSOPHY]


@rule
def _rate_cards(view, model, options, scores):
    """Draft and legislation: what each card would bring; a card in hand never hurts."""
    prepare_units(view, model)
    for number in range(len(options)):
        card = np.int64(options[number])
        if card == NONE:
            scores[number] = -1.0
            continue
        scores[number] = card_in_hand(view, model.prices, model.worths.unit, card)


@rule
def _rate_sale_for_achievement(view, model, options, scores):
    """SELL_GLORY before the achievements: what sales bring and earn, minus the glory."""
    prepare_units(view, model)
    for number in range(len(options)):
        sells = options[number] == SELL
        scores[number] = sales_for_achievements(view, model.worths.unit) if sells else 0.0


@rule
def _rate_by_position(view, model, options, scores):
    """Any other decision, a new one included: the position that each option leads to."""
    prepare(view, model)
    for number in range(len(options)):
        option = np.int64(options[number])
        scores[number] = choose(view, option, model, 1)
        if view.decision == Task.CHOOSE_ACTION and option == Action.LEGISLATION:
            scores[number] += drawn_card(view, model)
        if view.decision == Task.CHOOSE_TRACK and option != NONE:
            scores[number] -= lost_by_rising(view, model.worths.unit, option)


@rule
def rate_with(view, options, scores, weights):
    """Rate all options of a decision with so many points for each feature."""
    task = view.decision
    model = Model(weights, blank_prices(), unset_worths())
    if task == Task.REROLL:
        for number in range(len(options)):
            scores[number] = pips_gained(view, np.int64(options[number]))
    elif task == Task.PICK_CARD or task == Task.KEEP_CARD:
        _rate_cards(view, model, options, scores)
    elif task == Task.PLACE_TILES:
        rate_tiles(view, model, options, scores)
    elif task == Task.PAY_CITIZENS:
        rate_payments(view, model, options, scores)
    elif is_sale_for_achievement(view):
        _rate_sale_for_achievement(view, model, options, scores)
    else:
        _rate_by_position(view, model, options, scores)


FEWEST = PLAYER_COUNTS[0]
THIRDS = len(PARTS)
TABLES = len(PLAYER_COUNTS) * THIRDS  # each has a row of weights for every city


@inlined
def _third(view):
    """Third of the game (0 to 2); the draft belongs to the first."""
    rounds = view.tables.rounds
    played = max(view.game.round_number - 1, 0)
    return (played * THIRDS >= rounds) + (played * THIRDS >= 2 * rounds)


@rule
def rate(view, options, scores):
    """Rate all options with the weights for the number of players, the part of the game and the city."""
    numbers = weights_of(view.seat)
    table = (view.game.players - FEWEST) * THIRDS + _third(view)
    row = table * (len(numbers) // TABLES) + city(view) * FEATURES
    rate_with(view, options, scores, numbers[row : row + FEATURES])
