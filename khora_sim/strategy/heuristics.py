"""Heuristics for every decision, from prices alone: what any sane player does without a plan.

Each action is guessed once, then counts in all placements and payments. The actions that a card or
development opens are guessed one by one, and tokens by their colour, where the value model only has a plain
guess.
"""

import numpy as np

from khora_sim.engine.agenda import NONE, SELL, Task
from khora_sim.engine.bits import BIT, has, lowest, without_lowest
from khora_sim.engine.dice import TILES, citizens_left, missing_pips, paid_dice, tokens_spent
from khora_sim.engine.effects import effect_of
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import COLOURS, DEVELOPMENTS, DICE, Achievement, Action, Gain, Kind, Track, Trigger
from khora_sim.strategy.decorators import inlined, rule
from khora_sim.strategy.reading.costs import (
    can_develop,
    can_play,
    development_cost,
    has_next_development,
    level_price,
    missing_tokens,
    troops_lost,
)
from khora_sim.strategy.reading.decisions import GLORY, is_sale_for_achievement
from khora_sim.strategy.reading.holdings import (
    cards_in_play,
    citizens,
    culture,
    drachmas,
    economy,
    event_looks_at_troops,
    knowledge,
    military,
    most_troops_of_others,
    philosophy,
    troops,
)
from khora_sim.strategy.reading.tiles import pay_for_the_same_dice, pips_gained
from khora_sim.strategy.value.placements import (
    add_together,
    blank_action_worths,
    payment_worth,
    rate_placements,
)
from khora_sim.strategy.value.worths import (
    SOMETHING,
    best_colour,
    card_in_hand,
    card_worth,
    exploring_worth,
    gain_worth,
    given_now,
    lost_by_rising,
    most_worth_exploring,
    nearness,
    sale_worth,
    sales_for_achievements,
    unset_units,
    unset_worths,
    work_out_cards,
    work_out_colours,
    work_out_development,
    work_out_units,
)


@rule
def work_out_holdings(view, prices, worths, cards):
    """Work out the worth of the next development and the cards of a set."""
    work_out_units(view, prices, worths.unit)
    work_out_cards(view, prices, worths, cards)
    work_out_development(view, prices, worths, np.int64(view.game.development[view.me]))


@inlined
def cards_short_of_tokens(view):
    """The cards in hand that miss tokens."""
    short = np.int64(0)
    cards = view.game.hand[view.me]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        if missing_tokens(view, view.tables.cards[card]) > 0:
            short |= BIT[card]
    return short


@rule
def work_out_tokens(view, prices, worths):
    """Work out the worth of tokens; cards and developments are known.

    A token that the next development misses is worth all of it where the tile for it is paid already.
    """
    waits = view.game.active[view.me] >> Action.DEVELOPMENT & 1
    work_out_colours(view, prices, worths, 1.0 if waits else prices.next_development)


@rule
def _work_out_hand(view, prices, worths):
    """Work out the worth of all cards in hand, and of tokens."""
    work_out_cards(view, prices, worths, view.game.hand[view.me])
    work_out_tokens(view, prices, worths)


@rule
def _opened(view, prices, worths, source, but_not):
    """Worth of the actions and tokens that a card or development gives, beyond the plain guess at them."""
    takes_back = False
    total = 0.0
    for place in range(source.effect_count):
        effect = source.effects[place]
        takes_back = takes_back or effect.special == Special.TAKE_BACK_CARD
        if effect.special == Special.TAKE_ACTIONS:
            number = np.int64(effect.number)
            total -= number * SOMETHING
            if effect.action == Action.POLITICS:
                total += _best_cards(view, prices, worths, source.cost, number, takes_back, but_not)
            elif effect.action < Action.POLITICS:
                total += number * _opened_action(view, prices, worths, np.int64(effect.action))
        elif effect.on == Trigger.AT_ONCE and effect.gain[Gain.TOKENS] > 0:
            _work_out_hand(view, prices, worths)
            total += effect.gain[Gain.TOKENS] * (best_colour(worths) - worths.unit[Gain.TOKENS])
    return total


