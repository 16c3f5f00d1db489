"""Phase E: each player in turn may move up on the progress tracks."""

from khora_sim.engine.agenda import NONE, Phase, Task, pop, push, seat_at
from khora_sim.engine.compiling import inlined, public
from khora_sim.engine.effects import climb, effect_of, fire
from khora_sim.engine.glory import list_sale
from khora_sim.engine.ledger import Spending
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import MAX_LEVEL, TRACKS, Track, Trigger

ALL_LEVELS = TRACKS * MAX_LEVEL  # nobody can climb more in one progress phase


@inlined
def next_progress(game, tables, ledger, done):
    """The next player in turn order may progress."""
    pop(game)
    if done == 0:
        game.phase = Phase.PROGRESS
        for player in range(game.players):
            game.climbed[player] = 0
    if done == game.players:
        push(game, Task.END_PROGRESS, 0, 0)
        return
    player = seat_at(game, done)
    push(game, Task.PROGRESS, 0, done + 1)
    push(game, Task.CLIMB, player, min(game.progress_levels[player], ALL_LEVELS))


@inlined
def end_progress(game, tables, ledger):
    """Old Guard looks at the phase that ends."""
    pop(game)
    for place in range(game.players):
        player = seat_at(game, place)
        fire(game, tables, ledger, player, Trigger.PROGRESS_END, NONE)


@public
def level_price(game, tables, player, track):
    """Drachmas for the next level of a track; the phase decides which discounts count."""
    price = tables.level_cost[track, game.level[player, track] + 1] - game.discount[player]
    if game.phase == Phase.PROGRESS:
        if track == Track.ECONOMY and game.free_economy[player]:
            return 0
        price -= game.progress_discount[player]
    return max(price, 0)


@inlined
def can_climb(game, tables, player, track, less):
    """Tell if there is a next level on a track and the player can pay for it."""
    if game.level[player, track] >= tables.max_level:
        return False
    return max(level_price(game, tables, player, track) - less, 0) <= game.drachmas[player]


@inlined
def list_steps(game, tables, player, left, out):
    """CLIMB: a track that can be paid, or none; without levels left each step asks philosophy too."""
    count = 0
    if left > 0 or game.philosophy[player] >= tables.philosophy_per_level:
        for track in range(TRACKS):
            if can_climb(game, tables, player, track, 0):
                out[count] = track
                count += 1
        return list_sale(game, player, out, count)
    out[0] = NONE
    return 1


@inlined
def step_up(game, tables, ledger, player, left, choice):
    """CLIMB: pay and move up; the player may go on while levels or philosophy are left."""
    pop(game)
    if choice == NONE:
        return
    if left == 0:
        game.philosophy[player] -= tables.philosophy_per_level
        ledger.philosophy_spent[player, Spending.LEVELS] += tables.philosophy_per_level
    game.drachmas[player] -= level_price(game, tables, player, choice)
    climb(game, tables, ledger, player, choice)
    game.climbed[player] += 1
    push(game, Task.CLIMB, player, max(left - 1, 0))


@inlined
def list_cheaper_steps(game, tables, player, source, out):
    """CLIMB_CHEAPER: a track the event allows and the player can pay, or none."""
    effect = effect_of(game, tables, player, source, Special.CHEAPER_STEP)
    count = 0
    for track in range(TRACKS):
        if (effect.track < 0 or effect.track == track) and can_climb(
            game, tables, player, track, effect.number
        ):
            out[count] = track
            count += 1
    return list_sale(game, player, out, count)


@inlined
def step_up_cheaper(game, tables, ledger, player, source, choice):
    """CLIMB_CHEAPER: one level for fewer drachmas."""
    pop(game)
    if choice == NONE:
        return
    effect = effect_of(game, tables, player, source, Special.CHEAPER_STEP)
    game.drachmas[player] -= max(level_price(game, tables, player, choice) - effect.number, 0)
    climb(game, tables, ledger, player, choice)
