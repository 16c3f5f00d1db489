"""Gains of cards and developments, read from the rules, so that they hold in every variant."""

import numpy as np

from khora_sim.engine.bits import has, lowest, without_lowest
from khora_sim.engine.effects import holds, quantity
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import DEVELOPMENTS, Action, Condition, Gain, Kind, Quantity, Trigger
from khora_sim.strategy.decorators import macro, public, public_rule


@public
def effect_gain(view, effect, gain, more):
    """Amount of a Gain that an effect would give now; `more` is added to what it counts."""
    if effect.condition != Condition.NONE and not holds(view.game, view.tables, view.me, effect):
        return 0
    if effect.special == Special.CHOOSE_GAIN:
        best = np.int64(effect.choices[0, gain])
        for choice in range(1, effect.choice_count):
            best = max(best, effect.choices[choice, gain])
        return best
    if effect.special != Special.NONE or effect.gain[gain] == 0:
        return 0
    if effect.per == Quantity.ONE:
        return np.int64(effect.gain[gain])
    return effect.gain[gain] * (max(quantity(view.game, view.me, effect.per) + more, 0) // effect.every)


@macro
def _playing_changes(view, card, per):
    """Change of what effects count by playing a card: it leaves the hand, is in play, and is paid for."""
    if has(view.game.in_play[view.me], card):
        return 0
    if per == Quantity.CARDS_IN_PLAY:
        return 1
    if per == Quantity.HAND_CARDS and has(view.game.hand[view.me], card):
        return -1
    if per == Quantity.DRACHMAS:
        return -view.tables.cards[card].cost
    return 0


@public_rule
def card_gain(view, card, trigger, gain):
    """Amount of a Gain that a card, once played, would give if a Trigger set it off now."""
    total = 0
    for place in range(view.tables.cards[card].effect_count):
        effect = view.tables.cards[card].effects[place]
        if effect.on == trigger:
            total += effect_gain(view, effect, gain, _playing_changes(view, card, effect.per))
    return total


@public_rule
def card_points_now(view, card):
    """Points a card is worth as things stand: at once, and at the end if the end were now."""
    return card_gain(view, card, Trigger.AT_ONCE, Gain.VP) + card_gain(
        view, card, Trigger.FINAL_SCORING, Gain.VP
    )


@public_rule
def is_end_game_card(view, card):
    """Tell if a card scores at the end."""
    return view.tables.cards[card].kind == Kind.END_GAME


@public_rule
def is_ongoing_card(view, card):
    """Tell if a card works as long as it is in play."""
    return view.tables.cards[card].kind == Kind.ONGOING


@public_rule
def has_special(view, card, special):
    """Tell if a card has a named special effect (Special)."""
    for place in range(view.tables.cards[card].effect_count):
        if view.tables.cards[card].effects[place].special == special:
            return True
    return False


@public_rule
def development_gain(view, step, trigger, gain):
    """Amount of a Gain that a development of the player's city (step 1 to 4) would give on a Trigger now."""
    origin = view.tables.developments[view.game.city[view.me], step - 1]
    total = 0
    for place in range(origin.effect_count):
        effect = origin.effects[place]
        if effect.on == trigger:
            total += effect_gain(view, effect, gain, 0)
    return total


@public_rule
def next_development_points(view):
    """Points of the next development as things stand: at once, and at the end if the end were now."""
    step = view.game.development[view.me] + 1
    if step > DEVELOPMENTS:
        return 0
    return development_gain(view, step, Trigger.AT_ONCE, Gain.VP) + development_gain(
        view, step, Trigger.FINAL_SCORING, Gain.VP
    )


@public
def gain_on(view, trigger, gain):
    """Amount of a Gain that all cards and developments of a player would give on a Trigger now."""
    total = 0
    cards = view.game.in_play[view.me] & view.tables.cards_on[trigger]
    while cards != 0:
        total += card_gain(view, lowest(cards), trigger, gain)
        cards = without_lowest(cards)
    city = view.tables.developments[view.game.city[view.me]]
    for step in range(view.game.development[view.me]):
        for place in range(city[step].effect_count):
            if city[step].effects[place].on == trigger:
                total += effect_gain(view, city[step].effects[place], gain, 0)
    return total


@public_rule
def action_trigger(action):
    """The Trigger that an action sets off; -1 for politics, which fires as cards are played."""
    if Action.PHILOSOPHY <= action <= Action.MILITARY:
        return np.int64(Trigger.PHILOSOPHY + action)
    return np.int64(Trigger.DEVELOPMENT if action == Action.DEVELOPMENT else -1)