@rule
def _opened_action(view, prices, worths, action):
    """Worth of an action other than politics and development that a card or development gives."""
    _work_out_hand(view, prices, worths)
    return action_worth(view, prices, worths, action, space_to_explore(view, worths))


@rule
def _best_cards(view, prices, worths, spent, actions, takes_back, but_not):
    """The best cards to play one after the other when so much is spent; one may come back from play first."""
    game, tables, me = view.game, view.tables, view.me
    cards = game.hand[me]
    if but_not >= 0:
        cards &= ~BIT[but_not]
    back = np.int64(0)
    total = 0.0
    work_out_cards(view, prices, worths, cards)
    if takes_back:
        work_out_cards(view, prices, worths, game.in_play[me])
        back = _immediate_cards(tables, game.in_play[me])
        total -= _least_lost(worths, game.in_play[me]) if back == 0 else 0.0
    purse = game.drachmas[me] - spent
    for _ in range(actions):
        best = -1
        most = 0.0
        left = cards | back
        while left != 0:
            card = lowest(left)
            left = without_lowest(left)
            tokens = missing_tokens(view, tables.cards[card]) * tables.philosophy_per_need
            if tables.cards[card].cost > purse or tokens > game.philosophy[me]:
                continue
            worth = worths.card[card] - tokens * worths.unit[Gain.PHILOSOPHY]
            if worth > most:
                best = card
                most = worth
        if best < 0:
            break
        total += most + prices.tile[Action.POLITICS] + set_off(view, worths.unit, Trigger.CARD_PLAYED)
        purse -= tables.cards[best].cost
        if has(back, best):
            back = np.int64(0)
        cards &= ~BIT[best]
    return total


@inlined
def _immediate_cards(tables, cards):
    """The immediate ones of a set of cards: in play they bring nothing any more."""
    immediate = np.int64(0)
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        if tables.cards[card].kind == Kind.IMMEDIATE:
            immediate |= BIT[card]
    return immediate


@inlined
def _least_lost(worths, cards):
    """Later worth of the card in play that is missed least; a card must come back if there is one."""
    least = np.inf if cards != 0 else 0.0
    while cards != 0:
        least = min(least, worths.card_later[lowest(cards)])
        cards = without_lowest(cards)
    return least


@rule
def playing_worth(view, prices, worths, card, tokens):
    """Worth of playing a card now, minus so many philosophy tokens for missing knowledge."""
    source = view.tables.cards[card]
    worth = worths.card[card] + prices.tile[Action.POLITICS]
    if source.opens:
        worth += _opened(view, prices, worths, source, np.int64(card))
    worth += achievement_worth(view, prices, Achievement.POLITICS, cards_in_play(view) + 1)
    return worth - tokens * worths.unit[Gain.PHILOSOPHY]


@rule
def development_worth(view, prices, worths):
    """Worth of the next development, minus its price, and of what it sets off and opens the way to."""
    if not has_next_development(view):
        return 0.0
    step = np.int64(view.game.development[view.me])
    city = view.tables.developments[view.game.city[view.me]]
    worth = worths.city[step] - city[step].cost * worths.unit[Gain.DRACHMAS]
    worth += set_off(view, worths.unit, Trigger.DEVELOPMENT)
    if city[step].opens:
        worth += _opened(view, prices, worths, city[step], np.int64(-1))
    if step + 1 < DEVELOPMENTS:
        near = nearness(missing_tokens(view, city[step + 1]), prices.missing_token)
        work_out_development(view, prices, worths, step + 1)
        worth += prices.opens * near * worths.city[step + 1]
    return worth


@inlined
def set_off(view, unit, trigger):
    """Worth of the player's cards and developments now if a trigger set them off."""
    if not view.game.awaited[view.me] >> trigger & 1:
        return 0.0
    return _set_off_by_all(view, unit, trigger)


@rule
def _set_off_by_all(view, unit, trigger):
    """The same, where something waits for the trigger."""
    total = 0.0
    cards = view.game.in_play[view.me] & view.tables.cards_on[trigger]
    while cards != 0:
        total += _set_off_by(view, unit, view.tables.cards[lowest(cards)], trigger)
        cards = without_lowest(cards)
    for step in range(view.game.development[view.me]):
        development = view.tables.developments[view.game.city[view.me], step]
        total += _set_off_by(view, unit, development, trigger)
    return total


