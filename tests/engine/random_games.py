"""Random legal play of many games, and what it comes to as a hash.

    python -m tests.engine.random_games 3 0 100     prints the hash of seeds 0 to 99 with 3 players

With NUMBA_DISABLE_JIT=1 the same source runs uncompiled.
"""

import hashlib
import sys

import numpy as np

from khora_sim.common.options import Setting
from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.engine.match import rules_array
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import new_records
from khora_sim.engine.seat import Player, Seats
from khora_sim.engine.setup import RANDOM
from khora_sim.rules import Rules, load_rules

#: What a game comes to; fields that only make the engine faster are left out.
RESULT = (
    *("seed", "players", "round_number", "first_player", "step", "explored", "events", "deck_size"),
    *("achieved", "city", "development", "drachmas", "vp", "citizens", "tax", "glory", "troops", "level"),
    *("philosophy", "minor", "major", "hand", "hand_size", "in_play", "dice", "tile"),
)
LEDGER_RESULT = (
    *("points", "card_round", "actions", "returns", "set_aside", "achieved_round", "citizens_spent"),
    *("philosophy_spent", "pips", "dice_rolled", "dealt", "drafted", "after_round"),
)


_kept: list[Seats] = []  # seats refer to memory by address; whoever made it keeps it alive


def table(*players: Player) -> tuple:
    """What `play_games` needs besides games: a place to list options, and the seats of the players."""
    _kept.append(Seats(players, kernels().run_address))
    return np.zeros(MAX_OPTIONS, np.int16), _kept[-1].records


def set_ups(seeds: range, players: int, settings: int = Setting.DRAFT) -> np.recarray:
    """One set-up for each seed, all else left to chance."""
    given = new_records(len(seeds), SET_UP)
    given.seed = np.arange(seeds.start, seeds.stop)
    given.settings, given.players = settings, players
    given.first_player = given.cities = RANDOM
    return given


def play_at_random(
    seeds: range, players: int, settings: int = Setting.DRAFT, rules: Rules | None = None
) -> tuple[np.recarray, np.recarray]:
    """Play a game for each seed, all options alike and luck deciding; returns games and ledgers."""
    games, ledgers = new_records(len(seeds)), new_records(len(seeds) + 1, LEDGER)
    given = set_ups(seeds, players, settings)
    tables = rules_array(rules or load_rules())
    ended = kernels().play_games(games, ledgers, tables, given, *table(Player(kernels().indifferent_address)))
    assert ended == len(seeds)
    return games, ledgers[:-1]


def digest(games: np.recarray, ledgers: np.recarray) -> str:
    """A hash of how games ended and of all that was written down about them."""
    total = hashlib.sha256()
    for records, names in ((games, RESULT), (ledgers, LEDGER_RESULT)):
        for name in names:
            kind = np.uint64 if name == "seed" else np.int64
            total.update(name.encode() + records[name].astype(kind).tobytes())
    return total.hexdigest()


if __name__ == "__main__":
    players, start, stop = (int(number) for number in sys.argv[1:])
    print(digest(*play_at_random(range(start, stop), players)))
