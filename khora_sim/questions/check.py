"""The conformance suite: what every plug-in must hold to, built-in or not, said line by line."""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from khora_sim.common.options import OPTIONS, Setting
from khora_sim.common.writing import write_whole
from khora_sim.engine.kernels import kernels
from khora_sim.engine.match import Match
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import new_records
from khora_sim.engine.setup import RANDOM
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.rules.terms import PLAYER_COUNTS, word
from khora_sim.strategy.asking import Asked
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.games import play_set_ups
from khora_sim.strategy.loading import load

_COUNTS = f"{', '.join(map(str, PLAYER_COUNTS[:-1]))} and {PLAYER_COUNTS[-1]}"
SEEDS = 2  # for every city and number of players
DECISIONS = 120  # at which the answer must not depend on what is hidden
RUNS = 6  # of which the fastest tells the speed: the others were disturbed

#: Small variants that reach into what strategies are tempted to take for granted.
VARIANTS = {
    "fewer-rounds": "rounds = 6\n[start]\ndrachmas = 9\n",
    "other-cards": (
        '[cards.new-agora]\nname = "New Agora"\nkind = "ongoing"\ncost = 2\n'
        'effects = [{ on = "culture", gain = { vp = 2 } }, { on = "tax-phase", gain = { drachmas = 1 } }]\n'
        '[remove]\ncards = ["bank", "ostracism", "lighthouse"]\nspaces = ["persepolis"]\n'
    ),
    "other-prices": (
        "[tracks.economy]\n2 = { cost = 5 }\n[tracks.culture]\n4 = { cost = 1 }\n[start]\ncitizens = 9\n"
    ),
}


@dataclass(frozen=True)
class Verdict:
    """One line of the suite."""

    claim: str
    problem: str | None  # None: it holds


def check_strategy(spec: str) -> Iterator[Verdict]:
    """Run the suite on a plug-in; a plug-in that does not load has one line only."""
    try:
        strategy = load(spec)
    except UserError as problem:
        yield Verdict("loads, and declares what it is", str(problem))
        return
    yield Verdict("loads, and declares what it is", None)
    checks: tuple[tuple[str, Callable[[Strategy], str | None]], ...] = (
        (f"plays {_COUNTS} players with every city, and finishes", _plays_every_city),
        ("plays the same game for the same seed", _plays_the_same_again),
        ("gives the same answer whatever is hidden from it", _cannot_peek),
        ("plays with every option of the game", _plays_every_option),
        ("survives variants of the rules", _survives_variants),
    )
    for claim, check in checks:
        try:
            yield Verdict(claim, check(strategy))
        except UserError as problem:
            yield Verdict(claim, str(problem))


def _set_ups(players: int, seeds: int, cities: int, settings: int = Setting.DRAFT) -> Any:
    """Games in which every city sits in seat 0 so many times, the others at random."""
    set_ups: Any = new_records(seeds * cities, SET_UP)
    set_ups.seed = 1000 * players + np.arange(len(set_ups))
    set_ups.settings = settings
    set_ups.players = players
    set_ups.first_player = RANDOM
    set_ups.cities = RANDOM
    set_ups.cities[:, 0] = np.arange(len(set_ups)) % cities
    return set_ups


def _plays_every_city(strategy: Strategy) -> str | None:
    rules = load_rules(None)
    for players in PLAYER_COUNTS:
        games, _ = play_set_ups(rules, _set_ups(players, SEEDS, len(rules.city_ids)), [strategy])
        if not (games.agenda_size == 0).all():
            return f"a game with {players} players did not end"
    return None


def _plays_the_same_again(strategy: Strategy) -> str | None:
    rules = load_rules(None)
    set_ups = _set_ups(4, SEEDS, len(rules.city_ids))
    first, _ = play_set_ups(rules, set_ups, [strategy])
    backwards, _ = play_set_ups(rules, set_ups[::-1].copy(), [strategy])
    same = [np.array_equal(one, other) for one, other in zip(first, backwards[::-1], strict=True)]
    different = np.flatnonzero(~np.array(same))
    if len(different):
        seed = set_ups.seed[different[0]]
        return f"seed {seed} gave another game the second time: is something kept between games, or drawn?"
    return None


def _plays_every_option(strategy: Strategy) -> str | None:
    rules = load_rules(None)
    every = sum(option.setting for option in OPTIONS)
    for settings in (Setting.DRAFT | Setting.REROLL, every, 0):
        play_set_ups(rules, _set_ups(3, 1, len(rules.city_ids), int(settings)), [strategy])
    return None


def _survives_variants(strategy: Strategy) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in VARIANTS.items():
            path = Path(folder) / f"{name}.toml"
            write_whole(path, text.encode())
            rules = load_rules(path)
            play_set_ups(rules, _set_ups(3, 1, len(rules.city_ids)), [strategy])
    return None


def _cannot_peek(strategy: Strategy) -> str | None:
    """Ask at many decisions in two games that differ only in what the player may not know."""
    rules = load_rules(None)
    match = Match(rules, players=4, seed=4711)
    players = Asked(match, [strategy] * 4)
    options = match.advance()
    asked = 0
    while options and asked < DECISIONS:
        before = players.table.seats.remembered()
        other = players.choose(_another_world(match, seed=asked + 1), options)
        players.table.seats.remember(before)
        answer = players.choose(match, options)
        if len(options) > 1:
            asked += 1
            if other != answer:
                return (
                    f"deciding {word(match.task)} in round {match.game.round_number} of seed 4711 it "
                    f"chose {answer}, and {other} when only hidden things were different"
                )
        options = match.choose(answer)
    return None


def _another_world(match: Match, seed: int) -> Match:
    """The same game as far as the player can see, with everything else drawn anew."""
    other = match.copy()
    seat = match.seat
    seen = new_records(1)
    seen[0] = match.view(seat)
    kernels().determinize(seen, 0, match.tables, seat, np.uint64(seed))
    seen[0].seed, seen[0].decided = match.game.seed, match.game.decided  # the player's own luck is its own
    other._games[0] = seen[0]
    return other


def speed_of(strategy: Strategy, games: int = 200) -> float:
    """Games a second of processor time when it sits in all four seats, on one thread: best of some runs."""
    rules = load_rules(None)
    set_ups = _set_ups(4, max(games // len(rules.city_ids), 1), len(rules.city_ids))
    fastest = np.inf
    for _ in range(RUNS):
        began = time.thread_time()
        play_set_ups(rules, set_ups, [strategy])
        fastest = min(fastest, time.thread_time() - began)
    return len(set_ups) / fastest
