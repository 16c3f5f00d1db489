"""4 Military: raise troops, explore, take token and bonus."""

import numpy as np

from khora_sim.engine.agenda import NONE, Task, pop, push
from khora_sim.engine.bits import BIT, list_members
from khora_sim.engine.compiling import inlined
from khora_sim.engine.effects import fire, gain_drachmas, gain_minor, score
from khora_sim.engine.ledger import Source, brought
from khora_sim.rules.terms import COLOURS, MAX_TROOPS, Action, Track, Trigger


@inlined
def military_action(game, tables, ledger, player):
    """Troops equal to the military level, past the limit if need be; then one exploration."""
    game.troops[player] += game.level[player, Track.MILITARY]
    fire(game, tables, ledger, player, Trigger.MILITARY, NONE)
    push(game, Task.END_MILITARY, player, 0)
    push(game, Task.EXPLORE, player, game.explorations[player])


@inlined
def end_military(game, tables, player):
    """Troops above the limit are lost when the action ends."""
    pop(game)
    game.troops[player] = min(game.troops[player], tables.max_troops)


@inlined
def reachable_spaces(tables, troops, explored):
    """The set of spaces that so many troops reach and whose token is still there."""
    if troops < 0:
        return np.int64(0)
    return tables.spaces_within[min(troops, MAX_TROOPS)] & ~explored


@inlined
def list_spaces(game, tables, player, out):
    """EXPLORE: every space whose token is still there and whose troops the player has, or none."""
    count = list_members(reachable_spaces(tables, game.troops[player], game.explored), out)
    out[count] = NONE
    return count + 1


@inlined
def explore(game, tables, ledger, player, left, choice):
    """EXPLORE: lose troops, take what lies there and the bonus."""
    pop(game)
    if choice == NONE:
        return
    space = tables.spaces[choice]
    lost = max(space.lost - game.spared_troops[player], 0)
    game.troops[player] = max(game.troops[player] - lost, 0)
    game.explored |= BIT[choice]
    for colour in range(COLOURS):
        gain_minor(game, player, colour, space.minor[colour])
        game.major[player, colour] += space.major[colour]
    gain_drachmas(game, player, space.drachmas)
    score(game, ledger, player, space.vp, Source.EXPLORATION)
    brought(ledger, player, Action.MILITARY, 1)
    if left > 1:
        push(game, Task.EXPLORE, player, left - 1)