@inlined
def _set_off_by(view, unit, source, trigger):
    """Worth of one card or development that a trigger sets off."""
    total = 0.0
    for place in range(source.effect_count):
        if source.effects[place].on == trigger:
            total += given_now(view, unit, source.effects[place])
    return total


@inlined
def achievement_worth(view, prices, achievement, reached):
    """Worth of reaching so much, if that is just enough for an achievement still open."""
    enough = reached == view.tables.achievement_needs[achievement]
    return prices.achievement if enough and view.game.achieved[achievement] == 0 else 0.0


@inlined
def level_worth(view, prices, unit, track):
    """Worth of the next level of a track."""
    worth = unit[Gain.ECONOMY + track]
    if track == Track.ECONOMY:
        worth += achievement_worth(view, prices, Achievement.ECONOMY, economy(view) + 1)
    return worth


@inlined
def trade_income(view):
    """Drachmas of a trade, without what it sets off."""
    return economy(view) + view.tables.trade_bonus


@inlined
def _trade_worth(view, worths):
    """Trade: the income, and a token if it is worth more than its price."""
    income, price = trade_income(view), view.game.token_price[view.me]
    worth = income * worths.unit[Gain.DRACHMAS]
    if drachmas(view) + income >= price:
        worth += max(best_colour(worths) - price * worths.unit[Gain.DRACHMAS], 0.0)
    return worth


@inlined
def space_to_explore(view, worths):
    """The space that a military action would explore first; -1: none."""
    return most_worth_exploring(view, worths, troops(view) + military(view), view.game.explored)


@inlined
def _military_worth(view, prices, worths, space):
    """Military: the troops, the spaces explored, and what the event gives for the most troops."""
    worth = military(view) * worths.unit[Gain.TROOPS]
    mustered = troops(view) + military(view)
    if space >= 0:
        worth += exploring_worth(view, worths, space)
        if view.game.explorations[view.me] > 1:
            worth += _more_spaces(view, worths, mustered, space)
    if prices.most_troops != 0.0 and event_looks_at_troops(view) and mustered >= most_troops_of_others(view):
        worth += prices.most_troops
    return worth


@rule
def _more_spaces(view, worths, mustered, space):
    """Worth of the explorations that a military action may add to its first one."""
    total = 0.0
    explored = view.game.explored
    for _ in range(1, view.game.explorations[view.me]):
        mustered -= troops_lost(view, space)
        explored |= BIT[space]
        space = most_worth_exploring(view, worths, mustered, explored)
        if space < 0:
            break
        total += exploring_worth(view, worths, space)
    return total


@inlined
def action_worth(view, prices, worths, action, space):
    """Worth of an action other than politics and development; `space` is what military would explore."""
    worth = set_off(view, worths.unit, Trigger.PHILOSOPHY + action)
    if action == Action.PHILOSOPHY:
        return worth + view.tables.philosophy_tokens * worths.unit[Gain.PHILOSOPHY]
    if action == Action.LEGISLATION:
        people = view.tables.legislation_citizens * worths.unit[Gain.CITIZENS]
        return worth + people + worths.unit[Gain.CARDS]
    if action == Action.CULTURE:
        return worth + culture(view) * worths.unit[Gain.VP]
    if action == Action.TRADE:
        return worth + _trade_worth(view, worths)
    return worth + _military_worth(view, prices, worths, space)


NEVER = -1000.0
LITTLE = 0.001  # of equal payments the one that leaves more citizens


@rule
def _work_out_actions(view, prices, worths, actions):
    """Work out the worth of each action, and of two together, in records that are all 0."""
    work_out_holdings(view, prices, worths, view.game.hand[view.me])
    work_out_tokens(view, prices, worths)
    space = space_to_explore(view, worths)
    for action in range(Action.POLITICS):
        worth = action_worth(view, prices, worths, action, space)
        actions.alone[action] = worth + prices.tile[action]
    _work_out_politics(view, prices, worths, actions)
    _work_out_development(view, prices, worths, actions, space)


