"""The speed of play, in processor time of one thread: a shared machine disturbs that least.

Only figures of one run compare. Two commits are compared by `make compare-speed`. Whole studies are written
to disk, each measured in a process of its own.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import field_validator

from khora_sim.common.command_options import Command, Flag, Names, Options
from khora_sim.common.progress import Progress
from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.engine.match import rules_array
from khora_sim.engine.record import GAME, new_records
from khora_sim.engine.seat import Player, Seats
from khora_sim.errors import UserError
from khora_sim.pages.table import Table, grid
from khora_sim.rules import load_rules
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.simulation.chunk import BLOCK, ChunkContents, place_of, play_chunk
from khora_sim.simulation.dataset import claimed
from khora_sim.simulation.experiment import ChunkId, plan_study
from khora_sim.simulation.seating import random_set_ups, set_ups
from khora_sim.simulation.simulate import duration, size
from khora_sim.simulation.study_file import study_of
from khora_sim.strategy import load
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.games import play_set_ups

RUNS = 6  # of which the fastest tells the speed: the others were disturbed
FIRST_GAMES = 4  # they say how many a run can have
RUN_SECONDS = 0.5
AT_ONCE = 1000  # games of random play in one call
BEST_OF = 5  # the fastest of so many: the others were disturbed
BEST_OF_STUDIES = 3  # of the runs with 1 and 2 workers, turn about
FALLBACK = ("random", "first-legal", "idle", "random")


class BenchOptions(Options):
    """Games are measured in processor time of one thread, the best of several runs.

    Studies (--study) and compiling are measured in seconds of waiting.
    """

    command = "bench"

    study: Annotated[bool, Flag("Measure whole studies, written to disk.")] = False
    strategies: Annotated[
        Names | None,
        Flag(
            "Strategies to measure, four of the same in each game; with --study, those that play it.",
            metavar="NAMES",
            default="random play; with --study four archetypes",
            strategies=True,
        ),
    ] = None
    quick: Annotated[bool, Flag("Fewer repeats, and no compiling in an empty cache.")] = False

    @field_validator("strategies")
    @classmethod
    def _some(cls, strategies: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if strategies == ():
            raise UserError("--strategies: none is named")
        return strategies


@dataclass(frozen=True)
class Figures:
    """Figures of the `engine`, of `strategies` or of a `study`, in numbers."""

    what: str
    numbers: dict[str, Any]


class BenchCommand(Command):
    """Measures how fast games are played."""

    Options = BenchOptions

    def make(self, options: BenchOptions, progress: Progress) -> Figures:
        """Measure the engine, strategies or whole studies."""
        if options.study:
            return Figures("study", measure_study(quick=options.quick, strategies=options.strategies))
        if options.strategies:
            return Figures("strategies", measure_strategies(options.strategies))
        return Figures("engine", measure(options.quick))

    def data(self, result: Figures) -> dict[str, Any]:
        """The figures for a script."""
        return result.numbers

    def brief(self, result: Figures, *, full: bool = False) -> Sequence[str | Table]:
        """The figures for people."""
        told = {"engine": engine_in_words, "strategies": strategies_in_words, "study": study_in_words}
        return list(told[result.what](result.numbers))


class Speed(NamedTuple):
    """The cost of a game."""

    seconds: float  # of processor time, for a game of four players
    decisions: float  # of all players, in such a game

    @property
    def games_per_second(self) -> float:
        """Games that one core plays."""
        return 1 / self.seconds


def speed_of(strategy: Strategy, most_games: int = 1000) -> Speed:
    """The best of some runs of about half a second, or of so many games.

    Not by the runner: what it does with the games would be measured too.
    """
    first = _run_games(strategy, FIRST_GAMES)
    games = int(np.clip(RUN_SECONDS / first.seconds, FIRST_GAMES, most_games))
    return min(_run_games(strategy, games) for _ in range(RUNS))


def _set_ups(games: int, players: int) -> Any:
    found = random_set_ups(games, players, load_rules(None).settings)
    found.seed = np.arange(games)
    return found


def _run_games(strategy: Strategy, games: int) -> Speed:
    set_ups, rules = _set_ups(games, 4), load_rules(None)
    began = time.thread_time()
    played, _ = play_set_ups(rules, set_ups, [strategy])
    return Speed((time.thread_time() - began) / games, float(played["step"].mean()))


def random_play(players: int, games: int) -> tuple[float, float]:
    """Processor seconds and decisions per game of random legal play, on one thread, views included."""
    engine, set_ups, records = kernels(), _set_ups(games, players), new_records(games)
    seats = Seats([Player(engine.indifferent_address)], engine.run_address)
    ledgers, tables = new_records(games + 1, LEDGER), rules_array(load_rules(None))
    began = time.process_time()
    engine.play_games(records, ledgers, tables, set_ups, np.zeros(MAX_OPTIONS, np.int16), seats.records)
    return (time.process_time() - began) / games, float(records.step.mean())


def measure_play(players: int, repeats: int) -> dict[str, float]:
    """Games a second, microseconds a game and nanoseconds a decision of compiled random play."""
    random_play(players, AT_ONCE)
    runs = [random_play(players, AT_ONCE) for _ in range(repeats)]
    seconds = min(run[0] for run in runs)
    return {
        "players": players,
        "games_per_second": 1 / seconds,
        "microseconds_per_game": seconds * 1e6,
        "decisions_per_game": runs[0][1],
        "nanoseconds_per_decision": seconds * 1e9 / runs[0][1],
    }


def measure_strategies(specs: Sequence[str]) -> dict[str, Any]:
    """Cost of a game and of a decision of each strategy in all four seats, the best of several runs."""
    speeds = [(spec, speed_of(load(spec))) for spec in specs]
    rows = [
        {
            "strategy": spec,
            "games_per_second": speed.games_per_second,
            "microseconds_per_game": speed.seconds * 1e6,
            "milliseconds_per_decision": speed.seconds * 1e3 / speed.decisions,
        }
        for spec, speed in speeds
    ]
    return {"load_average": os.getloadavg()[0], "cores": os.cpu_count(), "strategies": rows}


def measure_copy_and_view(repeats: int) -> dict[str, float]:
    """Nanoseconds for a copy of a game and for a view, over an array of games."""
    games, seen = new_records(AT_ONCE * 10), new_records(AT_ONCE * 10)
    games.players = 4
    games.agenda_size = 1
    plain, target = games.view(np.uint8), seen.view(np.uint8)
    copies, views = [], []
    for _ in range(repeats):
        began = time.process_time()
        target[:] = plain
        copies.append(time.process_time() - began)
        began = time.process_time()
        kernels().view_all(games, seen)
        views.append(time.process_time() - began)
    return {
        "record_bytes": GAME.itemsize,
        "nanoseconds_per_copy": min(copies) * 1e9 / len(games),
        "nanoseconds_per_view": min(views) * 1e9 / len(games),
    }


def _python(code: str, **environment: str) -> tuple[str, float]:
    """Run code in a fresh Python; returns what it prints, and how many seconds it took by the clock."""
    began, variables = time.perf_counter(), {**os.environ, **environment}
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return result.stdout, time.perf_counter() - began


def measure_start() -> dict[str, float]:
    """Seconds of waiting: to compile the engine in an empty cache, and to start from the compiled cache."""
    load = "from khora_sim.engine.kernels import kernels; kernels().compile_all()"
    with tempfile.TemporaryDirectory() as empty:
        compiling = _python(load, KHORA_CACHE=empty)[1]
        cached = min(_python(load, KHORA_CACHE=empty)[1] for _ in range(3))
    return {"compile_seconds": compiling, "start_from_cache_seconds": cached}


def measure(quick: bool = False) -> dict[str, Any]:
    """All figures of the engine; `quick` leaves out what takes long."""
    rows = []
    for players in PLAYER_COUNTS:
        row = measure_play(players, 2 if quick else BEST_OF)
        call = f"random_play({players}, {2 if quick else 10})"
        code = f"from khora_sim.analyses.bench import random_play; print({call}[0])"
        row["uncompiled_microseconds_per_game"] = float(_python(code, NUMBA_DISABLE_JIT="1")[0]) * 1e6
        row["times_as_fast"] = row["uncompiled_microseconds_per_game"] / row["microseconds_per_game"]
        rows.append(row)
    return {
        "load_average": os.getloadavg()[0],
        "cores": os.cpu_count(),
        "random_play": rows,
        **measure_copy_and_view(BEST_OF * 4),
        **({} if quick else measure_start()),
    }


def measure_study(*, quick: bool = False, strategies: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Speed with 1 and 2 workers, share of writing, memory, and a small study from start to finish."""
    strategies = strategies or _archetypes()
    many, some, repeats = (200_000, 40_000, 1) if quick else (1_000_000, 100_000, BEST_OF_STUDIES)
    with tempfile.TemporaryDirectory(prefix="khora-bench-") as folder:

        def run(games: int, workers: int, repeat: int = 0) -> dict[str, Any]:
            return _run_study(Path(folder) / f"{games}-{workers}-{repeat}", games, workers, strategies)

        _run_study(Path(folder) / "warm", 400, 2, strategies)
        small = run(10_000, 2)
        pairs = [(run(some, 1, repeat), run(some, 2, repeat)) for repeat in range(repeats)]
        one, two = (min(rows, key=lambda row: row["seconds"]) for rows in zip(*pairs, strict=True))
        large = run(many, 2)
    return {
        "strategies": list(strategies),
        "players": 4,
        "small": small,
        "one_worker": one,
        "two_workers": two,
        "large": large,
        "times_as_fast_with_two": two["games_per_second"] / one["games_per_second"],
        "writing_share": _writing_share(strategies),
    }


