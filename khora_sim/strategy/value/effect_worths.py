"""What effects are worth, and from that what a card or development is worth.

What is not named here is worth nothing (a special effect), does not grow (what an effect is counted by), or
happens once a round (a trigger), so that new ones need no line here to be played with.
"""

import numpy as np

from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.effects import holds, quantity
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import DEVELOPMENTS, Action, Condition, Gain, Quantity, Track, Trigger
from khora_sim.strategy.decorators import inlined, macro
from khora_sim.strategy.reading.holdings import glory, level, rounds_left

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


@macro
def _times(view, effect):
    """How often an effect gives its gain."""
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
    """What an effect brings if it is set off now: its gain, or the best of the gains to choose from."""
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
    """How often a trigger will still go off, as far as the player means to let it."""
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
    """How often a trigger will still set an effect off whose condition holds then."""
    uses = _uses(view, prices, effect.on)
    if effect.condition != Condition.NONE:
        uses *= LIKELY if holds(view.game, view.tables, view.me, effect) else UNLIKELY
    return uses


@inlined
def _special_worth(view, prices, unit, effect):
    """What a named special effect is worth; a share of what it spares or grants in every round."""
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
    """What a card or development brings when it comes into play, and what it still brings while it is there.

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
