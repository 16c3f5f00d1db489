"""Tiles by a price list: each action is valued once, then every placement adds up."""

import numpy as np

from khora_sim.engine.bits import BIT, lowest, without_lowest
from khora_sim.engine.dice import TILES
from khora_sim.engine.military import reachable_spaces
from khora_sim.engine.scratch import scratch_record
from khora_sim.rules.terms import ACTIONS, COLOURS, DEVELOPMENTS, DICE, Action, Gain, Track, Trigger
from khora_sim.strategy.compiling import inlined, macro, rule
from khora_sim.strategy.toolkit.gains import missing_of, owned_tokens
from khora_sim.strategy.toolkit.playing import (
    achievement_of_cards,
    development_promise,
    play_price,
    price_tokens,
)
from khora_sim.strategy.toolkit.promise import fired
from khora_sim.strategy.toolkit.standing import event_looks_at_troops, most_troops_of_others

#: What actions are worth to a player now.
ACTION_WORTH = np.dtype(
    [
        ("alone", "f8", (ACTIONS,)),  # each by itself
        ("together", "f8", (TILES, TILES)),  # two beyond that, symmetric
        ("citizens", "f8", (DICE * TILES,)),  # what 0, 1, 2, … citizens cost
    ]
)
blank_action_worth = scratch_record(ACTION_WORTH)
#: What pairs of tiles on the first two of three dice are worth, and what citizens tiles cost.
PAIR_WORTH = np.dtype(
    [("worth", "f8", (TILES * TILES,)), ("cost", "f8", (TILES * TILES,)), ("last_cost", "f8", (TILES,))]
)
blank_pair_worth = scratch_record(PAIR_WORTH)
NEVER = 1000.0
SEVEN = np.uint16(TILES)  # a place without a sign is never counted from the end, which saves asking


@macro
def space_price(view, prices, space):
    """What exploring a space brings, less the troops it costs; tokens must be priced."""
    lying = view.tables.spaces[space]
    worth = lying.vp + lying.drachmas * prices.gain[Gain.DRACHMAS]
    worth -= max(lying.lost - view.game.spared_troops[view.me], 0) * prices.gain[Gain.TROOPS]
    for colour in range(COLOURS):
        worth += lying.minor[colour] * prices.colour[colour]
        worth += lying.major[colour] * (prices.colour[colour] + prices.major)
    return worth


@inlined
def best_space_by_price(view, prices, troops, explored):
    """The space within reach of so many troops that brings most, but for those explored; -1: none does."""
    best = -1
    most = 0.0
    spaces = reachable_spaces(view.tables, troops, explored)
    while spaces != 0:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        worth = space_price(view, prices, space)
        if worth > most:
            best = space
            most = worth
    return best


@rule
def _more_spaces(view, prices, troops, space):
    """What the explorations bring that a military action may add to its first one."""
    total = 0.0
    explored = view.game.explored
    for _ in range(1, view.game.explorations[view.me]):
        troops -= max(view.tables.spaces[space].lost - view.game.spared_troops[view.me], 0)
        explored |= BIT[space]
        space = best_space_by_price(view, prices, troops, explored)
        if space < 0:
            break
        total += space_price(view, prices, space)
    return total


@rule
def price_actions(view, prices, worths):
    """Work out what each action is worth, in a record that is all 0, and whether pairs are worth more."""
    game, tables, me = view.game, view.tables, view.me
    price_tokens(view, prices)
    worths.alone[Action.PHILOSOPHY] = tables.philosophy_tokens * prices.gain[Gain.PHILOSOPHY]
    worths.alone[Action.LEGISLATION] = (
        tables.legislation_citizens * prices.gain[Gain.CITIZENS] + prices.gain[Gain.CARDS]
    )
    worths.alone[Action.CULTURE] = game.level[me, Track.CULTURE] * prices.gain[Gain.VP]
    for action in range(Action.TRADE):
        worths.alone[action] += fired(view, prices, Trigger.PHILOSOPHY + action) + prices.tile[action]
    income = _price_trade(view, prices, worths)
    space = _price_military(view, prices, worths)
    politics = _price_politics(view, prices, worths, income)
    development = _price_development(view, prices, worths, income, space)
    return politics or development