def _archetypes() -> tuple[str, ...]:
    """Four strategies that play to win, as a real study has; without any, the ones that are there."""
    from khora_sim.strategy.declarations import declaration
    from khora_sim.strategy.finding import built_in

    found = sorted(built_in().items())
    names = [name for name, path in found if declaration(name, path).family == "archetype"]
    return tuple(names[:4]) if len(names) >= 4 else FALLBACK


def _run_study(folder: Path, games: int, workers: int, strategies: tuple[str, ...]) -> dict[str, Any]:
    """Run `khora simulate` and tell its time, size and peak memory."""
    command = [sys.executable, "-m", "khora_sim.cli.main", "simulate", "--json", "--seed", "1"]
    command += ["--games", str(games), "--workers", str(workers), "--strategies", ",".join(strategies)]
    began = time.perf_counter()
    done = subprocess.run([*command, "--out", str(folder)], stdout=subprocess.PIPE, text=True, check=True)
    measured = json.loads(done.stdout)
    return {
        "games": measured["games"],
        "workers": workers,
        "seconds": measured["seconds"],
        "start_to_finish_seconds": time.perf_counter() - began,
        "games_per_second": measured["games"] / measured["seconds"],
        "bytes": measured["bytes"],
        "peak_megabytes": measured["peak_megabytes"],
    }


