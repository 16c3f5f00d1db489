"""5 Politics: play a card; and what cards make a player choose."""

from khora_sim.engine.agenda import NONE, Phase, Task, or_none, pop, push
from khora_sim.engine.bits import BIT, lowest, without_lowest
from khora_sim.engine.compiling import inlined, rule
from khora_sim.engine.effects import (
    fire,
    gain_minor,
    hand_add,
    hand_remove,
    knowledge,
    refresh_standing,
    run_source,
)
from khora_sim.engine.glory import list_sale
from khora_sim.engine.ledger import Spending, brought
from khora_sim.rules.terms import COLOURS, Action, Trigger


@inlined
def missing_tokens(game, player, wanted):
    """Knowledge tokens a card or development needs and the player does not own."""
    missing = 0
    for colour in range(COLOURS):
        missing += max(wanted.needs[colour] - knowledge(game, player, colour), 0)
    return missing


@rule
def can_have(game, tables, player, wanted):
    """Tell if a player can pay for a card or development, with philosophy for missing knowledge."""
    if wanted.cost > game.drachmas[player]:
        return False
    missing = missing_tokens(game, player, wanted)
    if missing == 0:
        return True
    # Ruling: philosophy stands in for knowledge in phase D only, not in what an event grants.
    return game.phase == Phase.ACTION and missing * tables.philosophy_per_need <= game.philosophy[player]


@inlined
def pay_for(game, tables, ledger, player, wanted):
    """Pay the drachmas, and philosophy for missing knowledge; tokens are not spent."""
    game.drachmas[player] -= wanted.cost
    spent = missing_tokens(game, player, wanted) * tables.philosophy_per_need
    game.philosophy[player] -= spent
    ledger.philosophy_spent[player, Spending.KNOWLEDGE] += spent


@inlined
def list_playable(game, tables, player, out):
    """PLAY_CARD: every card in hand that can be paid for, or none."""
    count = 0
    cards = game.hand[player]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        if can_have(game, tables, player, tables.cards[card]):
            out[count] = card
            count += 1
    return list_sale(game, player, out, count)


@inlined
def play_card(game, tables, ledger, player, card):
    """PLAY_CARD: pay, put the card in play, fire what waits for cards, then its own effect."""
    pop(game)
    if card == NONE:
        return
    pay_for(game, tables, ledger, player, tables.cards[card])
    hand_remove(game, player, card)
    game.in_play[player] |= BIT[card]
    refresh_standing(game, tables, player)
    brought(ledger, player, Action.POLITICS, 1)
    if ledger.card_round[player, card] == 0:
        ledger.card_round[player, card] = game.round_number
    fire(game, tables, ledger, player, Trigger.CARD_PLAYED, card)
    run_source(game, tables, ledger, player, tables.cards[card], Trigger.AT_ONCE, card)


@inlined
def list_taken_back(game, player, source, out):
    """TAKE_BACK_CARD: any other card in play; none only if there is none."""
    count = 0
    cards = game.in_play[player]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        if card != source:  # Ruling: Ostracism cannot take itself back.
            out[count] = card
            count += 1
    return or_none(out, count)


@inlined
def take_back_card(game, tables, player, card):
    """TAKE_BACK_CARD: the card returns to hand."""
    pop(game)
    if card == NONE:
        return
    game.in_play[player] &= ~BIT[card]
    hand_add(game, player, card)
    refresh_standing(game, tables, player)


@inlined
def list_colours(out):
    """GAIN_TOKEN: any colour."""
    for colour in range(COLOURS):
        out[colour] = colour
    return COLOURS


@inlined
def gain_token(game, player, left, colour):
    """GAIN_TOKEN: a minor token of the colour from the reserve."""
    pop(game)
    gain_minor(game, player, colour, 1)
    if left > 1:
        push(game, Task.GAIN_TOKEN, player, left - 1)
