"""Looking ahead: what the position is after an option, an action, or in another player's place.

Each gives a view again, so every function of the toolkit works on it:
`drachmas(look_ahead(view, option, 1)) - drachmas(view)`. The number is that of a spare game, 1 to as many as
the traits declare (9 if they say nothing): a look ahead stays until the same spare game is used again.
"""

from khora_sim.engine.agenda import Phase, Task, next_up, push
from khora_sim.engine.calling import call_run
from khora_sim.engine.copying import copy_record
from khora_sim.engine.machine import NO_OPTION, Until
from khora_sim.engine.seat import known_spare, listed_of, scratch_ledger, spare, uses_spare
from khora_sim.strategy.decorators import macro, public_rule
from khora_sim.strategy.player_view import View


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
