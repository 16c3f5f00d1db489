"""Making a panel: games are played, and the options of one decision of each are valued.

By itself it takes decisions of all kinds alike, searches them, and keeps those whose options differ. With a
teacher any decision of a game is as likely as any other, the teacher is asked, and all are kept.

It goes block by block. A block is a function of what was kept before it, so that the panel is the same on any
number of workers, and after any stop.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from khora_sim import __version__
from khora_sim.analyses.grade import GradeOptions
from khora_sim.analyses.grade.panel import (
    MAKE,
    MOST_DECISIONS,
    SURE,
    UNFINISHED,
    Frozen,
    Panel,
    as_kept,
    read_panel,
    replay,
    write_panel,
)
from khora_sim.analyses.grade.searching import compile_playing, compile_search, play_noted, search
from khora_sim.analyses.grade.teaching import taught
from khora_sim.common.command_options import Flag
from khora_sim.common.files import ENDING
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import PANEL, seed_in
from khora_sim.engine.agenda import Task
from khora_sim.errors import UserError
from khora_sim.records.decision_words import KINDS
from khora_sim.rules import Rules
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.simulation.backend import Backend, share_out
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.loading import load
from khora_sim.strategy.parameters import split_spec
from khora_sim.strategy.table import Table
from khora_sim.training.learn_policy import check_teacher, origin_of
from khora_sim.training.making import Maker, MakerOptions, MakingSeed, TableSizes, check_same, table_sizes

SEARCHER = "sage"
POOL = ("sage", "expert", "steward", "merchant")  # who plays the games
PUPIL = "adept"  # plays them with a teacher, which then has its usual settings
WORLDS = 64  # that every option is searched in
BLOCK = 40  # games for each number of players
AT_ONCE = 20  # games or decisions that a worker takes
LEAST = 0.005  # chance to win by which the best and the worst option differ
MOST_GAMES = 100_000  # of a panel; the one with the next number has others
MOST_SEED = len(PANEL) // MOST_GAMES - 1
MOST_WORLDS = 10_000

#: Kinds that every game is made of come twice as often as those that a card or an event brings.
OFTEN = {
    *(Task.PICK_CARD, Task.PLACE_TILES, Task.PAY_CITIZENS, Task.KEEP_CARD, Task.BUY_TOKEN),
    *(Task.EXPLORE, Task.PLAY_CARD, Task.DEVELOP, Task.CLIMB),
}
IN_VAIN = 0.25  # what a decision counts whose options turned out to be alike: so none is looked for forever


class PanelOptions(MakerOptions):
    """One decision of each game is taken, so that rare kinds come nearly as often as others.

    With --teacher it is any decision of the game, so that kinds come as often as in play.
    """

    command = "strategies panel"
    ending: ClassVar[str] = ENDING
    contents: ClassVar[str] = "the panel"

    decisions: Annotated[int, Flag("Decisions in it."), Field(ge=1, le=MOST_DECISIONS)] = 1000
    players: TableSizes = PLAYER_COUNTS
    worlds: Annotated[
        int | None,
        Flag("Worlds that every option is tried in.", default=str(WORLDS)),
        Field(ge=2, le=MOST_WORLDS, description=f"a whole number from 2 to {MOST_WORLDS:,}"),
    ] = None
    teacher: Annotated[
        str | None,
        Flag(
            "A strategy that says what options are worth, such as sage:worlds=8, in place of a search.",
            metavar="NAME",
            strategies=True,
        ),
    ] = None
    seed: Annotated[MakingSeed, Field(le=MOST_SEED)] = 0

    def check(self) -> None:
        """Refuse worlds of a search where there is none."""
        if self.teacher is not None and self.worlds is not None:
            raise UserError(
                f"--worlds {self.worlds}: for a search; a teacher has its own: --teacher sage:worlds=8"
            )


class Balance:
    """Numbers of decisions of each kind, city and round in a panel."""

    def __init__(self) -> None:
        self.kinds: Counter[int] = Counter()
        self.in_vain: Counter[int] = Counter()
        self.cities: Counter[tuple[int, int]] = Counter()
        self.rounds: Counter[tuple[int, int]] = Counter()

    def add(self, step: Any, number: int = 1) -> None:
        """Count a decision; -1 takes back one whose options turned out to be alike."""
        kind, city, round_ = (int(step[key]) for key in ("task", "city", "round"))
        self.kinds[kind] += number
        self.cities[kind, city] += number
        self.rounds[kind, round_] += number
        if number < 0:
            self.in_vain[kind] += 1

    def _has(self, kind: int) -> float:
        """The number of decisions of a kind, by its weight."""
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
    """A panel after some blocks; kept beside it, so that a stop loses no finished one."""

    kept: list[Frozen] = field(default_factory=list)
    steps: list[dict[str, int]] = field(default_factory=list)  # task, city and round of each
    balance: Balance = field(default_factory=Balance)
    games: int = 0
    met: Counter[str] = field(default_factory=Counter)  # decisions in all games, by kind

    def write(self, making: "Making", path: Path) -> None:
        """Keep what there is."""
        state = {
            "options": making.options.plan(),
            "games": self.games,
            "met": self.met,
            "in_vain": self.balance.in_vain,
            "steps": self.steps,
        }
        write_panel(self.kept, {**making.origin(), UNFINISHED: state}, path)

    @classmethod
    def read(cls, path: Path, making: "Making") -> "Blocks":
        """Blocks that are done already, if rules and strategies are those they were begun with."""
        panel = read_panel(path, unfinished=True)
        state = panel.origin.pop(UNFINISHED)
        check_same(path, panel.origin, making.origin())
        try:
            balance = Balance()
            balance.in_vain.update({int(kind): int(number) for kind, number in state["in_vain"].items()})
            for step in state["steps"]:
                balance.add(step)
            met = Counter(state["met"])
            return cls(list(panel.decisions), state["steps"], balance, int(state["games"]), met)
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
        """The step in which it was decided."""
        return self.steps[self.place]


@dataclass(frozen=True)
class Making:
    """The panel to make, as workers get it: what is wanted, and under which rules."""

    options: PanelOptions
    rules: Rules
    players: tuple[int, ...]  # sizes of tables
    judge: Strategy  # the teacher, or whose policies and learned value search
    pool: list[Strategy]  # who plays the games

    @classmethod
    def of(cls, options: PanelOptions, rules: Rules) -> "Making":
        """The panel that is asked for."""
        pool: tuple[str, ...] = POOL
        judge = load(options.teacher or SEARCHER)
        if options.teacher is not None:
            check_teacher(judge)
            pool = (split_spec(options.teacher)[0], PUPIL)
        players = table_sizes(options.players, rules)
        return cls(options, rules, players, judge, [load(name) for name in pool])

    @property
    def is_taught(self) -> bool:
        """True if a teacher values the options."""
        return self.options.teacher is not None

    @property
    def worlds(self) -> int:
        """Worlds of the search."""
        return self.options.worlds or WORLDS

    def pick(self, game: Picked, balance: Balance) -> Picked:
        """The decision of a game that goes into the panel, if its options differ."""
        if self.is_taught:
            return game._replace(place=int(np.random.default_rng(game.seed).integers(len(game.steps))))
        return game._replace(place=balance.choose(game.steps, game.seed))

    def origin(self) -> dict[str, Any]:
        """The origin of the panel, as far as it is known before the first game."""
        named = [origin_of(one) for one in (self.judge, *self.pool)]
        learned = self.judge.learned
        judge = {
            **named[0],
            "learned": learned.digest if learned is not None else "",
            "policies": [one.name for one in self.judge.policies],
        }
        searched = {"worlds": self.worlds, "options": "all"}
        return {
            "khora": __version__,
            "rules": {"name": self.rules.name, "hash": self.rules.hash, "version": self.rules.version},
            "settings": self.rules.settings,
            "seed": self.options.seed,
            "first_game_seed": seed_in(PANEL, self.options.seed * MOST_GAMES),
            "players": list(self.players),
            "pool": named[1:],
            **({"teacher": judge} if self.is_taught else {"searcher": judge | searched}),
            "decisions": self.options.decisions,
        }


class PanelMaker(Maker[PanelOptions, Panel]):
    """Makes a panel and writes it; what is done is kept beside it, block by block."""

    Options = PanelOptions
    kept = f".making{ENDING}"

    def made(self, options: PanelOptions, rules: Rules, backend: Backend, progress: Progress) -> Panel:
        """Play and value options until there are as many decisions as wanted."""
        making = Making.of(options, rules)
        aside, wanted = self.aside(options.out), options.decisions
        blocks = Blocks.read(aside, making) if options.resume else Blocks()
        compile_playing()
        if not making.is_taught:
            compile_search()
        progress.begin("", wanted, len(blocks.kept), unit="decisions")
        while len(blocks.kept) < wanted:
            if blocks.games >= MOST_GAMES:
                raise UserError(
                    f"{MOST_GAMES:,} games have too few decisions that differ; ask for fewer --decisions"
                )
            before = len(blocks.kept)
            _add_block(making, blocks, backend)
            blocks.write(making, aside)
            progress.advance(min(len(blocks.kept), wanted) - before)
        seats = blocks.games * sum(making.players) / len(making.players)
        often = {kind: round(number / seats, 3) for kind, number in sorted(blocks.met.items())}
        origin = {**making.origin(), "games": blocks.games, "decisions_a_game": often}
        write_panel(blocks.kept[:wanted], origin, options.out)
        aside.unlink(missing_ok=True)
        return read_panel(options.out)

    def brief(self, made: Panel, *, full: bool = False) -> Sequence[str]:
        """The file that was written, and what to do with it."""
        grading = GradeOptions(strategy="NAME", panel=made.path).typed()
        return [
            f"wrote {made.path}: {len(made.decisions):,} decisions of {made.origin['games']:,} games",
            f"Grade a strategy with: {grading}",
        ]

    def data(self, made: Panel) -> dict[str, Any]:
        """The origin of the panel, for a script."""
        return {"file": str(made.path), "digest": made.digest, **made.origin}

    def begun(self, out: Path) -> Mapping[str, Any]:
        """The options of an unfinished panel."""
        state = read_panel(self.aside(out), unfinished=True).origin.get(UNFINISHED)
        if not isinstance(state, dict) or not isinstance(state.get("options"), dict):
            raise UserError(f"{self.aside(out)}: is no unfinished panel; choose another --out")
        return dict(state["options"])

    def origin(self, out: Path) -> dict[str, Any]:
        """The origin of a panel."""
        return read_panel(out).origin


def _add_block(making: Making, blocks: Blocks, backend: Backend) -> None:
    """Play the games of a block, value one decision of each, and keep those that the panel wants."""
    first = making.options.seed * MOST_GAMES + blocks.games
    tables = [
        (players, [seed_in(PANEL, first + place * BLOCK + game) for game in range(BLOCK)[at : at + AT_ONCE]])
        for place, players in enumerate(making.players)
        for at in range(0, BLOCK, AT_ONCE)
    ]
    picked = []
    for part in share_out(backend, _play, [(making, table) for table in tables]):
        for game in part:
            blocks.met.update(KINDS[task] for task in game.steps["task"].tolist())
            picked.append(making.pick(game, blocks.balance))
            blocks.balance.add(picked[-1].step)
    jobs = [(making, picked[at : at + AT_ONCE]) for at in range(0, len(picked), AT_ONCE)]
    found = [decision for part in share_out(backend, _value, jobs) for decision in part]
    for game, decision in zip(picked, found, strict=True):
        if making.is_taught or differs(decision):
            blocks.kept.append(decision)
            blocks.steps.append({key: int(game.step[key]) for key in ("task", "city", "round")})
        else:
            blocks.balance.add(game.step, -1)
    blocks.games += len(picked)


def _play(making: Making, table: tuple[int, list[int]]) -> list[Picked]:
    """The games of some seeds at one size of table; none of their decisions is picked yet."""
    players, seeds = table
    games = play_noted(making.rules, making.pool, players, seeds, making.rules.settings)
    return [Picked(seed, players, steps, -1) for seed, steps in zip(seeds, games, strict=True)]


def _value(making: Making, picked: Sequence[Picked]) -> list[Frozen]:
    """Some decisions with the values of their options."""
    table = Table(making.rules, [making.judge])
    plans = len(making.judge.policies)
    found = []
    for game in picked:
        taken = game.steps["option"][: game.place].tolist()
        match, options = replay(
            making.rules, game.players, game.seed, making.rules.settings, taken, making.judge.name
        )
        if making.is_taught:
            values = taught(match, options, table)
        else:
            values = search(match, options, table, making.worlds, plans)
        found.append(as_kept(Frozen(game.seed, game.players, taken, options, *values)))
    return found


def differs(decision: Frozen) -> bool:
    """Tell if the best and the worst option of a decision differ by more than chance in the search."""
    values = decision.values
    worst = values.argmin()
    return bool(values.max() - values[worst] >= max(LEAST, SURE * decision.errors[worst]))


COMMAND = PanelMaker()
