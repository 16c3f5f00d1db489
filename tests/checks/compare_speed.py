"""`make compare-speed REF=<commit>`: how fast this tree is against another commit.

    python -m tests.checks.compare_speed REF [--quick] [--rounds N] [--games N] [--json FILE]

REF is checked out into a temporary folder. Both trees run with this Python and its packages, each from its
own sources and its own, at first empty, cache of compiled code. They take turns, so that whatever else the
machine does disturbs both alike. Play is measured in processes that start from a full cache: one that has
just compiled is up to a tenth slower, and where its code lies in memory makes a process up to a twentieth
faster or slower for as long as it lives, so that both trees start new ones again and again. A hash tells
whether both trees played the same games. Needs Linux or macOS (`os.wait4`).
"""

import argparse
import json
import os
import platform
import signal
import sys
import tomllib
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from subprocess import Popen
from typing import Any

from tests.checks.speed_driver import ANALYSES, PLAYS, study_hash
from tests.checks.speed_table import Row, as_data, print_rows
from tests.checks.speed_trees import (
    DRIVER,
    SEED,
    Pair,
    RunError,
    Times,
    ask,
    both_trees,
    commit_of,
    driver,
    git,
    khora,
    python,
)

STUDIES = {"random": "random", "archetypes": "conqueror,merchant,patron,philosopher"}
SLICES = 3  # of each kind of play in one process
FIRST_GAMES = ("simulate", "--games", "8", "--strategies", "steward", "--quiet")


#: Requests to a driver: one for each kind of play and each analysis.
REQUESTS: dict[str, dict[str, Any]] = {
    kind: {"strategies": strategies, "games": games, "seed": SEED}
    for kind, (strategies, games) in PLAYS.items()
} | {analysis: {"analysis": analysis} for analysis in ANALYSES}


def measure_in_process(trees: Pair, rounds: int) -> list[Row]:
    """Processor time of each kind of play and of analyses, slices of both trees in turn."""
    for tree in trees:  # fills the cache in a process that is not measured
        with driver(tree) as process:
            for request in REQUESTS.values():
                ask(process, **request | ({"games": 8} if "games" in request else {}))
    rows = {
        work: Row(work, "µs a game, processor" if work in PLAYS else "s, processor", hashes=(set(), set()))
        for work in REQUESTS
    }
    for done in range(0, rounds, SLICES):
        with ExitStack() as stack:
            processes = [stack.enter_context(driver(tree)) for tree in trees]
            _measure_slices(processes, rows, min(SLICES, rounds - done))
    return list(rows.values())


def _measure_slices(processes: Sequence[Popen], rows: dict[str, Row], slices: int) -> None:
    """Add some slices of every request to the rows, a process for each tree."""
    for process in processes:
        for request in REQUESTS.values():
            ask(process, **request)  # not measured: modules load, a plain player fills its caches
    for _ in range(slices):
        for work, request in REQUESTS.items():
            row = rows[work]
            assert row.hashes is not None
            for process, times, hashes in zip(processes, (row.ref, row.this), row.hashes, strict=True):
                done = ask(process, **request)
                times.append(done["seconds"] * (1e6 / done["games"] if "games" in done else 1))
                hashes.add(done["hash"])


def rows_of(work: str, pairs: Sequence[Sequence[Times]]) -> list[Row]:
    """The two rows of whole processes: processor and wall seconds."""
    ref, this = zip(*pairs, strict=True)
    return [
        Row(work, "s, processor", [one.processor for one in ref], [one.processor for one in this]),
        Row(work, "s, wall", [one.wall for one in ref], [one.wall for one in this]),
    ]


def measure_cold(trees: Pair, quick: bool) -> list[Row]:
    """From an empty cache to the first games, and engine and evaluator alone; one run each."""
    rows = rows_of("first steward games, empty cache", [[khora(tree, *FIRST_GAMES) for tree in trees]])
    if not quick:
        compiling = [python(tree, str(DRIVER), "compile", cache="compile-only") for tree in trees]
        rows += rows_of("compile engine and evaluator", [compiling])
    return rows


