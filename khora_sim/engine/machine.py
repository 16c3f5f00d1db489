"""The machine: `run` works until somebody must decide, lists the options, and does what was decided.

Nothing else moves a game. It serves compiled loops, plain Python, look-ahead, replay and batches.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine import (
    achievements,
    actions,
    development,
    dice,
    events,
    glory,
    military,
    politics,
    progress,
    scoring,
    setup,
    tax,
)
from khora_sim.engine.agenda import FIRST_DECISION, SELL, Task, next_up
from khora_sim.engine.compiling import inlined, rule
from khora_sim.engine.memory import found_anew

#: Three different dice take tiles in 210 ways, payments in variants have up to 248 outcomes; a player's notes
#: take the 40 places after the last rating.
MAX_OPTIONS = 288
NO_OPTION = -100  # `run` without a decision


class Until(IntEnum):
    """End of `run`."""

    OPTIONS = 0  # only list the options
    APPLIED = 1  # only do what was decided
    NESTED = 2  # and all that it leads to at once
    DECISION = 3  # and on until somebody must decide
    STEP = 4  # no further than the next item on the agenda, to describe a game step by step


@inlined
def perform(game, tables, ledger, task, player, value):
    """Do the engine's own work at the top of the agenda."""
    if task == Task.ACTION:
        actions.take_action(game, tables, ledger, player, value)
    elif task == Task.ACTIONS:
        actions.next_action(game, ledger, value)
    elif task == Task.END_MILITARY:
        military.end_military(game, tables, player)
    elif task == Task.END_ACTIONS:
        actions.end_actions(game, tables)
    elif task == Task.PROGRESS:
        progress.next_progress(game, tables, ledger, value)
    elif task == Task.END_PROGRESS:
        progress.end_progress(game, tables, ledger)
    elif task == Task.EVENT:
        events.resolve_event(game, tables)
    elif task == Task.EVENT_HALF:
        events.event_half(game, tables, ledger, player, value)
    elif task == Task.END_EVENT:
        events.end_event(game, tables)
    elif task == Task.ACHIEVEMENTS:
        achievements.next_achievement(game, tables, ledger, value)
    elif task == Task.END_ROUND:
        scoring.end_round(game, tables, ledger)
    elif task == Task.ROUND:
        tax.start_round(game)
    elif task == Task.TAX:
        tax.collect_taxes(game, tables, ledger)
    elif task == Task.ROLL:
        dice.roll(game, ledger)
    elif task == Task.ROLLED:
        dice.after_roll(game, tables, ledger)
    elif task == Task.REVEAL:
        dice.reveal(game, tables, ledger)
    elif task == Task.DRAFT:
        setup.draft(game, tables, ledger, value)
    elif task == Task.FIRST_DEVELOPMENTS:
        setup.first_developments(game, tables, ledger)
    else:
        scoring.final_scoring(game, tables, ledger)


@inlined
def options(game, tables, out, task, player, value):
    """List the options of the decision at the top of the agenda; returns how many."""
    if task == Task.PLACE_TILES:
        return dice.list_placements(game, player, out)
    if task == Task.CLIMB:
        return progress.list_steps(game, tables, player, value, out)
    if task == Task.PAY_CITIZENS:
        return dice.list_payments(game, tables, player, out)
    if task == Task.PLAY_CARD:
        return politics.list_playable(game, tables, player, out)
    if task == Task.EXPLORE:
        return military.list_spaces(game, tables, player, out)
    if task == Task.DEVELOP:
        return development.list_development(game, tables, player, out)
    if task == Task.BUY_TOKEN:
        return actions.list_tokens(game, player, out)
    if task == Task.KEEP_CARD:
        return actions.list_drawn(game, out)
    if task == Task.PICK_CARD:
        return setup.list_picks(game, player, out)
    if task == Task.TELL_DICE:
        return dice.list_dice(value, out)
    if task == Task.REROLL:
        return dice.list_rerolls(game, player, out)
    if task == Task.CLIMB_CHEAPER:
        return progress.list_cheaper_steps(game, tables, player, value, out)
    if task == Task.GAIN_TOKEN:
        return politics.list_colours(out)
    if task == Task.TAKE_BACK_CARD:
        return politics.list_taken_back(game, player, value, out)
    if task == Task.CHOOSE_GAIN:
        return development.list_gains(game, tables, player, value, out)
    if task == Task.CHOOSE_TRACK:
        return development.list_tracks(game, tables, player, value, out)
    if task == Task.LOSE_TOKEN:
        return events.list_lost_tokens(game, player, out)
    if task == Task.DISCARD:
        return events.list_discards(game, player, out)
    if task == Task.CHOOSE_ACTION:
        return events.list_actions(out)
    if task == Task.TAX_OR_GLORY:
        return achievements.list_rewards(out)
    return glory.list_sale_only(game, tables, player, value, out)


