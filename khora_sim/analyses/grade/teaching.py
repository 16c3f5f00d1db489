"""Values of the options of a decision by a teacher: a player that looks ahead is asked once.

It costs far less than a search of all options, so that a panel may have thousands of decisions. What the
teacher gives is one number for each option, without an error.
"""

import numpy as np

from khora_sim.analyses.grade.searching import Values
from khora_sim.engine.agenda import Task
from khora_sim.engine.match import Match
from khora_sim.engine.record import new_records
from khora_sim.errors import UserError
from khora_sim.strategy.compiled import catching_failures
from khora_sim.strategy.learned.policy_net import tile_set
from khora_sim.strategy.player_view import PlainView
from khora_sim.strategy.reading.tiles import citizens_for
from khora_sim.strategy.table import Refused, Table
from khora_sim.training.imitation import values_of


def taught(match: Match, options: list[int], table: Table) -> Values:
    """The values of the options of a decision; the first player of the table is the teacher.

    Both halves are its value. Errors are 0, since it gives none: every option that it rates below its best
    one counts as surely worse. It knows nothing of the decisions before, as a player that is graded.
    """
    games, count, seat = new_records(1), len(options), match.seat
    games[0] = match.game
    table.out[:count] = options
    for memory in table.seats.memory:
        memory[:] = 0
    try:
        with catching_failures():
            table.ask_compiled(games, 0, table.tables, count, seat)
    except Refused as problem:
        raise UserError(
            f"{table.strategies[0].name}: {problem}, in the game of seed {match.game.seed}"
        ) from problem.__cause__
    ratings = table.seats.ratings[:count].copy()
    if match.task == Task.PLACE_TILES:
        table.engine.show(games, 0, table.out, count, table.seats.records, seat)
        share_by_tiles(PlainView(table.seats, seat, match.rules, {}), options, ratings)
    values, _ = values_of(ratings, np.array([count]))
    return Values(values, values, np.zeros(count))


def share_by_tiles(view: PlainView, options: list[int], ratings: np.ndarray) -> None:
    """Rate placements that the teacher did not look at as those of the same tiles for as many citizens.

    Those for fewer citizens get the same rating: what is left over is worth something, if little.
    """
    tiles = np.array([tile_set(view, option) for option in options])
    citizens = np.array([citizens_for(view, option) for option in options])
    seen = np.flatnonzero(ratings >= 0)
    for place in np.flatnonzero(ratings < 0):
        alike = seen[(tiles[seen] == tiles[place]) & (citizens[seen] >= citizens[place])]
        ratings[place] = ratings[alike].max(initial=ratings[place])
