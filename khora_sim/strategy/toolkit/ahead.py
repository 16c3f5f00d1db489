"""Looking ahead: what the position is after an option, an action, or in another player's place.

Each gives a view again, so every function of the toolkit works on it:
`drachmas(look_ahead(view, option, 1)) - drachmas(view)`. The number is the place on the desk, 1 to 9: a look
ahead stays until the same place is used again.
"""

from khora_sim.engine.agenda import Phase, Task, next_up, push
from khora_sim.engine.calling import call_run
from khora_sim.engine.copying import put_record
from khora_sim.engine.machine import NO_OPTION, Reach
from khora_sim.strategy.compiling import public_rule, short
from khora_sim.strategy.view import View, room_for_options


@public_rule
def try_option(view, option, place):
    """Look ahead after an option; returns how many options the choice has that waits then, 0 if none does."""
    put_record(view.desk, place, view.game)
    room = room_for_options(view.scrap)
    return call_run(view.run, view.desk[place], view.tables, view.scrap, room, option, Reach.NESTED)


@public_rule
def try_action(view, action, place):
    """Look ahead after an action taken here and now; returns what `try_option` does."""
    put_record(view.desk, place, view.game)
    game = view.desk[place]
    game.phase = Phase.ACTION
    game.agenda_size = 0
    push(game, Task.ACTION, view.me, action)
    room = room_for_options(view.scrap)
    return call_run(view.run, game, view.tables, view.scrap, room, NO_OPTION, Reach.NESTED)


@short
def at_place(view, place):
    """The position on a place of the desk."""
    return View(
        view.desk[place],
        view.tables,
        view.me,
        view.decision,
        view.value,
        view.parameters,
        view.luck,
        view.notes,
        view.desk,
        view.scrap,
        view.run,
    )


@short
def look_ahead(view, option, place):
    """The position after an option and all that it leads to at once; not further than the next choice."""
    try_option(view, option, place)
    return at_place(view, place)


@short
def look_ahead_action(view, action, place):
    """The position if the player took an action here and now, up to the choice within it (if any)."""
    try_action(view, action, place)
    return at_place(view, place)


@short
def player(view, seat):
    """The same position in another player's place; its hand is not known."""
    return View(
        view.game,
        view.tables,
        seat,
        view.decision,
        view.value,
        view.parameters,
        view.luck,
        view.notes,
        view.desk,
        view.scrap,
        view.run,
    )


@public_rule
def choice_after(view):
    """The decision that waits in a position looked ahead to (Task), -1 if none does."""
    if view.game.agenda_size == 0:
        return -1
    return next_up(view.game)[0]