@inlined
def _work_out_politics(view, prices, worths, actions):
    """Politics: the best card that can be paid for, and what the income of a trade would add to that."""
    purse, income = drachmas(view), trade_income(view)
    best = 0.0
    rich = 0.0
    cards = view.game.hand[view.me]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        wanted = view.tables.cards[card]
        tokens = missing_tokens(view, wanted) * view.tables.philosophy_per_need
        if wanted.cost > purse + income or tokens > philosophy(view):
            continue
        worth = playing_worth(view, prices, worths, card, tokens)
        rich = max(rich, worth)
        if wanted.cost <= purse:
            best = max(best, worth)
    actions.alone[Action.POLITICS] = best
    if rich > best:
        add_together(actions, Action.TRADE, Action.POLITICS, rich - best)


@inlined
def _work_out_development(view, prices, worths, actions, space):
    """Development: if it can be paid now, or after a trade or an exploration that brings what it misses."""
    if not has_next_development(view):
        return
    purse, income = drachmas(view), trade_income(view)
    wanted = view.tables.developments[view.game.city[view.me], view.game.development[view.me]]
    tokens = missing_tokens(view, wanted) * view.tables.philosophy_per_need
    lacks = tokens - philosophy(view)
    if lacks > view.tables.philosophy_per_need or wanted.cost > purse + income:
        return
    worth = development_worth(view, prices, worths) + prices.tile[Action.DEVELOPMENT]
    worth = max(worth - min(tokens, philosophy(view)) * worths.unit[Gain.PHILOSOPHY], 0.0)
    if lacks <= 0:
        if wanted.cost <= purse:
            actions.alone[Action.DEVELOPMENT] = worth
        else:
            add_together(actions, Action.TRADE, Action.DEVELOPMENT, worth)
        return
    if wanted.cost + view.game.token_price[view.me] <= purse + income:
        add_together(actions, Action.TRADE, Action.DEVELOPMENT, worth)
    if space >= 0 and wanted.cost <= purse:
        lying = view.tables.spaces[space]
        for colour in range(COLOURS):
            misses = wanted.needs[colour] > knowledge(view, colour)
            if misses and lying.minor[colour] + lying.major[colour] > 0:
                add_together(actions, Action.MILITARY, Action.DEVELOPMENT, worth)


@inlined
def rate_tiles(view, prices, options, scores):
    """PLACE_TILES: what the actions are worth together, with the citizens left."""
    worths, actions = unset_worths(), blank_action_worths()
    _work_out_actions(view, prices, worths, actions)
    _work_out_paying(view, worths.unit, actions)
    rate_placements(view, actions, options, scores)


@inlined
def _work_out_paying(view, unit, actions):
    """Work out the cost of paying 0, 1, 2, … citizens: philosophy tokens stand in for those that are missing.

    What cannot be paid at all is out of the question: the lowest tiles cost little or nothing.
    """
    dice = view.game.dice[view.me]
    most = DICE * (TILES - 1) - dice[0] - dice[1] - dice[2]
    purse = citizens(view)
    each = max(view.tables.citizens_per_philosophy, 1)
    tokens = 0
    for cost in range(most + 1):
        if cost > purse + tokens * each:
            tokens += 1
        worth = (tokens * each - cost) * unit[Gain.CITIZENS] - tokens * unit[Gain.PHILOSOPHY]
        actions.paying[cost] = worth if tokens <= philosophy(view) else NEVER - cost


@inlined
def rate_actions(view, prices, options, scores):
    """CHOOSE_ACTION, without die and citizens: the action worth most."""
    worths, actions = unset_worths(), blank_action_worths()
    _work_out_actions(view, prices, worths, actions)
    for number in range(len(options)):
        scores[number] = 0.0 if options[number] == NONE else actions.alone[options[number]]


