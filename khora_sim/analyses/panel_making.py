"""Making a panel: games are played, a decision of each is searched, and those whose options differ are kept.

It goes block by block. A block is a function of what was kept before it, so that the panel is the same on any
number of workers, and after any stop.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from khora_sim import __version__
from khora_sim.analyses import panel_games, panel_search
from khora_sim.analyses.panel import SURE, Frozen, origin_of, replay
from khora_sim.analyses.panel_file import MOST_DECISIONS, as_kept, write_panel
from khora_sim.analyses.panel_progress import Progress, keep, kept_in
from khora_sim.common.files import ENDING
from khora_sim.common.options import as_arguments, settings_of
from khora_sim.common.seed_ranges import PANEL, seed_in
from khora_sim.errors import UserError
from khora_sim.records.decision_words import KINDS
from khora_sim.rules import Rules
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.simulation.backend import Crew
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.loading import load
from khora_sim.strategy.table import Table

DECISIONS, WORLDS = 1000, 64
SEARCHER = "sage"
POOL = ("sage", "expert", "steward", "merchant")  # who plays the games
BLOCK = 40  # games for each number of players
AT_ONCE = 20  # games or decisions that a worker takes
MOST_GAMES = 100_000  # of a panel; the one with the next number has others
MOST_SEED = len(PANEL) // MOST_GAMES - 1
MOST_WORLDS = 10_000
LEAST = 0.005  # chance to win by which the best and the worst option differ

Origin = dict[str, Any]
Item = TypeVar("Item")
Result = TypeVar("Result")


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
    crew: Crew

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

    def origin(self) -> Origin:
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


def make(making: Making, out: Path, *, resume: bool, on_progress: Callable[[int], None]) -> int:
    """Make a panel and write it; what is done is kept beside it, block by block. Returns the games played."""
    aside = out.with_name(f"{out.stem}.making{ENDING}")
    _check(making, out, aside, resume)
    origin = making.origin()
    progress = kept_in(aside, origin) if resume else Progress()
    panel_games.compile_now()
    panel_search.compile_now()
    on_progress(len(progress.kept))
    while len(progress.kept) < making.decisions:
        if progress.blocks * BLOCK * len(PLAYER_COUNTS) >= MOST_GAMES:
            raise UserError(
                f"{MOST_GAMES:,} games have too few decisions that differ; ask for fewer --decisions"
            )
        _add_block(making, progress)
        keep(progress, origin, aside)
        on_progress(min(len(progress.kept), making.decisions))
    write_panel(progress.kept[: making.decisions], _origin(making, progress), out)
    aside.unlink(missing_ok=True)
    return progress.blocks * BLOCK * len(PLAYER_COUNTS)


def _check(making: Making, out: Path, aside: Path, resume: bool) -> None:
    """Refuse what cannot be made."""
    if out.suffix != ENDING:
        raise UserError(f"--out {out}: expected a file for the panel that ends in {ENDING}")
    if out.exists():
        raise UserError(f"--out {out}: already exists; choose another, or remove it")
    if aside.exists() and not resume:
        raise UserError(f"{aside}: an unfinished panel; go on with --resume, or remove it")
    limits = {"decisions": (1, MOST_DECISIONS), "worlds": (2, MOST_WORLDS), "seed": (0, MOST_SEED)}
    for name, (least, most) in limits.items():
        if not least <= getattr(making, name) <= most:
            raise UserError(f"--{name} {getattr(making, name)}: should be from {least} to {most}")


def _add_block(making: Making, progress: Progress) -> None:
    """Play the games of a block, search one decision of each, and keep those whose options differ."""
    games = _played(making, progress.blocks)
    progress.met.update(KINDS[task] for game in games for task in game.steps["task"].tolist())
    picked = []
    for game in games:
        picked.append(game._replace(place=progress.balance.choose(game.steps, game.seed)))
        progress.balance.add(picked[-1].step)
    for game, decision in zip(picked, _searched(making, picked), strict=True):
        if differs(decision):
            progress.kept.append(decision)
            progress.steps.append({key: int(game.step[key]) for key in ("task", "city", "round")})
        else:
            progress.balance.drop(game.step)
    progress.blocks += 1


def _played(making: Making, block: int) -> list[Picked]:
    """The games of a block; none of their decisions is picked yet."""
    first = making.seed * MOST_GAMES + block * BLOCK * len(PLAYER_COUNTS)
    tables = [
        (players, [seed_in(PANEL, first + place * BLOCK + game) for game in range(at, at + AT_ONCE)])
        for place, players in enumerate(PLAYER_COUNTS)
        for at in range(0, BLOCK, AT_ONCE)
    ]

    def play(table: tuple[int, list[int]]) -> list[Picked]:
        games = panel_games.play_noted(making.rules, making.pool, *table, making.settings)
        return [Picked(seed, table[0], steps, -1) for seed, steps in zip(table[1], games, strict=True)]

    return [game for part in _shared_out(making.crew, play, tables) for game in part]


def _searched(making: Making, picked: Sequence[Picked]) -> list[Frozen]:
    """Decisions with the values of their options."""
    parts = [picked[at : at + AT_ONCE] for at in range(0, len(picked), AT_ONCE)]
    found = _shared_out(making.crew, lambda part: _search(making, part), parts)
    return [decision for part in found for decision in part]


def _shared_out(crew: Crew, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """The results of some work in the order of its items."""
    from joblib import Parallel, delayed

    with crew.at_work():
        yield from Parallel(n_jobs=crew.workers, batch_size=1)(delayed(work)(item) for item in items)


def _search(making: Making, picked: Sequence[Picked]) -> list[Frozen]:
    """Some decisions with the values of their options."""
    table = Table(making.rules, [making.searcher])
    plans = len(making.searcher.policies)
    found = []
    for game in picked:
        taken = game.steps["option"][: game.place].tolist()
        match, options = replay(making.rules, game.players, game.seed, making.settings, taken, SEARCHER)
        values = panel_search.search(match, options, table, making.worlds, plans)
        found.append(as_kept(Frozen(game.seed, game.players, taken, options, *values)))
    return found


def differs(decision: Frozen) -> bool:
    """Whether the best and the worst option of a decision differ, by more than luck of the search."""
    values = decision.values
    worst = values.argmin()
    return bool(values.max() - values[worst] >= max(LEAST, SURE * decision.errors[worst]))


def _origin(making: Making, progress: Progress) -> Origin:
    """Where a panel comes from, and how often a player meets each kind of decision in a game."""
    games = progress.blocks * BLOCK * len(PLAYER_COUNTS)
    seats = games * sum(PLAYER_COUNTS) / len(PLAYER_COUNTS)
    often = {kind: round(number / seats, 3) for kind, number in sorted(progress.met.items())}
    return {**making.origin(), "games": games, "decisions_a_game": often}
