"""The player behind every weights file: it looks up the weights that hold where it sits."""

from khora_sim.engine.seat import weights_of
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.strategy.decorators import inlined, rule
from khora_sim.strategy.evaluator.looking_ahead import rate_with
from khora_sim.strategy.reading.holdings import city
from khora_sim.strategy.value.features import FEATURES, PARTS

FEWEST = PLAYER_COUNTS[0]
THIRDS = len(PARTS)
TABLES = len(PLAYER_COUNTS) * THIRDS  # each has a row of weights for every city


@inlined
def _third(view):
    """Which third of the game this is; the draft belongs to the first."""
    rounds = view.tables.rounds
    played = max(view.game.round_number - 1, 0)
    return (played * THIRDS >= rounds) + (played * THIRDS >= 2 * rounds)


@rule
def rate(view, options, scores):
    """Rate all options with the weights for the number of players, the part of the game and the city."""
    numbers = weights_of(view.seat)
    table = (view.game.players - FEWEST) * THIRDS + _third(view)
    row = table * (len(numbers) // TABLES) + city(view) * FEATURES
    rate_with(view, options, scores, numbers[row : row + FEATURES])