@inlined
def rate_payments(view, prices, options, scores):
    """PAY_CITIZENS: pay for the tiles worth most, and spend no token without need.

    Citizens that tokens bring beyond what the tiles need count for next to nothing: a token that is kept can
    still bring them.
    """
    actions = blank_action_worths()
    if not pay_for_the_same_dice(options):
        _work_out_actions(view, prices, unset_worths(), actions)
    have = np.int64(citizens(view))
    each = max(view.tables.citizens_per_philosophy, 1)
    for number in range(len(options)):
        option = np.int64(options[number])
        cost = 0
        for die in range(DICE):
            if paid_dice(option) >> die & 1:
                cost += missing_pips(view.game, view.me, die)
        needed = max(cost - have + each - 1, 0) // each
        worth = payment_worth(view, actions, paid_dice(option))
        worth += (needed * each - cost) * prices.gain[Gain.CITIZENS]
        worth -= tokens_spent(option) * prices.gain[Gain.PHILOSOPHY]
        scores[number] = worth + LITTLE * citizens_left(option)


TOKEN_TASKS = (Task.BUY_TOKEN, Task.GAIN_TOKEN, Task.LOSE_TOKEN)
AT_ONCE = 1000.0  # before anything else
RATHER_THAN_NOTHING = 0.01  # what nothing is known of is not declined


@inlined
def rate_any(view, options, scores, prices):
    """Rate all options of any decision by prices; strategies call it as `rate_by_prices`."""
    task = view.decision
    if task == Task.PLACE_TILES:
        rate_tiles(view, prices, options, scores)
    elif task == Task.PAY_CITIZENS:
        rate_payments(view, prices, options, scores)
    elif task == Task.CHOOSE_ACTION:
        rate_actions(view, prices, options, scores)
    elif task in (Task.PLAY_CARD, Task.DEVELOP, Task.EXPLORE) or task in TOKEN_TASKS:
        _rate_by_holdings(view, prices, options, scores)
    else:
        _rate_by_units(view, prices, options, scores)


@inlined
def _rate_by_holdings(view, prices, options, scores):
    """A decision in which it matters what cards in hand, developments to come and tokens are worth."""
    task = view.decision
    worths = unset_worths()
    work_out_holdings(view, prices, worths, _cards_that_matter(view, options))
    if task != Task.PLAY_CARD and task != Task.DEVELOP:
        work_out_tokens(view, prices, worths)
    missed = _missed_for_token(view, prices, worths) if task == Task.BUY_TOKEN else (0.0, 0.0)
    for number in range(len(options)):
        option = np.int64(options[number])
        if option == SELL:
            scores[number] = _rate_sale(view, worths.unit)
        elif option == NONE:
            scores[number] = 0.0
        else:
            scores[number] = _rate_holding(view, option, prices, worths, missed)


@inlined
def _cards_that_matter(view, options):
    """The cards in hand whose worth a decision asks for."""
    cards = np.int64(0)
    if view.decision == Task.PLAY_CARD:
        for number in range(len(options)):
            if options[number] >= 0:  # neither NONE nor SELL
                cards |= BIT[options[number]]
    elif view.decision == Task.BUY_TOKEN and view.game.active[view.me] >> Action.POLITICS & 1:
        cards = view.game.hand[view.me]
    elif view.decision != Task.DEVELOP:
        cards = cards_short_of_tokens(view)
    return cards


@inlined
def _rate_holding(view, option, prices, worths, missed):
    """Worth of a card to play, a development, a space or a token; `missed` goes with a token to buy."""
    task = view.decision
    if task == Task.EXPLORE:
        return exploring_worth(view, worths, option)
    if task == Task.BUY_TOKEN:
        return _rate_token(view, option, worths, missed)
    if task == Task.PLAY_CARD:
        source = view.tables.cards[option]
        tokens = missing_tokens(view, source) * view.tables.philosophy_per_need
        worth = playing_worth(view, prices, worths, option, tokens)
        return worth - _spoilt(view, prices, worths, source.cost)
    if task == Task.DEVELOP:
        return development_worth(view, prices, worths)
    if task == Task.GAIN_TOKEN:
        return worths.colour[option]
    major = worths.major if option >= COLOURS else 0.0
    return -worths.colour[option % COLOURS] - major


@inlined
def _rate_by_units(view, prices, options, scores):
    """Any other decision: it is enough to know what one more of each thing is worth."""
    unit = unset_units().unit
    work_out_units(view, prices, unit)
    for number in range(len(options)):
        option = np.int64(options[number])
        if option == SELL:
            scores[number] = _rate_sale(view, unit)
        elif option == NONE:
            scores[number] = 0.0
        else:
            scores[number] = _rate_one(view, option, prices, unit)


