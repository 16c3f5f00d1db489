"""Phase F: the event is resolved; and what events make a player choose."""

import numpy as np

from khora_sim.engine.actions import fall_to_limits
from khora_sim.engine.agenda import NONE, Phase, Task, or_none, pop, push, seat_at
from khora_sim.engine.bits import list_members
from khora_sim.engine.compiling import inlined
from khora_sim.engine.effects import collect, effect_of, hand_remove, put_under_deck, run_effect
from khora_sim.engine.glory import offer_before_achievements
from khora_sim.engine.ledger import Source
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import ACTIONS, COLOURS, Action, Trigger


@inlined
def resolve_event(game, tables):
    """Put on the agenda whom the event touches: first all the gains, then all the losses."""
    pop(game)
    game.phase = Phase.EVENT_RESOLUTION
    push(game, Task.END_EVENT, 0, 0)
    event = tables.events[game.events[game.round_number - 1]]
    if event.effect.on == Trigger.DICE_PHASE:
        return
    if not event.by_troops:
        _push_half(game, 0, -1)
        return
    most = least = game.troops[0]
    for player in range(1, game.players):
        most = max(most, game.troops[player])
        least = min(least, game.troops[player])
    if event.has_lowest:
        _push_half(game, 1, least)
    _push_half(game, 0, most)


@inlined
def _push_half(game, half, troops):
    """One half of an event for all players with so many troops (-1: for all), in turn order."""
    for place in range(game.players - 1, -1, -1):
        player = seat_at(game, place)
        if troops < 0 or game.troops[player] == troops:
            push(game, Task.EVENT_HALF, player, half)


@inlined
def event_half(game, tables, ledger, player, half):
    """Apply the event to one player."""
    pop(game)
    event = tables.events[game.events[game.round_number - 1]]
    if half == 0:
        run_effect(game, tables, ledger, player, event.effect, Source.EVENT)
    else:
        run_effect(game, tables, ledger, player, event.lowest, Source.EVENT_LOWEST)


@inlined
def end_event(game, tables):
    """An action that the event granted may have passed the limits; glory may be sold for an achievement."""
    pop(game)
    fall_to_limits(game, tables)
    offer_before_achievements(game, tables)


@inlined
def list_lost_tokens(game, player, out):
    """LOSE_TOKEN: any kind of token owned, minor ones first; none only if there is none."""
    count = 0
    for kind in range(2 * COLOURS):
        owned = game.minor[player, kind] if kind < COLOURS else game.major[player, kind - COLOURS]
        if owned > 0:
            out[count] = kind
            count += 1
    return or_none(out, count)


@inlined
def lose_token(game, tables, ledger, player, source, kind):
    """LOSE_TOKEN: the token is gone; who lost one gets what the event gives for it."""
    pop(game)
    if kind == NONE:
        return
    if kind < COLOURS:
        game.minor[player, kind] -= 1
    else:
        game.major[player, kind - COLOURS] -= 1
    effect = effect_of(game, tables, player, source, Special.LOSE_TOKEN)
    collect(game, tables, ledger, player, effect.gain, 1, source)


@inlined
def list_discards(game, player, out):
    """DISCARD: any card in hand; none only if the hand is empty."""
    return or_none(out, list_members(game.hand[player], out))


@inlined
def discard(game, player, left, card):
    """DISCARD: the card goes under the deck."""
    pop(game)
    if card == NONE:
        return
    hand_remove(game, player, card)
    put_under_deck(game, np.int64(card))
    if left > 1:
        push(game, Task.DISCARD, player, left - 1)


@inlined
def list_actions(out):
    """CHOOSE_ACTION: any action other than military, or none."""
    count = 0
    for action in range(ACTIONS):
        if action != Action.MILITARY:
            out[count] = action
            count += 1
    out[count] = NONE
    return count + 1


@inlined
def choose_action(game, player, action):
    """CHOOSE_ACTION: no die and no citizens, but costs as usual."""
    pop(game)
    if action != NONE:
        push(game, Task.ACTION, player, action)
