"""Worths of effects, and from these of cards, developments, glory sales, tokens and spaces.

What is not named here is worth nothing (a special effect), does not grow (what an effect is counted by), or
happens once a round (a trigger), so that new ones need no line here to be played with.
"""

import numpy as np

from khora_sim.engine.achievements import reached
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.effects import effect_of, holds, quantity
from khora_sim.engine.glory import earned_by_sales
from khora_sim.engine.memory import scratch_record
from khora_sim.engine.military import reachable_spaces
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import (
    ACHIEVEMENTS,
    COLOURS,
    DEVELOPMENTS,
    GAINS,
    MAX_CARDS,
    TRACKS,
    Action,
    Condition,
    Gain,
    Quantity,
    Track,
    Trigger,
)
from khora_sim.strategy.decorators import inlined, macro, rule
from khora_sim.strategy.reading.costs import has_next_development, is_top_level, missing_tokens, troops_lost
from khora_sim.strategy.reading.holdings import glory, knowledge, level, rounds_left
from khora_sim.strategy.value.features import Feature

LIKELY, UNLIKELY = 0.7, 0.3  # that a condition will hold, if it does now or does not
SOMETHING = 1.5  # an action, an exploration or a free economy level to come, of which nothing is known
GLORY_GROWTH = 0.3  # in a round of ordinary play

#: By how much what an end-game effect counts grows in a round of ordinary play; cards in play: as often as
#: the player means to play them.
GROWTH = np.zeros(len(Quantity))
GROWTH[Quantity.LOWEST_TRACK] = 0.3
GROWTH[Quantity.ECONOMY : Quantity.MILITARY + 1] = 0.45
GROWTH[Quantity.TAX] = 0.6
GROWTH[Quantity.GLORY] = GLORY_GROWTH
GROWTH[Quantity.KNOWLEDGE] = 0.6
GROWTH[Quantity.MINOR_TOKENS] = 0.3
GROWTH[Quantity.MAJOR_TOKENS : Quantity.GREEN_TOKENS + 1] = 0.25

#: For each Trigger: the Action that sets it off as often as it is taken; -1: it goes off once a round.
ACTION_BEHIND = np.full(len(Trigger), -1)
ACTION_BEHIND[Trigger.PHILOSOPHY : Trigger.MILITARY + 1] = range(Action.PHILOSOPHY, Action.MILITARY + 1)
ACTION_BEHIND[Trigger.CARD_PLAYED] = Action.POLITICS
ACTION_BEHIND[Trigger.DEVELOPMENT] = Action.DEVELOPMENT


@inlined
def gain_worth(unit, gain, kinds):
    """A whole gain in points, by what one of each Gain is worth; a token counts as one of no colour."""
    total = 0.0
    while kinds != 0:
        kind = lowest(kinds)
        kinds = without_lowest(kinds)
        total += gain[kind] * unit[kind]
    return total


@rule
def lost_by_rising(view, unit, track):
    """Worth of what cards in play pay for being low on a track and would no longer pay one level higher."""
    total = 0.0
    cards = view.game.in_play[view.me] & view.tables.cards_wanting_low[track]
    while cards != 0:
        source = view.tables.cards[lowest(cards)]
        cards = without_lowest(cards)
        for place in range(source.effect_count):
            effect = source.effects[place]
            if effect.on == Trigger.AT_ONCE or effect.condition == Condition.NONE:
                continue
            if holds(view.game, view.tables, view.me, effect):
                view.game.level[view.me, track] += 1
                stays = holds(view.game, view.tables, view.me, effect)
                view.game.level[view.me, track] -= 1
                if not stays:
                    total += gain_worth(unit, effect.gain, effect.gain_kinds) * _times(view, effect)
    return total * (LIKELY - UNLIKELY) * rounds_left(view)


@macro
def _times(view, effect):
    """Number of times that an effect gives its gain."""
    if effect.per == Quantity.ONE:
        return np.int64(1)
    counted = quantity(view.game, view.me, effect.per)
    return counted if effect.every == 1 else counted // effect.every  # dividing takes long


@inlined
def _best_choice(unit, effect):
    """The best of the gains that an effect lets choose from."""
    best = gain_worth(unit, effect.choices[0], effect.choice_kinds[0])
    for choice in range(1, effect.choice_count):
        best = max(best, gain_worth(unit, effect.choices[choice], effect.choice_kinds[choice]))
    return best


@inlined
def given_now(view, unit, effect):
    """Worth of an effect that is set off now: its gain, or the best of the gains to choose from."""
    if effect.condition != Condition.NONE and not holds(view.game, view.tables, view.me, effect):
        return 0.0
    if effect.special == Special.CHOOSE_GAIN:
        return _best_choice(unit, effect)
    return _times(view, effect) * gain_worth(unit, effect.gain, effect.gain_kinds)


@inlined
def _growth(prices, per):
    """By how much what an end-game effect counts grows in a round."""
    return prices.use[Action.POLITICS] if per == Quantity.CARDS_IN_PLAY else GROWTH[per]