@inlined
def apply(game, tables, ledger, option):
    """Do what was decided at the top of the agenda; the option must be one that `options` lists."""
    task, player, value = next_up(game)
    if option == SELL:
        glory.sell_glory(game, tables, ledger, player)
    elif task == Task.PLACE_TILES:
        dice.place_tiles(game, player, option)
    elif task == Task.CLIMB:
        progress.step_up(game, tables, ledger, player, value, option)
    elif task == Task.PAY_CITIZENS:
        dice.pay_citizens(game, ledger, player, option)
    elif task == Task.PLAY_CARD:
        politics.play_card(game, tables, ledger, player, option)
    elif task == Task.EXPLORE:
        military.explore(game, tables, ledger, player, value, option)
    elif task == Task.DEVELOP:
        development.develop(game, tables, ledger, player, option)
    elif task == Task.BUY_TOKEN:
        actions.buy_token(game, tables, ledger, player, option)
    elif task == Task.KEEP_CARD:
        actions.keep_card(game, ledger, player, option)
    elif task == Task.PICK_CARD:
        setup.pick_card(game, player, option)
    elif task == Task.TELL_DICE:
        dice.tell_dice(game, player, value, option)
    elif task == Task.REROLL:
        dice.reroll(game, player, option)
    elif task == Task.CLIMB_CHEAPER:
        progress.step_up_cheaper(game, tables, ledger, player, value, option)
    elif task == Task.GAIN_TOKEN:
        politics.gain_token(game, player, value, option)
    elif task == Task.TAKE_BACK_CARD:
        politics.take_back_card(game, tables, player, option)
    elif task == Task.CHOOSE_GAIN:
        development.choose_gain(game, tables, ledger, player, value, option)
    elif task == Task.CHOOSE_TRACK:
        development.choose_track(game, tables, ledger, player, value, option)
    elif task == Task.LOSE_TOKEN:
        events.lose_token(game, tables, ledger, player, value, option)
    elif task == Task.DISCARD:
        events.discard(game, player, value, option)
    elif task == Task.CHOOSE_ACTION:
        events.choose_action(game, player, option)
    elif task == Task.TAX_OR_GLORY:
        achievements.take_reward(game, tables, player, option)
    else:
        glory.decline_sale(game)


@rule
def run(game, tables, ledger, out, option, until):
    """The moves of a game behind one door, so that the rules are compiled once.

    Apply an option, if there is one, and go on as far as asked; returns how many options somebody has then,
    0 when the game is over. A decision with one option is taken by the engine.
    """
    if option != NO_OPTION:
        game.step += 1
        task, player, _ = next_up(game)
        game.decided[player] += task != Task.TELL_DICE
    while True:
        game, tables, ledger = found_anew(game), found_anew(tables), found_anew(ledger)
        if option != NO_OPTION:
            apply(game, tables, ledger, option)
            option = NO_OPTION
            if until in (Until.APPLIED, Until.STEP):
                return 0
        if game.agenda_size == 0:
            return 0
        task, player, value = next_up(game)
        if task >= FIRST_DECISION:
            count = options(game, tables, out, task, player, value)
            if count > 1 or until == Until.OPTIONS:
                return count
            option = np.int64(out[0])
        elif until == Until.NESTED and task not in (Task.ACTION, Task.END_MILITARY, Task.EVENT_HALF):
            return 0
        else:
            perform(game, tables, ledger, task, player, value)
            if until == Until.STEP:
                return 0