@inlined
def _price_trade(view, prices, worths):
    """Trade: the income, and a token if it is worth more than its price. Returns the plain income."""
    game, me = view.game, view.me
    income = game.level[me, Track.ECONOMY] + view.tables.trade_bonus
    worth = income * prices.gain[Gain.DRACHMAS] + fired(view, prices, Trigger.TRADE)
    if game.drachmas[me] + income >= game.token_price[me]:
        token = prices.colour[best_colour(prices)] - game.token_price[me] * prices.gain[Gain.DRACHMAS]
        worth += max(token, 0.0)
    worths.alone[Action.TRADE] = worth + prices.tile[Action.TRADE]
    return income


@inlined
def _price_military(view, prices, worths):
    """Military: the troops, and the best space within reach, which is returned (-1: none)."""
    game, me = view.game, view.me
    troops = game.troops[me] + game.level[me, Track.MILITARY]
    worth = game.level[me, Track.MILITARY] * prices.gain[Gain.TROOPS] + fired(view, prices, Trigger.MILITARY)
    space = best_space_by_price(view, prices, troops, game.explored)
    if space >= 0:
        worth += space_price(view, prices, space)
        if game.explorations[me] > 1:
            worth += _more_spaces(view, prices, troops, space)
    if prices.most_troops != 0.0 and event_looks_at_troops(view) and troops >= most_troops_of_others(view):
        worth += prices.most_troops
    worths.alone[Action.MILITARY] = worth + prices.tile[Action.MILITARY]
    return space


@inlined
def _price_politics(view, prices, worths, income):
    """Politics: the best card that can be paid for, and what the income of a trade would add to that."""
    drachmas, philosophy = view.game.drachmas[view.me], view.game.philosophy[view.me]
    owned = owned_tokens(view)
    best = 0.0
    rich = 0.0
    cards = view.game.hand[view.me]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        wanted = view.tables.cards[card]
        missing = missing_of(owned, wanted)
        if wanted.cost > drachmas + income or missing * view.tables.philosophy_per_need > philosophy:
            continue
        worth = play_price(view, prices, card, missing)
        rich = max(rich, worth)
        if wanted.cost <= drachmas:
            best = max(best, worth)
    if best > 0.0:
        best += achievement_of_cards(view, prices)
    worths.alone[Action.POLITICS] = best
    _add_together(worths, Action.TRADE, Action.POLITICS, max(rich - best, 0.0))
    return rich > best


@inlined
def _price_development(view, prices, worths, income, space):
    """Development: if it can be paid now, or after a trade or an exploration that brings what it misses."""
    game, me = view.game, view.me
    step = game.development[me]
    if step >= DEVELOPMENTS:
        return False
    wanted = view.tables.developments[game.city[me], step]
    needed = missing_of(owned_tokens(view), wanted) * view.tables.philosophy_per_need
    lacks = needed - game.philosophy[me]
    if lacks > view.tables.philosophy_per_need or wanted.cost > game.drachmas[me] + income:
        return False
    worth = development_promise(view, prices) + prices.tile[Action.DEVELOPMENT]
    worth = max(worth - min(needed, game.philosophy[me]) * prices.gain[Gain.PHILOSOPHY], 0.0)
    if lacks <= 0:
        if wanted.cost <= game.drachmas[me]:
            worths.alone[Action.DEVELOPMENT] = worth
            return False
        _add_together(worths, Action.TRADE, Action.DEVELOPMENT, worth)
        return True
    if wanted.cost + game.token_price[me] <= game.drachmas[me] + income:
        _add_together(worths, Action.TRADE, Action.DEVELOPMENT, worth)
    if space >= 0 and wanted.cost <= game.drachmas[me]:
        lying = view.tables.spaces[space]
        for colour in range(COLOURS):
            if lying.minor[colour] + lying.major[colour] > 0 and _misses(view, wanted, colour):
                _add_together(worths, Action.MILITARY, Action.DEVELOPMENT, worth)
    return True