def measure_study(trees: Pair, who: str, games: int, repeats: int) -> list[Row]:
    """A study into Parquet on two workers: of random players it is mostly the work beside playing."""
    words = ("simulate", "--strategies", STUDIES[who], "--workers", "2", "--quiet", "--games")
    hashes: tuple[set[str], set[str]] = (set(), set())
    for tree in trees:
        khora(tree, *words, "8")
    pairs = []
    for _ in range(repeats):
        pair = []
        for tree, seen in zip(trees, hashes, strict=True):
            pair.append(khora(tree, *words, str(games)))
            seen.add(study_hash(tree.folder / "study"))
        pairs.append(pair)
    rows = rows_of(f"study of {who}, {games:,} games", pairs)
    for row in rows:
        row.hashes = hashes
    return rows


def measure_start(trees: Pair, repeats: int) -> list[Row]:
    """The first games from a full cache, and `khora --help`."""
    rows = []
    for work, words in (("first steward games, full cache", FIRST_GAMES), ("khora --help", ("--help",))):
        rows += rows_of(work, [[khora(tree, *words) for tree in trees] for _ in range(repeats)])
    return rows


def measure(trees: Pair, rounds: int, games: int, quick: bool) -> list[Row]:
    """All works, the cold ones first: they fill the caches of the others."""
    print("empty cache ...", file=sys.stderr, flush=True)
    cold = measure_cold(trees, quick)
    print("play and analyses ...", file=sys.stderr, flush=True)
    in_process = measure_in_process(trees, rounds)
    print("study ...", file=sys.stderr, flush=True)
    studies = [row for who in STUDIES for row in measure_study(trees, who, games, 2 if quick else 5)]
    print("start ...", file=sys.stderr, flush=True)
    return in_process + studies + cold + measure_start(trees, 2 if quick else 12)


def machine() -> dict[str, Any]:
    """The machine and what runs on it, without its name."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numba": version("numba"),
        "llvmlite": version("llvmlite"),
        "numpy": version("numpy"),
    }


def load_line(when: str) -> str:
    """The load of the machine over the last 1, 5 and 15 minutes."""
    return f"load {when}: " + ", ".join(f"{load:.2f}" for load in os.getloadavg())


def dependencies(sources: Path) -> list[str]:
    """The packages that a tree asks for."""
    return tomllib.loads((sources / "pyproject.toml").read_text())["project"]["dependencies"]


def compared(given: argparse.Namespace) -> dict[str, Any]:
    """Measure both trees, print the table, and give all of it for a script."""
    commit = commit_of(given.ref)
    changes = " with uncommitted changes" if git("status", "--porcelain") else ""
    names = {"ref": f"{given.ref} ({commit[:10]})", "this": git("rev-parse", "HEAD")[:10] + changes}
    about = machine()
    print(f"REF: {names['ref']}; this tree: {names['this']}")
    print("Both run with this Python and its packages, each from its own sources and its own cache.")
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    before = load_line("before")
    print(before, flush=True)
    with both_trees(commit) as trees:
        if dependencies(trees[0].sources) != dependencies(trees[1].sources):
            print(
                "The dependencies in pyproject.toml differ; both trees run with the packages installed here."
            )
        rows = measure(trees, given.rounds or (4 if given.quick else 12), given.games, given.quick)
    after = load_line("after")
    print_rows(rows)
    print(after)
    return {**names, "machine": about, "load": [before, after], "rows": [as_data(row) for row in rows]}


def main(words: Sequence[str] | None = None) -> int:
    """Compare, print, and leave nothing behind, even when stopped."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("ref", metavar="REF", help="the commit to compare with: a hash, a branch, HEAD~1")
    options.add_argument("--rounds", type=int, help="slices of play of each tree (12; with --quick 4)")
    options.add_argument("--games", type=int, help="games of a study (200000; with --quick 20000)")
    options.add_argument("--quick", action="store_true", help="fewer runs; no separate compile of the engine")
    options.add_argument("--json", type=Path, metavar="FILE", help="write all runs to a file for a script")
    given = options.parse_args(words)
    given.games = given.games or (20_000 if given.quick else 200_000)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the worktree is removed
    try:
        found = compared(given)
    except RunError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the worktree of REF is removed", file=sys.stderr)
        return 130
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