@inlined
def _uses(view, prices, trigger):
    """Number of times that a trigger will still go off, as far as the player means to let it."""
    rounds = rounds_left(view)
    action = ACTION_BEHIND[trigger]
    if action < 0:
        return float(rounds)
    if action == Action.DEVELOPMENT:
        left = float(DEVELOPMENTS) - view.game.development[view.me]
        return min(prices.use[Action.DEVELOPMENT] * rounds, left)
    return rounds * prices.use[action]


@inlined
def _likely_uses(view, prices, effect):
    """Number of times that a trigger will still set an effect off whose condition holds then."""
    uses = _uses(view, prices, effect.on)
    if effect.condition != Condition.NONE:
        uses *= LIKELY if holds(view.game, view.tables, view.me, effect) else UNLIKELY
    return uses


@inlined
def _special_worth(view, prices, unit, effect):
    """Worth of a named special effect; a share of what it spares or grants in every round."""
    rounds = rounds_left(view)
    special = effect.special
    if special == Special.TOKEN_PRICE:
        spared = max(view.tables.token_price - effect.number, 0)
        return 0.4 * rounds * prices.use[Action.TRADE] * spared
    if special == Special.CHEAPER_LEVELS or special == Special.CHEAPER_PROGRESS:
        return 0.8 * rounds * effect.number * unit[Gain.DRACHMAS]
    if special == Special.PROGRESS_LEVELS:
        return 0.5 * rounds * (effect.number - 1)
    if special == Special.FREE_ECONOMY:
        return SOMETHING * min(rounds, view.tables.max_level - level(view, Track.ECONOMY))
    if special == Special.SPARES_TROOPS:
        return rounds * prices.use[Action.MILITARY] * effect.number * unit[Gain.TROOPS]
    if special == Special.EXPLORATIONS:
        return rounds * prices.use[Action.MILITARY] * (effect.number - 1) * SOMETHING
    if special == Special.SELLS_GLORY:
        better = gain_worth(unit, effect.gain, effect.gain_kinds) - unit[Gain.GLORY]
        return max(better, 0.0) * (glory(view) + GLORY_GROWTH * rounds)
    if special == Special.TAKE_ACTIONS:
        return SOMETHING * effect.number
    if special == Special.CHOOSE_TRACKS:
        return 0.5 * effect.number * (unit[Gain.ECONOMY] + unit[Gain.CULTURE])
    if special == Special.CHOOSE_GAIN:
        return _best_choice(unit, effect)
    return 0.0


@inlined
def worth_of(view, prices, unit, source):
    """Worth of a card or development as it comes into play, and what it still brings while it is there.

    End-game effects bring at once what they score as things stand, and later what that will have grown by.
    """
    now = 0.0
    later = 0.0
    for place in range(source.effect_count):
        effect = source.effects[place]
        if effect.special != Special.NONE:
            worth = _special_worth(view, prices, unit, effect)
            if effect.on == Trigger.AT_ONCE:
                now += worth
            else:
                later += worth
            continue
        gain = gain_worth(unit, effect.gain, effect.gain_kinds)
        times = _times(view, effect)
        if effect.on == Trigger.AT_ONCE or effect.on == Trigger.FINAL_SCORING:
            if holds(view.game, view.tables, view.me, effect):
                now += times * gain
            if effect.on == Trigger.FINAL_SCORING:
                later += rounds_left(view) * _growth(prices, effect.per) / effect.every * gain
        else:
            later += _likely_uses(view, prices, effect) * times * gain
    return now, later


@inlined
def sale_worth(view, unit):
    """Worth of selling 1 glory, minus the glory."""
    effect = effect_of(view.game, view.tables, view.me, view.game.glory_buyer[view.me], Special.SELLS_GLORY)
    return gain_worth(unit, effect.gain, effect.gain_kinds) - unit[Gain.GLORY]


@inlined
def _reward(view, achievement, unit):
    """Worth of an achievement: tax or glory, or tax if somebody else meets it as well."""
    game, tables = view.game, view.tables
    tax = unit[Gain.TAX] if game.tax[view.me] < tables.max_tax else 0.0
    for seat in range(game.players):
        if seat != view.me and reached(game, seat, achievement) >= tables.achievement_needs[achievement]:
            return tax
    return max(tax, unit[Gain.GLORY])


@inlined
def sales_for_achievements(view, unit):
    """Worth of selling as much glory as is best, with the achievements that it earns, minus the glory."""
    one = sale_worth(view, unit)
    best = one
    for sales in range(1, view.game.glory[view.me] + 1):
        worth = sales * one
        for achievement in range(ACHIEVEMENTS):
            if earned_by_sales(view.game, view.tables, view.me, achievement, sales):
                worth += _reward(view, achievement, unit)
        best = max(best, worth)
    return best


