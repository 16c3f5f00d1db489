"""Phase G: achievements, each earned in one round only."""

from khora_sim.engine.agenda import Phase, Task, pop, push
from khora_sim.engine.bits import size
from khora_sim.engine.compiling import inlined
from khora_sim.engine.effects import within
from khora_sim.rules.terms import ACHIEVEMENTS, Achievement, Track

TAX = 0  # options of TAX_OR_GLORY
GLORY = 1


@inlined
def reached(game, player, achievement):
    """Count of a player for an achievement."""
    if achievement == Achievement.VICTORY_POINTS:
        return game.vp[player]
    if achievement == Achievement.CITIZENS:
        return game.citizens[player]
    if achievement == Achievement.TROOPS:
        return game.troops[player]
    if achievement == Achievement.ECONOMY:
        return game.level[player, Track.ECONOMY]
    return size(game.in_play[player])


@inlined
def next_achievement(game, tables, ledger, done):
    """Alone: tax or glory, as the player likes. Several in the same round: tax for each."""
    pop(game)
    game.phase = Phase.ACHIEVEMENT
    for achievement in range(done, ACHIEVEMENTS):
        if game.achieved[achievement] != 0:
            continue
        earned = 0
        last = 0
        for player in range(game.players):
            if reached(game, player, achievement) >= tables.achievement_needs[achievement]:
                game.achieved[achievement] |= 1 << player
                ledger.achieved_round[player, achievement] = game.round_number
                earned += 1
                last = player
        if earned == 1:
            push(game, Task.ACHIEVEMENTS, 0, achievement + 1)
            push(game, Task.TAX_OR_GLORY, last, achievement)
            return
        if earned > 1:
            for player in range(game.players):
                if game.achieved[achievement] >> player & 1:
                    game.tax[player] = within(game.tax[player], 1, tables.max_tax)


@inlined
def list_rewards(out):
    """TAX_OR_GLORY: one or the other."""
    out[0] = TAX
    out[1] = GLORY
    return 2


@inlined
def take_reward(game, tables, player, choice):
    """TAX_OR_GLORY: +1 on that track."""
    pop(game)
    if choice == TAX:
        game.tax[player] = within(game.tax[player], 1, tables.max_tax)
    else:
        game.glory[player] = within(game.glory[player], 1, tables.max_glory)
