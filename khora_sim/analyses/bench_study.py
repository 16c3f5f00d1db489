"""How fast whole studies are, written to disk, each measured in a process of its own."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from khora_sim.simulation.chunk import BLOCK, ChunkContents, place_of, play_chunk
from khora_sim.simulation.column_buffers import Sheets
from khora_sim.simulation.dataset import claimed
from khora_sim.simulation.experiment import Place, plan_study
from khora_sim.simulation.seating import set_ups
from khora_sim.simulation.study_file import study_of
from khora_sim.simulation.study_words import duration, size
from khora_sim.strategy.games import play_set_ups

BEST_OF = 3  # of the runs with 1 and 2 workers, turn about: the others were disturbed
FALLBACK = ("random", "first-legal", "idle", "random")


def measure_study(*, quick: bool = False, strategies: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Speed with 1 and 2 workers, share of writing, memory, and a small study from start to finish."""
    strategies = strategies or _archetypes()
    many, some, repeats = (200_000, 40_000, 1) if quick else (1_000_000, 100_000, BEST_OF)
    with tempfile.TemporaryDirectory(prefix="khora-bench-") as folder:

        def run(games: int, workers: int, repeat: int = 0) -> dict[str, Any]:
            return _run(Path(folder) / f"{games}-{workers}-{repeat}", games, workers, strategies)

        _run(Path(folder) / "warm", 400, 2, strategies)
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


def _run(folder: Path, games: int, workers: int, strategies: tuple[str, ...]) -> dict[str, Any]:
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
    """How much of the work of a chunk is anything but playing, in time of the processor."""
    arm = plan_study(study_of({"games": 1_000_000, "seed": 1, "strategies": strategies}))
    section, first, groups = place_of(arm, 0)
    sheets = Sheets(arm, section, set_ups(arm, section, first, groups), 0)
    blocks = [
        sheets.set_ups[at : at + BLOCK].view(np.recarray) for at in range(0, len(sheets.set_ups), BLOCK)
    ]
    play_set_ups(arm.rules, blocks[0], arm.strategies)
    began = time.process_time()
    for block in blocks:
        play_set_ups(arm.rules, block, arm.strategies)
    played = time.process_time()
    with (
        tempfile.TemporaryDirectory(prefix="khora-bench-") as folder,
        claimed(arm, Path(folder), False) as claim,
    ):
        began_again = time.process_time()
        claim.keep(play_chunk(arm, Place(0, 0), ChunkContents(tables=True)))
        whole = time.process_time() - began_again
    return max(1 - (played - began) / whole, 0.0)


def print_study(figures: dict[str, Any]) -> None:
    """The figures for people."""
    print(f"Four players ({', '.join(figures['strategies'])}), games and players written:")
    for name in ("small", "one_worker", "two_workers", "large"):
        row = figures[name]
        print(
            f"  {row['games']:>9,} games, workers {row['workers']}: {duration(row['seconds'])}, "
            f"{row['games_per_second']:,.0f} games/s, {size(row['bytes'])}, "
            f"peak {row['peak_megabytes']:.0f} MB; "
            f"{duration(row['start_to_finish_seconds'])} from start to finish"
        )
    print(f"Two workers are {figures['times_as_fast_with_two']:.2f} times as fast as one.")
    print(f"Anything but playing is {figures['writing_share']:.0%} of the work.")