@inlined
def work_out_colours(view, prices, worths, share):
    """Work out the worth of one more token of each colour, and a major one; cards and developments are known.

    `share` says what a token that the next development misses is worth, as a share of its worth.
    """
    wanted = prices.minor, prices.minor, prices.minor
    owned = knowledge(view, 0), knowledge(view, 1), knowledge(view, 2)
    if has_next_development(view):
        step = np.int64(view.game.development[view.me])
        city = view.tables.developments[view.game.city[view.me]]
        wanted = _more_where_missing(wanted, owned, city[DEVELOPMENTS - 1], prices.last_development)
        wanted = _more_where_missing(wanted, owned, city[step], share * worths.city[step])
    cards = view.game.hand[view.me]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        worth = prices.card_in_hand * worths.card[card]
        wanted = _more_where_missing(wanted, owned, view.tables.cards[card], worth)
    for colour in range(COLOURS):
        worths.colour[colour] = wanted[colour]
    worths.major = glory(view) * worths.unit[Gain.VP] + prices.major


@inlined
def _more_where_missing(wanted, owned, source, worth):
    """Worth of each colour with what is added to those that a card or development misses."""
    needs = source.needs
    return (
        wanted[0] + (worth if needs[0] > owned[0] else 0.0),
        wanted[1] + (worth if needs[1] > owned[1] else 0.0),
        wanted[2] + (worth if needs[2] > owned[2] else 0.0),
    )


@inlined
def best_colour(worths):
    """Worth of a token of the colour that is worth most."""
    return max(worths.colour[0], worths.colour[1], worths.colour[2])


@inlined
def exploring_worth(view, worths, space):
    """Worth of exploring a space, minus the troops it costs."""
    lying = view.tables.spaces[space]
    worth = lying.vp * worths.unit[Gain.VP] + lying.drachmas * worths.unit[Gain.DRACHMAS]
    worth -= troops_lost(view, space) * worths.unit[Gain.TROOPS]
    for colour in range(COLOURS):
        worth += (lying.minor[colour] + lying.major[colour]) * worths.colour[colour]
        worth += lying.major[colour] * worths.major
    return worth


@inlined
def most_worth_exploring(view, worths, troops, explored):
    """The space within reach of so many troops that brings most, but for those explored; -1: none does."""
    best = -1
    most = 0.0
    spaces = reachable_spaces(view.tables, troops, explored)
    while spaces != 0:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        worth = exploring_worth(view, worths, space)
        if worth > most:
            best = space
            most = worth
    return best


#: What is worked out once for a decision: levels, cards, developments, and from these the tokens; in points.
WORTHS = np.dtype(
    [
        ("unit", "f8", (GAINS,)),  # one more of each Gain; of levels, with what entering them gives
        ("card", "f8", (MAX_CARDS,)),  # what a card brings at once and later, minus its price, or 0
        ("card_later", "f8", (MAX_CARDS,)),  # what a card in play still brings
        ("city", "f8", (DEVELOPMENTS,)),  # what a development brings at once and later
        ("city_later", "f8", (DEVELOPMENTS,)),
        ("colour", "f8", (COLOURS,)),  # one more token of each Colour
        ("major", "f8"),  # a major token beyond a minor one: every glory scores a point for it
        ("known", "f8", (Feature.CITY_TOKENS + 1,)),  # features of cards and tokens before the decision
    ]
)
unset_worths = scratch_record(WORTHS, blank=False)
#: The first of these alone, where no more is asked for.
UNITS = np.dtype([("unit", "f8", (GAINS,))])
unset_units = scratch_record(UNITS, blank=False)


@inlined
def work_out_units(view, prices, unit):
    """One more of each Gain by a price list; a level is worth what entering it gives as well."""
    for kind in range(GAINS):
        unit[kind] = prices.gain[kind]
    for track in range(TRACKS):
        if not is_top_level(view, track):
            entered = level(view, track) + 1
            worth = unit[Gain.ECONOMY + track]
            kinds = np.int64(view.tables.level_gain_kinds[track, entered])
            while kinds != 0:
                kind = lowest(kinds)
                kinds = without_lowest(kinds)
                worth += view.tables.level_gain[track, entered, kind] * unit[kind]
            unit[Gain.ECONOMY + track] = worth


@macro
def nearness(missing, share):
    """The share of its worth that a card or development keeps while it misses tokens: less for each."""
    return max(1.0 - missing * share, 0.0)


@inlined
def card_worth(view, prices, unit, card):
    """Worth of playing a card, minus its price, and what it still brings once it is in play."""
    source = view.tables.cards[card]
    now, later = worth_of(view, prices, unit, source)
    return max(now + later - source.cost * unit[Gain.DRACHMAS], 0.0), later


@rule
def card_in_hand(view, prices, unit, card):
    """Worth of a card in hand: less for each token it misses."""
    worth, _ = card_worth(view, prices, unit, card)
    return worth * nearness(missing_tokens(view, view.tables.cards[card]), prices.missing_token)


@rule
def work_out_cards(view, prices, worths, cards):
    """Work out the worth of the cards of a set."""
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        worths.card[card], worths.card_later[card] = card_worth(view, prices, worths.unit, card)


@rule
def work_out_development(view, prices, worths, step):
    """Work out the worth of a development of the player's city, if there is such a step."""
    if step < DEVELOPMENTS:
        development = view.tables.developments[view.game.city[view.me], step]
        now, later = worth_of(view, prices, worths.unit, development)
        later += prices.beyond[step]
        worths.city[step] = now + later
        worths.city_later[step] = later