def _writing_share(strategies: tuple[str, ...]) -> float:
    """The share of the work of a chunk that is anything but playing, in time of the processor."""
    arm = plan_study(study_of({"games": 1_000_000, "seed": 1, "strategies": strategies}))
    games = set_ups(arm, *place_of(arm, 0))
    blocks = [games[at : at + BLOCK].view(np.recarray) for at in range(0, len(games), BLOCK)]
    play_set_ups(arm.rules, blocks[0], arm.strategies)
    began = time.process_time()
    for block in blocks:
        play_set_ups(arm.rules, block, arm.strategies)
    played = time.process_time()
    aside = tempfile.TemporaryDirectory(prefix="khora-bench-")
    with aside as folder, claimed(arm, Path(folder), False) as claim:
        began_again = time.process_time()
        claim.keep(play_chunk(arm, ChunkId(0, 0), ChunkContents(tables=True)))
        whole = time.process_time() - began_again
    return max(1 - (played - began) / whole, 0.0)


#: Columns of the printed tables: a title, and the format of a figure.
ENGINE_COLUMNS = {
    "players": "{players}",
    "games/s": "{games_per_second:,.0f}",
    "µs/game": "{microseconds_per_game:.1f}",
    "decisions/game": "{decisions_per_game:.0f}",
    "ns/decision": "{nanoseconds_per_decision:.0f}",
    "uncompiled µs/game": "{uncompiled_microseconds_per_game:,.0f}",
    "times as fast": "{times_as_fast:,.0f}",
}
STRATEGY_COLUMNS = {
    "strategy": "{strategy}",
    "µs/game": "{microseconds_per_game:,.1f}",
    "games/s": "{games_per_second:,.0f}",
    "ms/decision": "{milliseconds_per_decision:.4f}",
}


def _table(columns: dict[str, str], rows: list[dict[str, Any]]) -> Table:
    cells = [tuple(form.format(**row) for form in columns.values()) for row in rows]
    return grid(tuple(columns), cells, right=[name for name in columns if name != "strategy"])


def engine_in_words(figures: dict[str, Any]) -> Iterator[str | Table]:
    """Random play, a copy, a view, and compiling."""
    yield "Random legal play, processor time of one thread, views and ledger included, the best run:"
    yield _table(ENGINE_COLUMNS, figures["random_play"])
    yield (
        f"A game is {figures['record_bytes']} bytes; a copy takes {figures['nanoseconds_per_copy']:.0f} ns, "
        f"a view {figures['nanoseconds_per_view']:.0f} ns."
    )
    if "compile_seconds" in figures:
        yield (
            f"Compiling the engine, once: {figures['compile_seconds']:.0f} s; "
            f"starting from the compiled cache: {figures['start_from_cache_seconds']:.1f} s."
        )
    yield _load(figures)


def strategies_in_words(figures: dict[str, Any]) -> Iterator[str | Table]:
    """A row for each strategy."""
    yield "Four of the same at a table, processor time of one thread, the best run:"
    yield _table(STRATEGY_COLUMNS, figures["strategies"])
    yield _load(figures)


def _load(figures: dict[str, Any]) -> str:
    return f"Load of the machine: {figures['load_average']:.1f} on {figures['cores']} cores."


def study_in_words(figures: dict[str, Any]) -> Iterator[str]:
    """A line for each study."""
    yield f"Four players ({', '.join(figures['strategies'])}), games and players written:"
    for name in ("small", "one_worker", "two_workers", "large"):
        row = figures[name]
        yield (
            f"  {row['games']:>9,} games, workers {row['workers']}: {duration(row['seconds'])}, "
            f"{row['games_per_second']:,.0f} games/s, {size(row['bytes'])}, "
            f"peak {row['peak_megabytes']:.0f} MB; "
            f"{duration(row['start_to_finish_seconds'])} from start to finish"
        )
    yield f"Two workers are {figures['times_as_fast_with_two']:.2f} times as fast as one."
    yield f"Anything but playing is {figures['writing_share']:.0%} of the work."


COMMAND = BenchCommand()
