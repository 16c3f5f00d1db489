"""The conformance suite: rules that every plug-in must hold to, built-in or not, said line by line."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from khora_sim.common.files import write_atomically
from khora_sim.common.options import OPTIONS
from khora_sim.engine.cache import is_quiet, keep_quiet
from khora_sim.engine.kernels import kernels
from khora_sim.engine.match import Match
from khora_sim.engine.record import new_records
from khora_sim.errors import UserError
from khora_sim.rules import Rules, load_rules
from khora_sim.rules.terms import PLAYER_COUNTS, word
from khora_sim.simulation.backend import Backend
from khora_sim.simulation.chunk import Chunk, ChunkContents
from khora_sim.simulation.experiment import Arm, Design, resolve_study
from khora_sim.simulation.run import play
from khora_sim.simulation.sinks import Sink
from khora_sim.simulation.study_file import study_of
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.loading import load
from khora_sim.strategy.table import SeatedPlayers

_COUNTS = f"{', '.join(map(str, PLAYER_COUNTS[:-1]))} and {PLAYER_COUNTS[-1]}"
SEED = 1000
SEEDS = 2  # games for every city and number of players
GAMES_OF_A_VARIANT = 7
DECISIONS = 120  # at which the answer must not depend on what is hidden

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


def check_verdicts(strategy: str) -> list[Verdict]:
    """Run the conformance suite on a strategy: what each line claims, and its `problem`, or None."""
    before = is_quiet()
    keep_quiet(True)
    try:
        return list(check_strategy(strategy))
    finally:
        keep_quiet(before)


def check_strategy(spec: str) -> Iterator[Verdict]:
    """Run the suite on a plug-in; a plug-in that does not load has one line only."""
    loads = "loads, and declares what it is"
    try:
        strategy = load(spec)
    except UserError as problem:
        yield Verdict(loads, str(problem))
        return
    yield Verdict(loads, None)
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


class Digests(Sink):
    """Keeps a hash of the games of each arm, which has one chunk."""

    wanted = ChunkContents(tables=True)

    def __init__(self) -> None:
        self.of_arm: dict[int, str] = {}

    def keep(self, chunk: Chunk) -> None:
        """Remember the hash of what the players did."""
        self.of_arm[chunk.place.arm] = chunk.parts["players"].sha256


def _arm(strategy: Strategy, rules: Rules, **more: Any) -> Arm:
    """Some games that a strategy plays in all seats."""
    study = {"games": SEEDS, "strategies": [strategy.name], "rotate": "none", "seed": SEED}
    return resolve_study(study_of(study | more), rules)


def _played(arms: Sequence[Arm]) -> list[str]:
    """A hash of the games of each arm; they are played one after the other, on one thread."""
    sink = Digests()
    play(Design(tuple(arms)), sink, Backend("threads", 1))
    return [sink.of_arm[number] for number in range(len(arms))]


def _with_every_city(strategy: Strategy, players: Iterable[int]) -> list[Arm]:
    """Every city in the first seat, the others at random."""
    rules = load_rules(None)
    return [
        _arm(strategy, rules, players=count, cities=[city]) for count in players for city in rules.city_ids
    ]


def _plays_every_city(strategy: Strategy) -> str | None:
    _played(_with_every_city(strategy, PLAYER_COUNTS))
    return None


def _plays_the_same_again(strategy: Strategy) -> str | None:
    arms = _with_every_city(strategy, [4])
    first, backwards = _played(arms), _played(arms[::-1])
    for arm, one, other in zip(arms, first, backwards[::-1], strict=True):
        if one != other:
            where = f"with {arm.study.cities[0]} in seat 1 and seed {SEED}"
            return f"{where} the second time gave other games: is something kept between games, or drawn?"
    return None


def _plays_every_option(strategy: Strategy) -> str | None:
    every = {option.name: True for option in OPTIONS}
    none = dict.fromkeys(every, False)
    chosen = [{**none, "draft": True, "reroll": True}, every, none]
    _played([_arm(strategy, load_rules(None), players=3, **options) for options in chosen])
    return None


def _survives_variants(strategy: Strategy) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        arms = []
        for name, text in VARIANTS.items():
            path = Path(folder) / f"{name}.toml"
            write_atomically(path, text.encode())
            arms.append(_arm(strategy, load_rules(path), players=3, games=GAMES_OF_A_VARIANT))
        _played(arms)
    return None


def _cannot_peek(strategy: Strategy) -> str | None:
    """Ask at many decisions in two games that differ only in what the player may not know."""
    rules = load_rules(None)
    match = Match(rules, players=4, seed=4711)
    players = SeatedPlayers(match, [strategy] * 4)
    options = match.advance()
    asked = 0
    while options and asked < DECISIONS:
        before = players.table.seats.remembered()
        other = players.choose(another_world(match, seed=asked + 1), options)
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


def another_world(match: Match, seed: int) -> Match:
    """The same game as far as the player can see, with everything else drawn again."""
    other = match.copy()
    seat = match.seat
    seen = new_records(1)
    seen[0] = match.view(seat)
    kernels().determinize(seen, 0, match.tables, seat, np.uint64(seed))
    seen[0].seed, seen[0].decided = match.game.seed, match.game.decided  # the player's own luck is its own
    other._games[0] = seen[0]
    return other
