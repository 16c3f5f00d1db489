"""Making a panel: games are played, a decision of each is searched, and those whose options differ are kept.

It goes block by block. A block is a function of what was kept before it, so that the panel is the same on any
number of workers, and after any stop.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from khora_sim import __version__
from khora_sim.analyses.grade import GradeOptions
from khora_sim.analyses.grade.panel import (
    MAKE,
    MOST_GAMES,
    SURE,
    UNFINISHED,
    Frozen,
    Panel,
    PanelOptions,
    as_kept,
    origin_of,
    read_panel,
    replay,
    write_panel,
)
from khora_sim.analyses.grade.searching import compile_playing, compile_search, play_noted, search
from khora_sim.common.command_options import Command
from khora_sim.common.files import ENDING
from khora_sim.common.options import as_arguments, settings_of
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import PANEL, seed_in
from khora_sim.engine.agenda import Task
from khora_sim.errors import UserError
from khora_sim.records.decision_words import KINDS
from khora_sim.rules import Rules, load_rules
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.simulation.backend import Backend, worker_count
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.loading import load
from khora_sim.strategy.table import Table

SEARCHER = "sage"
POOL = ("sage", "expert", "steward", "merchant")  # who plays the games
BLOCK = 40  # games for each number of players
AT_ONCE = 20  # games or decisions that a worker takes
LEAST = 0.005  # chance to win by which the best and the worst option differ

#: Kinds that every game is made of come twice as often as those that a card or an event brings.
OFTEN = {
    *(Task.PICK_CARD, Task.PLACE_TILES, Task.PAY_CITIZENS, Task.KEEP_CARD, Task.BUY_TOKEN),
    *(Task.EXPLORE, Task.PLAY_CARD, Task.DEVELOP, Task.CLIMB),
}
IN_VAIN = 0.25  # what a decision counts whose options turned out to be alike: so none is looked for forever

Item = TypeVar("Item")
Found = TypeVar("Found")


class Balance:
    """How many decisions of each kind, city and round a panel has."""

    def __init__(self) -> None:
        self.kinds: Counter[int] = Counter()
        self.in_vain: Counter[int] = Counter()
        self.cities: Counter[tuple[int, int]] = Counter()
        self.rounds: Counter[tuple[int, int]] = Counter()

    def add(self, step: Any) -> None:
        """Count a decision."""
        self._count(step, 1)

    def drop(self, step: Any) -> None:
        """Take back a decision whose options are alike."""
        self._count(step, -1)
        self.in_vain[int(step["task"])] += 1

    def _count(self, step: Any, number: int) -> None:
        kind, city, round_ = (int(step[key]) for key in ("task", "city", "round"))
        self.kinds[kind] += number
        self.cities[kind, city] += number
        self.rounds[kind, round_] += number

    def _has(self, kind: int) -> float:
        """How much there is of a kind, by its weight."""
        return (self.kinds[kind] + IN_VAIN * self.in_vain[kind]) / (2 if kind in OFTEN else 1)

    def choose(self, steps: np.ndarray[Any, Any], seed: int) -> int:
        """The place of the decision of a game that is wanted most; luck decides between equals."""
        luck = np.random.default_rng(seed).random(len(steps)).tolist()
        rows = zip(*(steps[key].tolist() for key in ("task", "city", "round")), luck, strict=True)
        wanted = [
            (self._has(kind), self.cities[kind, city] + self.rounds[kind, round_], one)
            for kind, city, round_, one in rows
        ]
        return wanted.index(min(wanted))


@dataclass
class Blocks:
    """What a panel has after some blocks; kept beside it, so that a stop loses no finished one."""

    kept: list[Frozen] = field(default_factory=list)
    steps: list[dict[str, int]] = field(default_factory=list)  # task, city and round of each
    balance: Balance = field(default_factory=Balance)
    count: int = 0
    met: Counter[str] = field(default_factory=Counter)  # decisions in all games, by kind

    @property
    def games(self) -> int:
        """Games that were played."""
        return self.count * BLOCK * len(PLAYER_COUNTS)

    def write(self, origin: dict[str, Any], path: Path) -> None:
        """Keep what there is."""
        state = {
            "blocks": self.count,
            "met": self.met,
            "in_vain": self.balance.in_vain,
            "steps": self.steps,
        }
        write_panel(self.kept, {**origin, UNFINISHED: state}, path)

    @classmethod
    def read(cls, path: Path, origin: dict[str, Any]) -> "Blocks":
        """What there is already, if the same panel was asked for."""
        if not path.exists():
            return cls()
        panel = read_panel(path, unfinished=True)
        kept_origin = dict(panel.origin)
        state = kept_origin.pop(UNFINISHED, None)
        differing = [key for key in origin if kept_origin.get(key) != origin[key]]
        if state is None or differing:
            what = f"another {differing[0]}" if differing else "another kind of file"
            raise UserError(f"{path}: belongs to {what}; remove it and start again: {MAKE}")
        try:
            balance = Balance()
            balance.in_vain.update({int(kind): int(number) for kind, number in state["in_vain"].items()})
            for step in state["steps"]:
                balance.add(step)
            met = Counter(state["met"])
            return cls(list(panel.decisions), state["steps"], balance, int(state["blocks"]), met)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise UserError(f"{path}: is damaged; remove it and start again: {MAKE}") from None


class Picked(NamedTuple):
    """A decision of a game before its options are searched."""

    seed: int
    players: int
    steps: np.ndarray[Any, Any]  # of the whole game
    place: int

    @property
    def step(self) -> Any:
        """What was decided."""
        return self.steps[self.place]


@dataclass(frozen=True)
class Making:
    """The panel to make: under which rules, with how many decisions, and searched how."""

    rules: Rules
    decisions: int
    worlds: int
    seed: int
    backend: Backend

    @cached_property
    def searcher(self) -> Strategy:
        """Whose policies and learned value search."""
        return load(SEARCHER)

    @cached_property
    def pool(self) -> list[Strategy]:
        """Who plays the games."""
        return [load(name) for name in POOL]

    @property
    def settings(self) -> int:
        """The options of the game, as the rules have them."""
        return int(settings_of(**as_arguments(self.rules.model.options)))

    def origin(self) -> dict[str, Any]:
        """Where the panel comes from, as far as it is known before the first game."""
        first = self.seed * MOST_GAMES
        searcher = self.searcher
        return {
            "khora": __version__,
            "rules": {"name": self.rules.name, "hash": self.rules.hash, "version": self.rules.version},
            "settings": self.settings,
            "seed": self.seed,
            "first_game_seed": seed_in(PANEL, first),
            "pool": [origin_of(one) for one in self.pool],
            "searcher": {
                **origin_of(searcher),
                "learned": searcher.learned.digest if searcher.learned is not None else "",
                "policies": [one.name for one in searcher.policies],
                "worlds": self.worlds,
                "options": "all",
            },
            "decisions": self.decisions,
        }


class PanelCommand(Command):
    """Makes a panel and writes it; what is done is kept beside it, block by block."""

    Options = PanelOptions

    def make(self, options: PanelOptions, progress: Progress) -> Panel:
        """Play and search until there are as many decisions as wanted."""
        out = options.out
        aside = out.with_name(f"{out.stem}.making{ENDING}")
        if out.exists():
            raise UserError(f"--out {out}: already exists; choose another, or remove it")
        if aside.exists() and not options.resume:
            raise UserError(f"{aside}: an unfinished panel; continue with --resume, or remove it")
        backend = Backend("threads", worker_count(options.workers))
        making = Making(load_rules(), options.decisions, options.worlds, options.seed, backend)
        origin = making.origin()
        blocks = Blocks.read(aside, origin) if options.resume else Blocks()
        compile_playing()
        compile_search()
        progress.begin("", making.decisions, len(blocks.kept), unit="decisions")
        while len(blocks.kept) < making.decisions:
            if blocks.games >= MOST_GAMES:
                raise UserError(
                    f"{MOST_GAMES:,} games have too few decisions that differ; ask for fewer --decisions"
                )
            before = len(blocks.kept)
            _add_block(making, blocks)
            blocks.write(origin, aside)
            progress.advance(min(len(blocks.kept), making.decisions) - before)
        write_panel(blocks.kept[: making.decisions], _origin(making, blocks), out)
        aside.unlink(missing_ok=True)
        return read_panel(out)

    def brief(self, result: Panel, *, full: bool = False) -> Sequence[str]:
        """What was written, and what to do with it."""
        games = result.origin["games"]
        grading = GradeOptions(strategy="NAME", panel=result.path).typed()
        return [
            f"wrote {result.path}: {len(result.decisions):,} decisions of {games:,} games",
            f"Grade a strategy with: {grading}",
        ]

    def data(self, result: Panel) -> dict[str, Any]:
        """Where the panel comes from, for a script."""
        return {"file": str(result.path), "digest": result.digest, **result.origin}


def _add_block(making: Making, blocks: Blocks) -> None:
    """Play the games of a block, search one decision of each, and keep those whose options differ."""
    games = _played(making, blocks.count)
    blocks.met.update(KINDS[task] for game in games for task in game.steps["task"].tolist())
    picked = []
    for game in games:
        picked.append(game._replace(place=blocks.balance.choose(game.steps, game.seed)))
        blocks.balance.add(picked[-1].step)
    for game, decision in zip(picked, _searched(making, picked), strict=True):
        if differs(decision):
            blocks.kept.append(decision)
            blocks.steps.append({key: int(game.step[key]) for key in ("task", "city", "round")})
        else:
            blocks.balance.drop(game.step)
    blocks.count += 1


def _played(making: Making, block: int) -> list[Picked]:
    """The games of a block; none of their decisions is picked yet."""
    first = making.seed * MOST_GAMES + block * BLOCK * len(PLAYER_COUNTS)
    tables = [
        (players, [seed_in(PANEL, first + place * BLOCK + game) for game in range(at, at + AT_ONCE)])
        for place, players in enumerate(PLAYER_COUNTS)
        for at in range(0, BLOCK, AT_ONCE)
    ]

    def play(table: tuple[int, list[int]]) -> list[Picked]:
        games = play_noted(making.rules, making.pool, *table, making.settings)
        return [Picked(seed, table[0], steps, -1) for seed, steps in zip(table[1], games, strict=True)]

    return [game for part in _shared_out(making.backend, play, tables) for game in part]


def _searched(making: Making, picked: Sequence[Picked]) -> list[Frozen]:
    """Decisions with the values of their options."""
    parts = [picked[at : at + AT_ONCE] for at in range(0, len(picked), AT_ONCE)]
    found = _shared_out(making.backend, lambda part: _search(making, part), parts)
    return [decision for part in found for decision in part]


def _shared_out(backend: Backend, work: Callable[[Item], Found], items: Sequence[Item]) -> Iterator[Found]:
    """The results of some work in the order of its items."""
    from joblib import Parallel, delayed

    with backend.at_work():
        yield from Parallel(n_jobs=backend.workers, batch_size=1)(delayed(work)(item) for item in items)


def _search(making: Making, picked: Sequence[Picked]) -> list[Frozen]:
    """Some decisions with the values of their options."""
    table = Table(making.rules, [making.searcher])
    plans = len(making.searcher.policies)
    found = []
    for game in picked:
        taken = game.steps["option"][: game.place].tolist()
        match, options = replay(making.rules, game.players, game.seed, making.settings, taken, SEARCHER)
        values = search(match, options, table, making.worlds, plans)
        found.append(as_kept(Frozen(game.seed, game.players, taken, options, *values)))
    return found


def differs(decision: Frozen) -> bool:
    """Whether the best and the worst option of a decision differ, by more than luck of the search."""
    values = decision.values
    worst = values.argmin()
    return bool(values.max() - values[worst] >= max(LEAST, SURE * decision.errors[worst]))


def _origin(making: Making, blocks: Blocks) -> dict[str, Any]:
    """Where a panel comes from, and how often a player meets each kind of decision in a game."""
    seats = blocks.games * sum(PLAYER_COUNTS) / len(PLAYER_COUNTS)
    often = {kind: round(number / seats, 3) for kind, number in sorted(blocks.met.items())}
    return {**making.origin(), "games": blocks.games, "decisions_a_game": often}


ANALYSIS = PanelCommand()
