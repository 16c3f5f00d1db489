"""The end: the round is written down; after the last one comes the final scoring."""

import numpy as np

from khora_sim.engine.agenda import NONE, Phase, Task, pop, push, push_in_turn_order
from khora_sim.engine.compiling import inlined
from khora_sim.engine.effects import fire, score, tokens
from khora_sim.engine.glory import BEFORE_FINAL_SCORING
from khora_sim.engine.ledger import Source, write_round
from khora_sim.rules.terms import Trigger


@inlined
def end_round(game, tables, ledger):
    """Go on with the next round, or with the final scoring before which glory may be sold."""
    pop(game)
    write_round(game, ledger)
    if game.round_number < tables.rounds:
        push(game, Task.ROUND, 0, 0)
        return
    game.phase = Phase.FINAL_SCORING
    push(game, Task.FINAL_SCORING, 0, 0)
    push_in_turn_order(game, Task.SELL_GLORY, BEFORE_FINAL_SCORING)


@inlined
def final_scoring(game, tables, ledger):
    """End-game developments and cards, and glory level x major tokens."""
    pop(game)
    for player in range(game.players):
        fire(game, tables, ledger, player, Trigger.FINAL_SCORING, NONE)
        majors = tokens(game, player, 0, 1)
        score(game, ledger, player, game.glory[player] * majors, Source.GLORY)
    game.phase = Phase.OVER


def places(points: np.ndarray, drachmas: np.ndarray) -> np.ndarray:
    """The place of each seat (last axis): by points, then by drachmas; who is still tied shares it.

    Whoever has place 1 wins. For games that are over, and for standings after a round.
    """
    standing = points.astype(np.int32) * 65536 + drachmas
    place = np.ones(standing.shape, np.uint8)
    for other in range(standing.shape[-1]):
        place += standing[..., other : other + 1] > standing
    return place
