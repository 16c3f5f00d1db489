"""The decision at hand, the meaning of its options, and the positions that they lead to.

A look ahead gives a view again, so every function of the toolkit works on it: `drachmas(look_ahead(view,
option, 1)) - drachmas(view)`. The number is that of a spare game, 1 to as many as the traits declare (9 if
they say nothing): a look ahead stays until the same spare game is used again.
"""

from khora_sim.engine import dice
from khora_sim.engine.agenda import NONE, SELL, Phase, Task, next_up, push
from khora_sim.engine.calling import call_run
from khora_sim.engine.glory import BEFORE_ACHIEVEMENTS
from khora_sim.engine.machine import NO_OPTION, Until
from khora_sim.engine.memory import copy_record
from khora_sim.engine.seat import known_spare, listed_of, scratch_ledger, spare, uses_spare
from khora_sim.rules.terms import COLOURS
from khora_sim.strategy.decorators import macro, public_rule
from khora_sim.strategy.player_view import View

TAX = 0  # options of `is_tax_or_glory`
GLORY = 1


@macro
def declines(option):
    """Tell if an option is to do nothing."""
    return option == NONE


@macro
def sells_glory(option):
    """Tell if an option is to give up 1 glory first; the same decision then stands again."""
    return option == SELL


@macro
def is_draft(view):
    """Pick a card to keep from the pack; the rest goes to the left. Options: cards."""
    return view.decision == Task.PICK_CARD


@macro
def is_reroll(view):
    """Roll dice again (with that option of the game). Options: sets of dice, 0 for none."""
    return view.decision == Task.REROLL


@macro
def is_tiles(view):
    """Put a tile on each die. Options: placements, see `tile_on`."""
    return view.decision == Task.PLACE_TILES


@macro
def is_payment(view):
    """Pay citizens for tiles. Options: whole payments, see `paid_dice`, `tokens_spent`, `citizens_left`."""
    return view.decision == Task.PAY_CITIZENS


@macro
def paid_dice(option):
    """In `is_payment`: the set of dice whose tiles are paid for; the other tiles are set aside."""
    return dice.paid_dice(option)


@macro
def tokens_spent(option):
    """In `is_payment`: the philosophy tokens spent for dice."""
    return dice.tokens_spent(option)


@macro
def citizens_left(option):
    """In `is_payment`: the citizens left after it."""
    return dice.citizens_left(option)


@macro
def is_card_to_keep(view):
    """Legislation: keep one of the cards drawn. Options: cards, or decline."""
    return view.decision == Task.KEEP_CARD


@macro
def is_token_to_buy(view):
    """Trade: buy a minor token. Options: colours, sell glory, or decline."""
    return view.decision == Task.BUY_TOKEN


@macro
def is_token_to_gain(view):
    """A free minor token. Options: colours."""
    return view.decision == Task.GAIN_TOKEN


@macro
def is_exploration(view):
    """Military: explore a space. Options: spaces, or decline."""
    return view.decision == Task.EXPLORE


@macro
def is_card_to_play(view):
    """Politics: play a card. Options: cards in hand that can be paid for, sell glory, or decline."""
    return view.decision == Task.PLAY_CARD


@macro
def is_development(view):
    """Development: unlock the next one. Options: yes (1), sell glory, or decline."""
    return view.decision == Task.DEVELOP


@macro
def is_level_to_pay(view):
    """Pay for a level, in the progress phase or by an event. Options: tracks, sell glory, or decline.

    `needs_philosophy_to_climb` tells whether this step would also cost philosophy.
    """
    return view.decision == Task.CLIMB or view.decision == Task.CLIMB_CHEAPER


@macro
def needs_philosophy_to_climb(view):
    """Tell if the step at hand would cost a philosophy token beside its drachmas."""
    return view.decision == Task.CLIMB and view.value == 0


@macro
def is_free_level(view):
    """A free level. Options: tracks, and decline where a card of the player rewards being low there."""
    return view.decision == Task.CHOOSE_TRACK


@macro
def is_card_to_take_back(view):
    """A card in play returns to hand. Options: cards in play."""
    return view.decision == Task.TAKE_BACK_CARD


@macro
def is_gain(view):
    """One of several gains of a card or development. Options: their numbers; look ahead to compare them."""
    return view.decision == Task.CHOOSE_GAIN


@macro
def is_token_to_lose(view):
    """An event takes a knowledge token. Options: see `lost_colour` and `loses_major`."""
    return view.decision == Task.LOSE_TOKEN


@macro
def lost_colour(option):
    """In `is_token_to_lose`: the colour of the token."""
    return option % COLOURS


@macro
def loses_major(option):
    """In `is_token_to_lose`: whether it is a major token."""
    return option >= COLOURS


@macro
def is_discard(view):
    """An event takes a card. Options: cards in hand."""
    return view.decision == Task.DISCARD


@macro
def is_free_action(view):
    """An event grants an action other than military. Options: actions, or decline."""
    return view.decision == Task.CHOOSE_ACTION


@macro
def is_tax_or_glory(view):
    """An achievement earned alone. Options: TAX or GLORY."""
    return view.decision == Task.TAX_OR_GLORY


@macro
def is_glory_sale(view):
    """Sell glory before the achievements or the final scoring. Options: sell glory, or decline."""
    return view.decision == Task.SELL_GLORY


@macro
def is_sale_for_achievement(view):
    """A glory sale that can earn an open achievement, by itself or with further ones; same options."""
    return view.decision == Task.SELL_GLORY and view.value == BEFORE_ACHIEVEMENTS


@public_rule
def try_option(view, option, number):
    """Look ahead after an option; returns how many options the choice has that waits then, 0 if none does."""
    seat = view.seat
    if not uses_spare(seat, number):
        return 0
    game = spare(seat, number)
    copy_record(game, view.game)
    ledger, listed = scratch_ledger(seat), listed_of(seat)
    return call_run(seat.run_at, game, view.tables, ledger, listed, option, Until.NESTED)


@public_rule
def try_action(view, action, number):
    """Look ahead after an action taken here and now; returns what `try_option` does."""
    seat = view.seat
    if not uses_spare(seat, number):
        return 0
    game = spare(seat, number)
    copy_record(game, view.game)
    game.phase = Phase.ACTION
    game.agenda_size = 0
    push(game, Task.ACTION, view.me, action)
    ledger, listed = scratch_ledger(seat), listed_of(seat)
    return call_run(seat.run_at, game, view.tables, ledger, listed, NO_OPTION, Until.NESTED)


@macro
def in_spare(view, number):
    """The position in a spare game."""
    game = known_spare(view.seat, number)
    return View(game, view.tables, view.me, view.decision, view.value, view.luck, view.seat)


@macro
def look_ahead(view, option, number):
    """The position after an option and all that it leads to at once; not further than the next choice."""
    try_option(view, option, number)
    return in_spare(view, number)


@macro
def look_ahead_action(view, action, number):
    """The position if the player took an action here and now, up to the choice within it (if any)."""
    try_action(view, action, number)
    return in_spare(view, number)


@macro
def player(view, seat):
    """The same position in another player's place; its hand is not known."""
    return View(view.game, view.tables, seat, view.decision, view.value, view.luck, view.seat)


@public_rule
def choice_after(view):
    """The decision that waits in a position looked ahead to (Task), -1 if none does."""
    if view.game.agenda_size == 0:
        return -1
    return next_up(view.game)[0]
