"""What one more of each thing is worth, and from that what a card or development is worth."""

import numpy as np

from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.effects import holds, quantity
from khora_sim.rules.terms import TRACKS, Condition, Gain, Quantity, Special, Trigger
from khora_sim.strategy.compiling import inlined, macro, rule
from khora_sim.strategy.evaluator.features import ENOUGH_CITIZENS, ENOUGH_DRACHMAS, Feature
from khora_sim.strategy.toolkit.costs import is_top_level
from khora_sim.strategy.toolkit.gains import gain_price
from khora_sim.strategy.toolkit.holdings import citizens, drachmas, glory, majors, rounds_left


@macro
def time_left(view):
    """1 while there is time to make use of things, falling to 0.25 in the last round."""
    return min((rounds_left(view) + 1.0) / 4.0, 1.0)


@rule
def unit_values(view, weights, unit):
    """What one more of each Gain is worth now, in points."""
    time = time_left(view)
    rounds = rounds_left(view)
    unit[Gain.VP] = weights[Feature.POINTS]
    poor = drachmas(view) < ENOUGH_DRACHMAS
    unit[Gain.DRACHMAS] = time * weights[Feature.DRACHMAS if poor else Feature.DRACHMAS_BEYOND]
    few = citizens(view) < ENOUGH_CITIZENS
    unit[Gain.CITIZENS] = time * weights[Feature.CITIZENS if few else Feature.CITIZENS_BEYOND]
    unit[Gain.TROOPS] = time * weights[Feature.TROOPS]
    unit[Gain.TAX] = rounds * weights[Feature.TAX]
    unit[Gain.GLORY] = rounds * weights[Feature.GLORY] + majors(view) * weights[Feature.POINTS]
    unit[Gain.PHILOSOPHY] = time * weights[Feature.PHILOSOPHY]
    unit[Gain.DICE] = rounds * weights[Feature.THIRD_DIE]
    unit[Gain.CARDS] = time * weights[Feature.UNKNOWN_CARDS]
    unit[Gain.TOKENS] = time * (weights[Feature.MINORS] - weights[Feature.CITY_TOKENS])
    for track in range(TRACKS):
        unit[Gain.ECONOMY + track] = 0.0
        if not is_top_level(view, track):
            level = view.game.level[view.me, track] + 1
            worth = rounds * weights[Feature.ECONOMY + track]
            kinds = np.int64(view.tables.level_gain_kinds[track, level])
            while kinds != 0:
                kind = lowest(kinds)
                kinds = without_lowest(kinds)
                worth += view.tables.level_gain[track, level, kind] * unit[kind]
            unit[Gain.ECONOMY + track] = worth


@macro
def _times(view, effect):
    """How often an effect gives its gain."""
    if effect.per == Quantity.ONE:
        return np.int64(1)
    return quantity(view.game, view.me, effect.per) // effect.every


@macro
def _holds(view, effect):
    """Whether the condition of an effect holds; most have none."""
    return effect.condition == Condition.NONE or holds(view.game, view.tables, view.me, effect)


@inlined
def _growth(per, weights):
    """By how much what an end-game effect counts grows in a round of ordinary play."""
    if per == Quantity.CARDS_IN_PLAY:
        return weights[Feature.POLITICS_USE]
    if per == Quantity.LOWEST_TRACK:
        return 0.3
    if per >= Quantity.ECONOMY and per <= Quantity.MILITARY:
        return 0.45
    if per == Quantity.TAX or per == Quantity.KNOWLEDGE:
        return 0.6
    if per == Quantity.MINOR_TOKENS or per == Quantity.GLORY:
        return 0.3
    if per >= Quantity.MAJOR_TOKENS and per <= Quantity.GREEN_TOKENS:
        return 0.25
    return 0.0


@inlined
def _uses(view, trigger, weights):
    """How often a trigger will still go off, as far as the player means to let it."""
    rounds = rounds_left(view)
    if trigger >= Trigger.PHILOSOPHY and trigger <= Trigger.MILITARY:
        return rounds * weights[Feature.PHILOSOPHY_USE + trigger - Trigger.PHILOSOPHY]
    if trigger == Trigger.CARD_PLAYED:
        return rounds * weights[Feature.POLITICS_USE]
    if trigger == Trigger.DEVELOPMENT:
        return min(0.4 * rounds, 4.0 - view.game.development[view.me])
    return float(rounds)


@inlined
def _special_worth(view, effect, unit, weights):
    """What a named special effect is worth; a share of what it spares or grants in every round."""
    rounds = rounds_left(view)
    special = effect.special
    if special == Special.TOKEN_PRICE:
        spared = max(view.tables.token_price - effect.number, 0)
        return 0.4 * rounds * weights[Feature.TRADE_USE] * spared
    if special == Special.CHEAPER_LEVELS or special == Special.CHEAPER_PROGRESS:
        return 0.8 * rounds * effect.number * unit[Gain.DRACHMAS]
    if special == Special.PROGRESS_LEVELS:
        return 0.5 * rounds * (effect.number - 1)
    if special == Special.FREE_ECONOMY:
        return 1.5 * min(rounds, view.tables.max_level - view.game.level[view.me, 0])
    if special == Special.SPARES_TROOPS:
        return rounds * weights[Feature.MILITARY_USE] * effect.number * unit[Gain.TROOPS]
    if special == Special.EXPLORATIONS:
        return rounds * weights[Feature.MILITARY_USE] * (effect.number - 1) * 1.5
    if special == Special.SELLS_GLORY:
        better = gain_price(unit, effect.gain, effect.gain_kinds) - unit[Gain.GLORY]
        return max(better, 0.0) * (glory(view) + 0.3 * rounds)
    if special == Special.TAKE_ACTIONS:
        return 1.5 * effect.number
    if special == Special.CHOOSE_TRACKS:
        return 0.5 * effect.number * (unit[Gain.ECONOMY] + unit[Gain.CULTURE])
    if special == Special.CHOOSE_GAIN:
        best = gain_price(unit, effect.choices[0], effect.choice_kinds[0])
        for choice in range(1, effect.choice_count):
            best = max(best, gain_price(unit, effect.choices[choice], effect.choice_kinds[choice]))
        return best
    return 0.0


@inlined
def worth_at_once(view, source, unit, weights):
    """What a card or development brings when it comes into play; end-game effects count as they stand."""
    total = 0.0
    for place in range(source.effect_count):
        effect = source.effects[place]
        if effect.on != Trigger.AT_ONCE and effect.on != Trigger.FINAL_SCORING:
            continue
        if effect.special != Special.NONE:
            total += _special_worth(view, effect, unit, weights)
        elif _holds(view, effect):
            total += _times(view, effect) * gain_price(unit, effect.gain, effect.gain_kinds)
    return total


@inlined
def worth_later(view, source, unit, weights):
    """What a card or development still brings while it is in play, beyond what it scores as things stand."""
    total = 0.0
    for place in range(source.effect_count):
        effect = source.effects[place]
        if effect.on == Trigger.AT_ONCE:
            continue
        if effect.special != Special.NONE:
            total += _special_worth(view, effect, unit, weights)
        elif effect.on == Trigger.FINAL_SCORING:
            growth = rounds_left(view) * _growth(effect.per, weights) / effect.every
            total += growth * gain_price(unit, effect.gain, effect.gain_kinds)
        else:
            uses = _uses(view, effect.on, weights)
            if effect.condition != Condition.NONE:
                uses *= 0.7 if holds(view.game, view.tables, view.me, effect) else 0.3
            total += uses * _times(view, effect) * gain_price(unit, effect.gain, effect.gain_kinds)
    return total
