"""The player behind every weights file: it looks up the weights for its city and this number of players."""

from khora_sim.engine.seat import weights_of
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.strategy.decorators import rule
from khora_sim.strategy.evaluator.looking_ahead import rate_with
from khora_sim.strategy.reading.holdings import city
from khora_sim.strategy.value.features import FEATURES

FEWEST = PLAYER_COUNTS[0]
TABLES = len(PLAYER_COUNTS)  # numbers of players, each with a row of weights for every city


@rule
def rate(view, options, scores):
    """Rate all options with the weights that hold for the player's city and the number of players."""
    numbers = weights_of(view.seat)
    row = (view.game.players - FEWEST) * (len(numbers) // TABLES) + city(view) * FEATURES
    rate_with(view, options, scores, numbers[row : row + FEATURES])
