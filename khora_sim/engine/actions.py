"""Phase D: the action tiles in order, and the actions philosophy, legislation, culture and trade."""

import numpy as np

from khora_sim.engine.agenda import NONE, Phase, Task, pop, push, seat_at
from khora_sim.engine.compiling import inlined
from khora_sim.engine.dice import TILES
from khora_sim.engine.effects import (
    draw_card,
    fire,
    gain_drachmas,
    gain_minor,
    gain_philosophy,
    hand_add,
    put_under_deck,
    score,
)
from khora_sim.engine.glory import list_sale
from khora_sim.engine.ledger import Source, brought
from khora_sim.engine.military import military_action
from khora_sim.engine.record import SEATS, UNKNOWN
from khora_sim.rules.terms import COLOURS, DICE, MAX_DRAWN, Action, Track, Trigger


@inlined
def next_action(game, ledger, done):
    """Find the next tile in play: tile number by tile number, from the first player clockwise."""
    pop(game)
    if done == 0:
        game.phase = Phase.ACTION
        _note_tiles_set_aside(game, ledger)
    used = 0
    for player in range(SEATS):
        used |= game.active[player]
    while done < TILES * SEATS:
        action, place = done // SEATS, done % SEATS
        if place >= game.players or not used >> action & 1:
            done += SEATS - place
            continue
        done += 1
        player = seat_at(game, place)
        if game.active[player] >> action & 1:
            push(game, Task.ACTIONS, 0, done)
            push(game, Task.ACTION, player, action)
            return
    push(game, Task.END_ACTIONS, 0, 0)


@inlined
def _note_tiles_set_aside(game, ledger):
    """Write down the tiles whose citizens could not be paid."""
    for player in range(game.players):
        for die in range(DICE):
            if game.dice[player, die] > 0 and not game.ready[player] >> die & 1:
                ledger.set_aside[player, game.tile[player, die]] += 1


@inlined
def fall_to_limits(game, tables):
    """At the end of a phase citizens and troops above their limits fall to them."""
    for player in range(game.players):
        game.citizens[player] = min(game.citizens[player], tables.max_citizens)
        game.troops[player] = min(game.troops[player], tables.max_troops)


@inlined
def end_actions(game, tables):
    """The end of phase D."""
    pop(game)
    fall_to_limits(game, tables)


@inlined
def take_action(game, tables, ledger, player, action):
    """One action of a player, from a tile or from an effect."""
    pop(game)
    ledger.actions[player, action] += 1
    if action == Action.PHILOSOPHY:
        philosophy_action(game, tables, ledger, player)
    elif action == Action.LEGISLATION:
        legislation_action(game, tables, ledger, player)
    elif action == Action.CULTURE:
        culture_action(game, tables, ledger, player)
    elif action == Action.TRADE:
        trade_action(game, tables, ledger, player)
    elif action == Action.MILITARY:
        military_action(game, tables, ledger, player)
    elif action == Action.POLITICS:
        push(game, Task.PLAY_CARD, player, 0)
    else:
        push(game, Task.DEVELOP, player, 0)


@inlined
def philosophy_action(game, tables, ledger, player):
    """0 Philosophy: a philosophy token."""
    before = game.philosophy[player]
    gain_philosophy(game, player, tables.philosophy_tokens)
    fire(game, tables, ledger, player, Trigger.PHILOSOPHY, NONE)
    brought(ledger, player, Action.PHILOSOPHY, game.philosophy[player] - before)


@inlined
def legislation_action(game, tables, ledger, player):
    """1 Legislation: citizens, past the limit if need be; draw cards and keep one."""
    game.citizens[player] += tables.legislation_citizens
    fire(game, tables, ledger, player, Trigger.LEGISLATION, NONE)
    for place in range(MAX_DRAWN):
        game.drawn[place] = UNKNOWN
        if place < tables.legislation_cards and game.deck_size > 0:
            game.drawn[place] = draw_card(game)
    push(game, Task.KEEP_CARD, player, 0)


@inlined
def list_drawn(game, out):
    """KEEP_CARD: any of the cards drawn, or none."""
    count = 0
    for place in range(MAX_DRAWN):
        if game.drawn[place] >= 0:
            out[count] = game.drawn[place]
            count += 1
    out[count] = NONE
    return count + 1


@inlined
def keep_card(game, ledger, player, kept):
    """KEEP_CARD: one comes to hand, the others go under the deck."""
    pop(game)
    for place in range(MAX_DRAWN):
        card = np.int64(game.drawn[place])
        game.drawn[place] = UNKNOWN
        if card < 0:
            continue
        if card == kept:
            hand_add(game, player, card)
            brought(ledger, player, Action.LEGISLATION, 1)
        else:
            put_under_deck(game, card)


@inlined
def culture_action(game, tables, ledger, player):
    """2 Culture: points equal to the culture level."""
    before = game.vp[player]
    score(game, ledger, player, game.level[player, Track.CULTURE], Source.CULTURE_ACTION)
    fire(game, tables, ledger, player, Trigger.CULTURE, NONE)
    brought(ledger, player, Action.CULTURE, game.vp[player] - before)


@inlined
def trade_action(game, tables, ledger, player):
    """3 Trade: drachmas, what cards add included; then a minor token may be bought."""
    before = game.drachmas[player]
    gain_drachmas(game, player, game.level[player, Track.ECONOMY] + tables.trade_bonus)
    fire(game, tables, ledger, player, Trigger.TRADE, NONE)
    brought(ledger, player, Action.TRADE, game.drachmas[player] - before)
    push(game, Task.BUY_TOKEN, player, 0)


@inlined
def list_tokens(game, player, out):
    """BUY_TOKEN: a colour, if it can be paid, or none."""
    count = 0
    if game.drachmas[player] >= game.token_price[player]:
        for colour in range(COLOURS):
            out[count] = colour
            count += 1
    return list_sale(game, player, out, count)


@inlined
def buy_token(game, tables, ledger, player, choice):
    """BUY_TOKEN: pay for a minor token of the colour."""
    pop(game)
    if choice != NONE:
        game.drachmas[player] -= game.token_price[player]
        gain_minor(game, player, choice, 1)
