"""6 Development: unlock the city's next development; and what developments make a player choose."""

from khora_sim.engine.agenda import NONE, YES, Task, or_none, pop, push
from khora_sim.engine.compiling import inlined
from khora_sim.engine.effects import (
    ALL_TRACKS,
    ONE_LEVEL,
    climb,
    collect,
    effect_of,
    fire,
    may_decline_level,
    refresh_standing,
    run_source,
)
from khora_sim.engine.glory import list_sale
from khora_sim.engine.ledger import Source, brought
from khora_sim.engine.politics import can_have, pay_for
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import DEVELOPMENTS, TRACKS, Action, Trigger


@inlined
def list_development(game, tables, player, out):
    """DEVELOP: yes, if there is a next development and it can be paid for, or none."""
    count = 0
    place = game.development[player]
    if place < DEVELOPMENTS and can_have(game, tables, player, tables.developments[game.city[player], place]):
        out[count] = YES
        count += 1
    return list_sale(game, player, out, count)


@inlined
def develop(game, tables, ledger, player, choice):
    """DEVELOP: pay, unlock, fire what waits for developments, then its own effect."""
    pop(game)
    if choice == NONE:
        return
    place = game.development[player]
    development = tables.developments[game.city[player], place]
    pay_for(game, tables, ledger, player, development)
    game.development[player] += 1
    refresh_standing(game, tables, player)
    brought(ledger, player, Action.DEVELOPMENT, 1)
    fire(game, tables, ledger, player, Trigger.DEVELOPMENT, NONE)
    run_source(game, tables, ledger, player, development, Trigger.AT_ONCE, Source.DEVELOPMENT + place)


@inlined
def list_gains(game, tables, player, source, out):
    """CHOOSE_GAIN: any of the gains on offer."""
    effect = effect_of(game, tables, player, source, Special.CHOOSE_GAIN)
    for choice in range(effect.choice_count):
        out[choice] = choice
    return effect.choice_count


@inlined
def choose_gain(game, tables, ledger, player, source, choice):
    """CHOOSE_GAIN: take it."""
    pop(game)
    effect = effect_of(game, tables, player, source, Special.CHOOSE_GAIN)
    collect(game, tables, ledger, player, effect.choices[choice], 1, source)


@inlined
def list_tracks(game, tables, player, value, out):
    """CHOOSE_TRACK: a track not chosen yet and not at its end; none where there is none, or to stay low."""
    count = 0
    declines = False
    for track in range(TRACKS):
        if not value >> track & 1 and game.level[player, track] < tables.max_level:
            out[count] = track
            count += 1
            declines |= may_decline_level(game, tables, player, track)
    if declines:
        out[count] = NONE
        return count + 1
    return or_none(out, count)


@inlined
def choose_track(game, tables, ledger, player, value, track):
    """CHOOSE_TRACK: up one level for free; the next one must be on another track."""
    pop(game)
    if track == NONE:
        return
    climb(game, tables, ledger, player, track)
    left = value // ONE_LEVEL - 1
    if left > 0:
        push(game, Task.CHOOSE_TRACK, player, (value & ALL_TRACKS) | 1 << track | left * ONE_LEVEL)
