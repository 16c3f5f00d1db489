"""What the evaluator has worked out for the decision at hand, by its weights."""

from typing import Any, NamedTuple

import numpy as np

from khora_sim.engine.agenda import Task
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import DEVELOPMENTS
from khora_sim.strategy.decorators import inlined, rule
from khora_sim.strategy.reading.gains import has_special
from khora_sim.strategy.value.position import measure_cards
from khora_sim.strategy.value.prices import fill_in
from khora_sim.strategy.value.worths import work_out_cards, work_out_development, work_out_units


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
    """Whether a card in hand, or a development to come, brings a card back from play to hand."""
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
