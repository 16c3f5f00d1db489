"""Thousands of games stepped together from NumPy."""

import numpy as np

from khora_sim.common.options import Setting
from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.limits import why_stopped
from khora_sim.engine.machine import MAX_OPTIONS, NO_OPTION, Until
from khora_sim.engine.match import rules_array
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import new_records
from khora_sim.engine.setup import RANDOM
from khora_sim.errors import UserError
from khora_sim.rules import Rules


class GameBatch:
    """A batch of games that all wait for a decision, or are over.

    `games` are the records, `counts` how many options each game has (0: over), `options` their lists, one
    row a game; `choose` takes one option for each game and steps them all to their next decision.
    """

    def __init__(
        self,
        rules: Rules,
        seeds: np.ndarray,
        players: int = 4,
        settings: int = Setting.DRAFT,
        cities: np.ndarray | int = RANDOM,
        first_player: np.ndarray | int = RANDOM,
    ):
        count = len(seeds)
        self.games = new_records(count)
        self.ledgers = new_records(count + 1, LEDGER)
        self.options = np.zeros((count, MAX_OPTIONS), np.int16)
        self.counts = np.zeros(count, np.int64)
        self._rules = rules
        self._tables = rules_array(rules)
        self._views = new_records(count)
        set_ups = new_records(count, SET_UP)
        set_ups.seed = seeds
        set_ups.settings = settings
        set_ups.players = players
        set_ups.first_player = first_player
        set_ups.cities = cities  # one row of seats a game, or the same for all
        for index in range(count):
            kernels().set_up(self.games, self.ledgers, self._tables, set_ups, index)
        self.choose(np.full(count, NO_OPTION, np.int16))

    def choose(self, chosen: np.ndarray) -> None:
        """Do one option in every game (whatever is given for a game that is over is ignored) and go on."""
        chosen = np.where(self.over & (chosen != NO_OPTION), NO_OPTION, chosen).astype(np.int16)
        kernels().run_all(
            self.games, self.ledgers, self._tables, chosen, self.options, self.counts, int(Until.DECISION)
        )
        if self.games.fault.any():
            raise UserError(why_stopped(self._rules.name, self.games.fault.max()))

    @property
    def over(self) -> np.ndarray:
        """Which games are over."""
        return self.counts == 0

    @property
    def task(self) -> np.ndarray:
        """What must be decided in each game (Task); meaningless where it is over."""
        return self._top(0)

    @property
    def seat(self) -> np.ndarray:
        """Who must decide in each game; meaningless where it is over."""
        return self._top(1)

    def views(self) -> np.recarray:
        """What whoever must decide may see, one record a game; overwritten by the next call."""
        kernels().view_all(self.games, self._views)
        return self._views

    def _top(self, part: int) -> np.ndarray:
        tops = np.maximum(self.games.agenda_size - 1, 0)
        return self.games.agenda[np.arange(len(self.games)), tops, part]
