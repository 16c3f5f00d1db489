"""Positions to learn from: games of a pool of players, some moves at random, seen at the start of a round.

A position is kept as one player sees it, with what came of it: who won, and everybody's points.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from khora_sim.engine.agenda import next_up
from khora_sim.engine.cache import cache_folder
from khora_sim.engine.calling import Games, Ledgers, Options, Seats, call_run, i8
from khora_sim.engine.calling import Rules as RulesArray
from khora_sim.engine.chance import Stream, random_below, random_bits
from khora_sim.engine.compiling import entry, inlined, rule
from khora_sim.engine.kernels import SetUps
from khora_sim.engine.machine import NO_OPTION, Until
from khora_sim.engine.memory import address_in, scratch
from khora_sim.engine.play import ask, seat_of, set_up, start
from khora_sim.engine.record import SEATS
from khora_sim.engine.scoring import places
from khora_sim.rules import Rules
from khora_sim.rules.terms import DEVELOPMENTS
from khora_sim.simulation.seating import dealt_rows, random_set_ups, settle
from khora_sim.strategy.compiled import catching_failures
from khora_sim.strategy.contract import Strategy, StrategyError
from khora_sim.strategy.decorators import SOURCES
from khora_sim.strategy.games import memory_for
from khora_sim.strategy.learned.facts import COUNT, fact_numbers, gather, no_facts, ready_cards
from khora_sim.strategy.reading.costs import missing_tokens
from khora_sim.strategy.reading.holdings import points_if_over
from khora_sim.strategy.table import Table

PER_MILLE = 1000

#: One player's place in a position: what a learned value sees of it, and what came of it.
PLACE = np.dtype(
    [
        ("facts", "i2", (COUNT,)),
        ("in_play", "i8"),  # sets of cards
        ("hand", "i8"),  # empty for all but the one who looks
        ("ready", "i8"),
        ("city", "i1"),
        ("unlocked", "i1"),
        ("next_ready", "i1"),
        ("won", "f4"),  # 1, or a share of a shared victory
        ("score", "i2"),
    ],
    align=True,
)
#: A position at the start of a round.
POSITION = np.dtype(
    [
        ("rounds", "i1"),  # still to be played, this one included; 0: there is no position here
        ("event", "i1"),
        ("players", "i1"),
        ("places", PLACE, (SEATS,)),
    ],
    align=True,
)
Positions = types.Array(numba.from_dtype(POSITION), 1, "C")


class OneCity(NamedTuple):
    """Games in which the pool plays one city only, in every seat in turn, and somebody else all others."""

    city: str
    against: Strategy


class Place(NamedTuple):
    """As much of a view as facts need."""

    game: Any
    tables: Any
    me: int


@inlined
def _write_place(game, tables, seat, viewer, points, place):
    """One player's place, as `viewer` sees it."""
    view = Place(game, tables, seat)
    facts = no_facts()
    gather(view, viewer, points, facts)
    numbers = fact_numbers(address_in(facts), COUNT)
    for number in range(COUNT):
        place.facts[number] = np.int16(numbers[number])
    place.in_play = game.in_play[seat]
    if seat == viewer:
        place.hand = game.hand[seat]
        place.ready = ready_cards(view)
    place.city = game.city[seat]
    place.unlocked = game.development[seat]
    if game.development[seat] < DEVELOPMENTS:
        wanted = tables.developments[game.city[seat], game.development[seat]]
        place.next_ready = missing_tokens(view, wanted) == 0


@inlined
def _write(game, tables, position):
    """The position at the start of a round, seen by a player that chance chooses."""
    viewer = random_below(random_bits(game.seed, Stream.SLIP, SEATS, game.round_number, 0), game.players)
    points = scratch(SEATS)
    for seat in range(game.players):
        points[seat] = points_if_over(Place(game, tables, seat))
    position.rounds = tables.rounds - game.round_number + 1
    position.event = game.events[game.round_number - 1]
    position.players = game.players
    for seat in range(game.players):
        _write_place(game, tables, seat, viewer, points, position.places[seat])


@rule
def _collect(games, ledgers, rules, set_ups, out, seats, slips, positions):
    """Play all games and write their positions; returns how many ended well before one did not."""
    tables = rules[0]
    for index in range(len(games)):
        set_up(games, ledgers, rules, set_ups, index)
        game, lineup = games[index], set_ups[index].lineup
        start(seats, lineup, game.players)
        run = seats[0].run_at
        seen = np.int64(0)
        count = call_run(run, game, tables, ledgers[index], out, NO_OPTION, Until.DECISION)
        while count > 0 and game.fault == 0:
            if game.round_number > seen:
                seen = np.int64(game.round_number)
                _write(game, tables, positions[index * tables.rounds + seen - 1])
            me = next_up(game)[1]
            slip = random_bits(game.seed, Stream.SLIP, me, game.round_number, game.decided[me] + 1)
            if random_below(slip, PER_MILLE) < slips:
                best = random_below(slip * np.uint64(0x9E3779B97F4A7C15), count)
            else:
                best = ask(seat_of(seats, lineup, me), game, tables, out, count)
                if best < 0:
                    return index
            count = call_run(run, game, tables, ledgers[index], out, np.int64(out[best]), Until.DECISION)
        if game.fault != 0:
            return index
    return len(games)


@cache
def compile_now() -> Callable[..., Any]:
    """The compiled collecting."""
    kind = i8(Games, Ledgers, RulesArray, SetUps, Options, Seats, i8, Positions)
    return entry(kind, _collect, cache_folder((*SOURCES, "training/positions.py")))


def collect(
    rules: Rules,
    pool: Sequence[Strategy],
    players: int,
    seed: int,
    first: int,
    games: int,
    slips: int,
    one_city: OneCity | None = None,
) -> np.ndarray:
    """Positions of some games of a pool: those from `first` on, of all with this seed.

    `slips` of 1,000 moves are made at random. The same games come out however they are shared out.
    """
    set_ups = random_set_ups(games, players, rules.settings)
    lineup = dealt_rows(seed, first, games, len(pool), players)
    if one_city is not None:
        in_city = np.arange(players) == (first + np.arange(games))[:, None] % players
        set_ups["cities"][:, :players][in_city] = rules.city_ids.index(one_city.city)
        lineup = np.where(in_city, lineup, len(pool))
        pool = [*pool, one_city.against]
    settle(seed, first, rules, set_ups)
    set_ups["lineup"][:, :players] = lineup
    table = Table(rules, pool)
    records, ledgers = memory_for(games)
    positions = np.zeros(games * int(rules.tables.rounds), POSITION).view(np.recarray)
    with catching_failures():
        done = compile_now()(
            records, ledgers, table.tables, set_ups, table.out, table.seats.records, slips, positions
        )
    if done < games:
        table.check_fault(records[done], done)
        raise StrategyError(f"a player gave no answer in the game of seed {set_ups.seed[done]}", done)
    points = records["vp"][:, :players]
    won = places(points, records["drachmas"][:, :players]) == 1
    by_game = positions.reshape(len(records), -1)["places"]  # all positions of a game say how it ended
    by_game["won"][:, :, :players] = (won / won.sum(axis=1, keepdims=True))[:, None, :]
    by_game["score"][:, :, :players] = points[:, None, :]
    return np.asarray(positions[positions.rounds > 0])
