"""Phases A and B: the event is announced, taxes come in, tax-phase cards pay."""

from khora_sim.engine.agenda import Phase, Task, pop, push, seat_at
from khora_sim.engine.compiling import inlined
from khora_sim.engine.effects import fire, gain_drachmas
from khora_sim.rules.terms import Trigger


@inlined
def start_round(game):
    """Phase A: the next event is announced; the phases of the round go on the agenda."""
    pop(game)
    game.round_number += 1
    for player in range(game.players):
        game.decided[player] = 0
    game.phase = Phase.EVENT_ANNOUNCEMENT
    push(game, Task.END_ROUND, 0, 0)
    push(game, Task.ACHIEVEMENTS, 0, 0)
    push(game, Task.EVENT, 0, 0)
    push(game, Task.PROGRESS, 0, 0)
    push(game, Task.ACTIONS, 0, 0)
    push(game, Task.ROLL, 0, 0)
    push(game, Task.TAX, 0, 0)


@inlined
def collect_taxes(game, tables, ledger):
    """Phase B: drachmas equal to the tax level, then tax-phase effects."""
    pop(game)
    game.phase = Phase.TAX
    for player in range(game.players):
        gain_drachmas(game, player, game.tax[player])
    for place in range(game.players):
        player = seat_at(game, place)
        fire(game, tables, ledger, player, Trigger.TAX_PHASE, -1)
