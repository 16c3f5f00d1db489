"""One game from Python: set up, ask, apply, look."""

from collections.abc import Sequence

import numpy as np

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import Task
from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.limits import why_stopped
from khora_sim.engine.machine import MAX_OPTIONS, NO_OPTION, Until
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import GAME, SEATS, new_records
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
        """What is at the top of the agenda."""
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
        """What a player may see."""
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