@inlined
def _rate_one(view, option, prices, unit):
    """Worth of one option; of a decision that is not named here none is known, and none is declined."""
    task = view.decision
    if task == Task.CLIMB or task == Task.CLIMB_CHEAPER:
        return _rate_level(view, option, prices, unit)
    if task == Task.PICK_CARD or task == Task.KEEP_CARD:
        return card_in_hand(view, prices, unit, option) + RATHER_THAN_NOTHING
    if task == Task.CHOOSE_TRACK:
        return level_worth(view, prices, unit, option) - lost_by_rising(view, unit, option)
    if task == Task.CHOOSE_GAIN:
        effect = effect_of(view.game, view.tables, view.me, view.value, Special.CHOOSE_GAIN)
        return gain_worth(unit, effect.choices[option], effect.choice_kinds[option])
    if task == Task.DISCARD:
        return -card_in_hand(view, prices, unit, option)
    if task == Task.TAKE_BACK_CARD:
        return _rate_taken_back(view, option, prices, unit)
    if task == Task.TAX_OR_GLORY:
        return unit[Gain.GLORY] if option == GLORY else unit[Gain.TAX]
    if task == Task.REROLL:
        return pips_gained(view, option)
    return RATHER_THAN_NOTHING


@inlined
def _rate_level(view, track, prices, unit):
    """A level of a track, minus its drachmas, its philosophy, and what standing still would have brought."""
    worth = level_worth(view, prices, unit, track)
    price = level_price(view, track)
    if view.decision == Task.CLIMB_CHEAPER:
        effect = effect_of(view.game, view.tables, view.me, view.value, Special.CHEAPER_STEP)
        return worth - max(price - effect.number, 0) * unit[Gain.DRACHMAS]
    worth -= price * unit[Gain.DRACHMAS]
    if view.value == 0:
        worth -= view.tables.philosophy_per_level * unit[Gain.PHILOSOPHY]
    elif view.game.climbed[view.me] == 0:
        worth -= set_off(view, unit, Trigger.PROGRESS_END)
    return worth


@inlined
def _missed_for_token(view, prices, worths):
    """Worth of what could not be paid any more with a token: a better card, and the development."""
    price = view.game.token_price[view.me]
    card = 0.0
    if view.game.active[view.me] >> Action.POLITICS & 1:
        card = _best_card(view, worths, 0) - _best_card(view, worths, price)
    return card, _spoilt(view, prices, worths, price)


@inlined
def _rate_token(view, colour, worths, missed):
    """A token, minus its price and the card and development that could not be paid any more."""
    card, development = missed
    worth = worths.colour[colour] - view.game.token_price[view.me] * worths.unit[Gain.DRACHMAS]
    if worth > 0.0:
        worth -= card
    return worth - development


@rule
def _best_card(view, worths, spent):
    """Worth of the best card that can still be paid for when so much has been spent."""
    best = 0.0
    cards = view.game.hand[view.me]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        if view.tables.cards[card].cost + spent <= view.game.drachmas[view.me] and can_play(view, card):
            best = max(best, worths.card[card])
    return best


@inlined
def _spoilt(view, prices, worths, price):
    """Worth of the development that paying so much now would make impossible this round."""
    waits = view.game.active[view.me] >> Action.DEVELOPMENT & 1
    if not waits or not can_develop(view):
        return 0.0
    if development_cost(view) <= view.game.drachmas[view.me] - price:
        return 0.0
    return development_worth(view, prices, worths)


@inlined
def _rate_sale(view, unit):
    """Sell glory if it pays more than glory is worth, with the achievement that sales may earn."""
    if is_sale_for_achievement(view):
        return AT_ONCE if sales_for_achievements(view, unit) > 0.0 else -AT_ONCE
    return AT_ONCE if sale_worth(view, unit) > 0.0 else -AT_ONCE


@inlined
def _rate_taken_back(view, card, prices, unit):
    """Take back what brings most when it is played again, least what it would still have brought in play."""
    worth, later = card_worth(view, prices, unit, card)
    if view.tables.cards[card].kind != Kind.IMMEDIATE:
        return -later
    return worth if can_play(view, card) else 0.0
