"""Games from Python: one that is stepped, or thousands together from NumPy."""

from collections.abc import Sequence

import numpy as np

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import Task
from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.machine import MAX_OPTIONS, NO_OPTION, Until
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import GAME, SEATS, new_records, why_stopped
from khora_sim.engine.setup import RANDOM
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.rules.tables import TABLES


def rules_array(rules: Rules) -> np.recarray:
    """The tables as the array of one that entry points take."""
    tables = new_records(1, TABLES)
    tables[0] = rules.tables
    return tables


class Match:
    """A game that is stepped from Python; `game` and `ledger` are live records."""

    def __init__(
        self,
        rules: Rules,
        players: int = 4,
        seed: int = 0,
        settings: int = Setting.DRAFT,
        cities: Sequence[int] = (),
        first_player: int = RANDOM,
    ):
        self.rules = rules
        self.tables = rules_array(rules)
        self._games = new_records(1, GAME)
        self._ledgers = new_records(2, LEDGER)
        self._out = np.zeros(MAX_OPTIONS, np.int16)
        given = new_records(1, SET_UP)
        given[0].seed = seed
        given[0].settings = settings
        given[0].players = players
        given[0].first_player = first_player
        given[0].cities = (list(cities) + [RANDOM] * SEATS)[:SEATS]
        self.set_up = given[0]
        kernels().set_up(self._games, self._ledgers, self.tables, given, 0)

    @property
    def game(self) -> np.record:
        """The record itself."""
        return self._games[0]

    @property
    def ledger(self) -> np.record:
        """The ledger beside it."""
        return self._ledgers[0]

    def _run(self, option: int, until: Until) -> int:
        count = kernels().run(self._games, self._ledgers, self.tables, 0, self._out, int(option), int(until))
        if self.game.fault:
            raise UserError(why_stopped(self.rules.name, self.game.fault))
        return count

    def advance(self) -> list[int]:
        """Go on until somebody has a choice and list the options; none when the game is over."""
        return self._out[: self._run(NO_OPTION, Until.DECISION)].tolist()

    def step(self) -> list[int]:
        """Do the next thing on the agenda only; if that is a choice, list its options without moving."""
        return self._out[: self._run(NO_OPTION, Until.STEP)].tolist()

    def options(self) -> list[int]:
        """The options of the decision at hand, without moving."""
        return self._out[: self._run(NO_OPTION, Until.OPTIONS)].tolist()

    def apply(self, option: int) -> None:
        """Do what was decided."""
        self._run(option, Until.APPLIED)

    def choose(self, option: int) -> list[int]:
        """Do what was decided and go on to the next choice."""
        return self._out[: self._run(option, Until.DECISION)].tolist()

    @property
    def task(self) -> Task:
        """Top of the agenda."""
        return Task(int(self.game.agenda[self.game.agenda_size - 1, 0]))

    @property
    def seat(self) -> int:
        """Whose it is."""
        return int(self.game.agenda[self.game.agenda_size - 1, 1])

    @property
    def value(self) -> int:
        """The number that goes with it; see Task."""
        return int(self.game.agenda[self.game.agenda_size - 1, 2])

    def view(self, seat: int) -> np.record:
        """The game as a player may see it."""
        seen = new_records(1, GAME)
        kernels().view(self._games, 0, seat, seen, 0)
        return seen[0]

    def copy(self) -> "Match":
        """The same game, to be continued independently."""
        other = Match.__new__(Match)
        other.rules, other.tables, other.set_up = self.rules, self.tables, self.set_up
        other._games = self._games.copy()
        other._ledgers = self._ledgers.copy()
        other._out = np.zeros(MAX_OPTIONS, np.int16)
        return other


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
        """Mask of the games that are over."""
        return self.counts == 0

    @property
    def task(self) -> np.ndarray:
        """Decision in each game (Task); meaningless where it is over."""
        return self._top(0)

    @property
    def seat(self) -> np.ndarray:
        """Seat that must decide in each game; meaningless where it is over."""
        return self._top(1)

    def views(self) -> np.recarray:
        """Views of those who must decide, one record a game; overwritten by the next call."""
        kernels().view_all(self.games, self._views)
        return self._views

    def _top(self, part: int) -> np.ndarray:
        tops = np.maximum(self.games.agenda_size - 1, 0)
        return self.games.agenda[np.arange(len(self.games)), tops, part]