@macro
def _add_together(worths, first, second, worth):
    """Two actions are worth more together."""
    worths.together[first, second] = worth
    worths.together[second, first] = worth


@macro
def _misses(view, wanted, colour):
    """Whether a token of a colour is missing."""
    return wanted.needs[colour] > view.game.minor[view.me, colour] + view.game.major[view.me, colour]


@inlined
def best_colour(prices):
    """The colour of token worth most; tokens must be priced."""
    best = 0
    for colour in range(1, COLOURS):
        if prices.colour[colour] > prices.colour[best]:
            best = colour
    return best


@inlined
def rate_tiles_by_prices(view, options, scores, prices):
    """PLACE_TILES: what the actions are worth together, less the citizens they cost."""
    worths = blank_action_worth()
    more_together = price_actions(view, prices, worths)
    first, second, third = view.game.dice[view.me, 0], view.game.dice[view.me, 1], view.game.dice[view.me, 2]
    _price_citizens(view, prices, worths, DICE * (TILES - 1) - first - second - third)
    if third > 0:
        pairs = blank_pair_worth()
        _price_pairs(worths, pairs, first, second, third)
        _rate_three_dice(options, scores, worths, pairs, more_together)
        return
    for number in range(len(options)):
        option = np.uint16(options[number])
        two = np.uint16(option // SEVEN)
        one = np.uint16(option - SEVEN * two)
        cost = max(one - first, 0) + max(two - second, 0)
        scores[number] = (
            worths.alone[one] + worths.alone[two] + worths.together[two, one] - worths.citizens[cost]
        )


@inlined
def _price_citizens(view, prices, worths, most):
    """What 0, 1, 2, … up to the most citizens cost: philosophy tokens stand in for those that are missing.

    What cannot be paid at all is out of the question: the lowest tiles cost little or nothing.
    """
    purse, philosophy = view.game.citizens[view.me], view.game.philosophy[view.me]
    each = max(view.tables.citizens_per_philosophy, 1)
    tokens = 0
    for cost in range(most + 1):
        if cost > purse + tokens * each:
            tokens += 1
        worth = (cost - tokens * each) * prices.gain[Gain.CITIZENS] + tokens * prices.gain[Gain.PHILOSOPHY]
        worths.citizens[cost] = worth if tokens <= philosophy else NEVER + cost


@inlined
def _price_pairs(worths, pairs, first, second, third):
    """What each pair of tiles on the first two dice is worth and costs, and what a third tile costs."""
    for two in range(TILES):
        for one in range(TILES):
            pair = one + TILES * two
            pairs.worth[pair] = worths.alone[one] + worths.alone[two] + worths.together[two, one]
            pairs.cost[pair] = max(one - first, 0) + max(two - second, 0)
        pairs.last_cost[two] = max(two - third, 0)


@inlined
def _rate_three_dice(options, scores, worths, pairs, more_together):
    """Three dice take tiles in up to 210 ways: nothing but sums here."""
    for number in range(len(options)):
        option = np.uint16(options[number])
        last = np.uint16(option // (SEVEN * SEVEN))
        pair = np.uint16(option - SEVEN * SEVEN * last)
        cost = np.uint16(pairs.cost[pair] + pairs.last_cost[last])
        scores[number] = pairs.worth[pair] + worths.alone[last] - worths.citizens[cost]
        if more_together:
            beside = worths.together[last]
            scores[number] += beside[pair % TILES] + beside[pair // TILES]
