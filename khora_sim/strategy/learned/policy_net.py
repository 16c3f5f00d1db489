"""The net behind a learned policy: from the sight of a position and its options to a score for each option.

The position goes through a layer that all decisions share, then through one for its group of decisions. An
option adds its own rows there, so that the net asks for every option anew how it fits the position.
"""

import numpy as np

from khora_sim.engine.agenda import FIRST_DECISION, Task
from khora_sim.engine.memory import records_at, scratch
from khora_sim.engine.seat import Failure
from khora_sim.rules.terms import DICE
from khora_sim.strategy.decorators import public_rule, rule
from khora_sim.strategy.learned.layers import add_product, add_row, copy_of, folded_sum, layer_of
from khora_sim.strategy.learned.sight import (
    OPTION_COLUMNS,
    STATE_COLUMNS,
    TASKS,
    new_sight,
    no_before,
    see_before,
    see_option,
    see_state,
)
from khora_sim.strategy.reading.tiles import citizens_for, die, tile_on

FIRST, SECOND = 96, 64  # units of the layers

#: Decisions of a group share the second layer.
GROUPS = (
    (Task.PLACE_TILES,),
    (Task.PAY_CITIZENS,),
    (Task.EXPLORE,),
    (Task.PICK_CARD, Task.KEEP_CARD, Task.DISCARD, Task.TAKE_BACK_CARD),
    (Task.PLAY_CARD, Task.DEVELOP),
    (Task.CLIMB, Task.CLIMB_CHEAPER, Task.CHOOSE_TRACK),
    (),  # all others
)
OTHERS = len(GROUPS) - 1
GROUP_OF = np.full(len(Task), OTHERS)
for _number, _tasks in enumerate(GROUPS):
    GROUP_OF[list(_tasks)] = _number

#: One net, for one number of players and the rules at hand.
POLICY_NET = np.dtype(
    [
        ("bias", "f4", (FIRST,)),
        ("state", "f4", (STATE_COLUMNS, FIRST)),
        ("second", "f4", (len(GROUPS), FIRST, SECOND)),
        ("second_bias", "f4", (TASKS, SECOND)),
        ("option", "f4", (OPTION_COLUMNS, SECOND)),
        ("out", "f4", (TASKS, SECOND)),
    ]
)
policy_at = records_at(POLICY_NET)
LAST = -1e6  # the score of placements whose tiles can be placed for fewer citizens
TILE_SETS = 128
DEAR = 1e3  # more citizens than any placement costs


@rule
def tile_set(view, option):
    """The tiles that a placement uses, whichever die they lie on."""
    used = 0
    for place in range(DICE):
        if die(view, place) > 0:
            used |= 1 << tile_on(option, place)
    return used


@rule
def choose_placements(view, options, scores):
    """Mark the placements to rate with 0: of those with the same tiles, the first of the cheapest."""
    cheapest = scratch(TILE_SETS)
    for number in range(len(options)):
        used = tile_set(view, options[number])
        scores[number] = 1.0 + citizens_for(view, np.int64(options[number]))
        if cheapest[used] == 0 or scores[number] < cheapest[used]:
            cheapest[used] = scores[number]
    for number in range(len(options)):
        used = tile_set(view, options[number])
        if scores[number] == cheapest[used]:
            cheapest[used] = -1.0
            scores[number] = 0.0
        else:
            scores[number] = LAST


@public_rule
def rate_by_policy(view, options, scores):
    """Rate all options of any decision by the learned policy."""
    if view.seat.learned_policy_at == 0:
        view.seat.failed = Failure.POLICY
        return
    kind = view.decision - FIRST_DECISION
    net = policy_at(view.seat.learned_policy_at, view.game.players - 2)
    sight, before = new_sight(), no_before()
    see_state(view, sight)
    first = layer_of(net.bias, FIRST)
    rows = net.state
    for entry in range(sight.count):
        add_row(first, rows, np.int64(sight.column[entry]), sight.amount[entry])
    second = layer_of(net.second_bias[kind], SECOND)
    add_product(second, first, net.second[GROUP_OF[view.decision]])
    see_before(view, before)
    scores[:] = 0.0
    if view.decision == Task.PLACE_TILES:
        choose_placements(view, options, scores)
    rows, out = net.option, net.out[kind]
    for number in range(len(options)):
        if scores[number] == 0.0:
            see_option(view, np.int64(options[number]), before, sight)
            units = copy_of(second)
            for entry in range(sight.count):
                add_row(units, rows, np.int64(sight.column[entry]), sight.amount[entry])
            scores[number] = folded_sum(units, out)
