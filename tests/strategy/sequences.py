"""Developments of real games, and what all sequences of choices after them are worth to the evaluator.

As a script it runs uncompiled: the evaluator's functions are called one by one, and nothing need be compiled.
"""

import json
import sys
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np

from khora_sim.engine.agenda import NONE, SELL, YES, Phase, Task
from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.machine import MAX_OPTIONS, NO_OPTION, Until
from khora_sim.engine.match import Match, rules_array
from khora_sim.engine.record import GAME, new_records
from khora_sim.engine.seat import Seats
from khora_sim.rules import load_rules
from khora_sim.rules.terms import ACTIONS, Action
from khora_sim.strategy import load, table
from khora_sim.strategy.evaluator import Model, prepare
from khora_sim.strategy.player_view import View
from khora_sim.strategy.value.features import FEATURES
from khora_sim.strategy.value.position import value
from khora_sim.strategy.value.prices import blank_prices
from khora_sim.strategy.value.worths import unset_worths
from tests.strategy.probe import ratings_in

RULES = load_rules()
TABLES = rules_array(RULES)
STEWARD = load("steward")
STEPS = 3 * len(RULES.city_ids)  # developments that are unlocked in play


def developments_at_hand(each: int) -> np.recarray:
    """Views of seeded games in which a development can be unlocked, so many of each city and step."""
    found: dict[tuple[int, int], list[Any]] = {}
    choose = table.ask([load("developer")] * 4)
    for seed in count():
        if len(found) == STEPS and all(len(views) >= each for views in found.values()):
            break
        match = Match(RULES, players=4, seed=seed)
        options = match.advance()
        while options:
            game = match.game
            if match.task == Task.DEVELOP and YES in options and game.phase == Phase.ACTION:
                step = (int(game.city[match.seat]), int(game.development[match.seat]))
                found.setdefault(step, []).append(match.view(match.seat).copy())
            options = match.choose(choose(match, options))
    kept = [view for step in sorted(found) for view in found[step][:: -(-len(found[step]) // each)]]
    views: Any = new_records(len(kept))
    for place, view in enumerate(kept):
        views[place] = view
    return views


def in_the_last_round(view: Any) -> Any:
    """The same position, with nothing to come any more."""
    view = view.copy()
    view.round_number = RULES.tables.rounds
    view.events[view.round_number - 1] = RULES.event_ids.index("conquest-of-the-persians")
    return view


def about_to_place(view: Any) -> Any:
    """The same player about to place tiles on two sixes, so that none costs citizens, with an empty hand."""
    view, me = view.copy(), player(view)
    view.hand[me], view.hand_size[me] = 0, 0
    view.dice[me] = [6, 6, 0]
    view.phase, view.agenda_size = Phase.DICE, 1
    view.agenda[0] = (Task.PLACE_TILES, me, 0)
    return view


def developing(view: Any) -> Any:
    """The same player in the action phase, with a development action and nothing else to do."""
    view = view.copy()
    view.agenda[0] = (Task.ACTION, player(view), Action.DEVELOPMENT)
    view.phase, view.agenda_size = Phase.ACTION, 1
    return view


def player(view: Any) -> int:
    """Who must decide."""
    return int(view.agenda[view.agenda_size - 1][1])


def ends(view: Any, option: int, me: int) -> Iterator[Any]:
    """The positions that all sequences of a player's own choices lead to; sales of glory can wait."""
    games, ledgers = new_records(1), new_records(1, LEDGER)
    games[0] = view
    out = np.zeros(MAX_OPTIONS, np.int16)
    options = kernels().run(games, ledgers, TABLES, 0, out, option, int(Until.NESTED))
    if options > 1 and player(games[0]) == me:
        for choice in out[:options].tolist():
            if choice != SELL:
                yield from ends(games[0], choice, me)
    else:
        yield games[0]


class Worth:
    """The evaluator's value of positions, seen from a decision."""

    def __init__(self, view: Any):
        self.me, self.decision = player(view), int(view.agenda[view.agenda_size - 1][0])
        self.seats = Seats([STEWARD.player(RULES)], kernels().run_address)
        self.seats.view[0] = view
        weights = STEWARD.parameters(RULES)[:FEATURES]
        self.model = Model(weights, blank_prices(), unset_worths())
        prepare(self._view(self.seats.view[0]), self.model)

    def _view(self, game: Any) -> View:
        return View(game, TABLES[0], self.me, self.decision, 0, 0, self.seats.records[self.me])

    def _value(self, game: Any) -> float:
        return value(self._view(game), self.model.weights, self.model.worths)

    def best(self, view: Any, option: int) -> float:
        """The most that a sequence of choices comes to."""
        return max(self._value(end) for end in ends(view, option, self.me))

    def now(self) -> float:
        """The position as it stands."""
        return self._value(self.seats.view[0])


def ratings(view: Any, options: list[int]) -> list[float]:
    """What `steward` thinks of options of the decision at hand."""
    return ratings_in(STEWARD, RULES, TABLES, view, options).tolist()


def compare(view: Any) -> dict[str, Any]:
    """What unlocking is worth beyond declining: as `steward` rates it, and by the search."""
    me = player(view)
    at_hand = Worth(view)
    yes, no = ratings(view, [YES, NONE])
    tiles = about_to_place(view)
    placing = Worth(tiles)
    beside = [Action.CULTURE + ACTIONS * tile for tile in (Action.DEVELOPMENT, Action.POLITICS)]
    tile, no_tile = ratings(tiles, beside)
    return {
        "city": RULES.city_ids[view.city[me]],
        "development": int(view.development[me]) + 1,
        "round": int(view.round_number),
        "rated": yes - no,
        "searched": at_hand.best(view, YES) - at_hand.best(view, NONE),
        "tile rated": tile - no_tile,  # with an empty hand politics brings nothing
        "tile searched": placing.best(developing(tiles), NO_OPTION) - placing.now(),
    }


if __name__ == "__main__":
    views = np.load(sys.argv[1]).view(GAME).view(np.recarray)
    print(json.dumps([compare(one) for view in views for one in (view, in_the_last_round(view))]))
