"""`make faults`: plant faults one at a time, and count those that a test catches.

    python -m tests.checks.faults [--tree DIR] [--only NAMES] [--area NAMES] [--jobs N] [--resume FILE]

`fault_list.py` has the faults. Each is planted in a copy of the tree. Then the tests of its area run until
one fails. That test counts only if it passes without the fault. A fault is not caught if its text is not
there, if it breaks the collection of tests, or if it takes longer than the limit. The exit code is 1 if fewer
than 90% are caught.
"""

import argparse
import ast
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from tests.checks.fault_list import AREAS, COMPILED, FAULTS, UNCOMPILED, Fault

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "khora_sim"
SEARCHED = (".py", ".toml")
NOT_COPIED = (".git", ".venv*", ".*_cache", ".hypothesis", "__pycache__", "build", "dist", "studies")
ENOUGH = 0.9
LIMIT = 300  # seconds for one fault
CAUGHT, SURVIVED, TIMED_OUT, NOT_FOUND, ERROR = RESULTS = (
    "caught",
    "survived",
    "timed out",
    "not found",
    "error",
)
REPORTED = re.compile(r"^(FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


class PlantingError(Exception):
    """A fault cannot be planted in this tree."""


@dataclass(frozen=True)
class Planted:
    """A source file with a fault in it."""

    path: Path  # inside the tree
    text: str


class Run(NamedTuple):
    """The result of a run of pytest: SURVIVED where all tests pass, CAUGHT where one fails."""

    result: str
    what: str = ""  # the test that failed, or what went wrong


class Stage(NamedTuple):
    """Some tests of an area."""

    files: list[Path]
    mark: str
    uncompiled: bool  # run as plain Python


@dataclass(frozen=True)
class Outcome:
    """The result of one fault."""

    name: str
    area: str
    result: str  # one of RESULTS
    by: str  # the test that caught it, or why there is none
    seconds: float
    key: str = ""  # a digest of the fault and of the tree

    @property
    def line(self) -> str:
        """The outcome for people."""
        if self.result == CAUGHT:
            return f"{self.name}: caught by {self.by} in {self.seconds:.0f} s"
        if self.result == SURVIVED:
            return f"{self.name}: SURVIVED the tests of {self.area} ({self.seconds:.0f} s)"
        return f"{self.name}: {self.result}{': ' * bool(self.by)}{self.by}"


def sources(tree: Path) -> dict[Path, str]:
    """The text of every source file of the package, by its path inside the tree."""
    files = (path for path in sorted((tree / PACKAGE).rglob("*")) if path.suffix in SEARCHED)
    return {path.relative_to(tree): path.read_text(encoding="utf-8") for path in files if path.is_file()}


def planted(fault: Fault, texts: dict[Path, str]) -> Planted:
    """The file that a fault changes; its snippet must occur exactly once in all sources."""
    found = []
    for snippet, replacement in fault.edits:
        where = [path for path, text in texts.items() for _ in range(text.count(snippet))]
        found.append(len(where))
        if len(where) == 1:
            return Planted(where[0], texts[where[0]].replace(snippet, replacement))
    times = ", ".join(map(str, found))
    raise PlantingError(f"its text occurs {times} times in {PACKAGE}; it should occur once")


def changes_nothing(before: str, after: Planted) -> bool:
    """Whether a planted file is the same program as before; raises SyntaxError where it is none."""
    if after.path.suffix != ".py":
        return before == after.text
    return ast.dump(ast.parse(before)) == ast.dump(ast.parse(after.text))


def test_files(tree: Path, area: str) -> list[Path]:
    """The test files of an area, by their paths inside the tree."""
    folders = [tree / "tests" / name for name in AREAS[area]]
    return [path.relative_to(tree) for folder in folders for path in sorted(folder.rglob("test_*.py"))]


def likely_first(files: Sequence[Path], globs: str) -> tuple[list[Path], list[Path]]:
    """The test files that match one of the globs, and the others."""
    likely = [path for glob in globs.split() for path in files if path.match(f"{glob}.py")]
    return list(dict.fromkeys(likely)), [path for path in files if path not in likely]


class Workshop:
    """A copy of a tree, in which one fault at a time is planted and tested."""

    def __init__(self, tree: Path, folder: Path, cache: Path):
        self.tree, self.folder, self.cache = folder / "tree", folder, cache
        shutil.copytree(tree, self.tree, ignore=shutil.ignore_patterns(*NOT_COPIED))
        self.texts = sources(self.tree)
        self.count = 0
        self.sound: dict[tuple[str, bool], bool] = {}  # whether a test passes without a fault

    def check_import(self) -> None:
        """Refuse to go on where Python would import another tree."""
        code = f"import {PACKAGE}; print({PACKAGE}.__file__)"
        words = [sys.executable, "-c", code]
        done = subprocess.run(
            words, cwd=self.folder, env=self._environment(), capture_output=True, text=True, check=True
        )
        if not Path(done.stdout.strip()).is_relative_to(self.tree):
            raise SystemExit(f"error: Python imports {done.stdout.strip()}, not the copy in {self.tree}")

    def _environment(self, cache: Path | None = None, *, uncompiled: bool = False) -> dict[str, str]:
        """The environment of the tests: the copy's sources, and a cache of its own for machine code."""
        left_out = ("NUMBA_DISABLE_JIT", "PYTEST_ADDOPTS")
        kept = {key: value for key, value in os.environ.items() if key not in left_out}
        own = {"PYTHONPATH": str(self.tree), "KHORA_CACHE": str(cache or self.cache), "COLUMNS": "400"}
        return kept | own | ({"NUMBA_DISABLE_JIT": "1"} if uncompiled else {})

    @contextmanager
    def _with(self, fault: Planted) -> Iterator[None]:
        """The tree with a fault in it.

        Python takes a file of the same size and second for the same file. So every fault has a second of its
        own.
        """
        path = self.tree / fault.path
        stamp = path.stat().st_mtime
        self.count += 1
        path.write_text(fault.text, encoding="utf-8")
        os.utime(path, (stamp + self.count, stamp + self.count))
        try:
            yield
        finally:
            path.write_text(self.texts[fault.path], encoding="utf-8")
            os.utime(path, (stamp, stamp))

    def try_out(self, fault: Fault, limit: float) -> Outcome:
        """Plant a fault, and run the tests of its area until one fails."""
        began = time.monotonic()

        def outcome(result: str, by: str = "") -> Outcome:
            return Outcome(fault.name, fault.area, result, by, round(time.monotonic() - began, 1))

        try:
            found = planted(fault, self.texts)
            if changes_nothing(self.texts[found.path], found):
                return outcome(ERROR, "it changes nothing")
        except PlantingError as problem:
            return outcome(NOT_FOUND, str(problem))
        except SyntaxError as problem:
            return outcome(ERROR, f"what it makes is not Python: {problem.msg}")
        stages = [stage for stage in self._stages(fault) if stage.files]
        if not stages:
            return outcome(ERROR, f"no tests in {' or '.join(AREAS[fault.area])}")
        left_out: list[str] = []  # tests that fail without the fault, too
        with self._own_cache(fault) as cache:
            while stages:
                left = limit - (time.monotonic() - began)
                with self._with(found):
                    run = self._pytest(stages[0], left_out, cache, left)
                if run.result == SURVIVED:
                    del stages[0]
                elif run.result != CAUGHT:
                    return outcome(*run)
                elif self._passes(run.what, stages[0].uncompiled):
                    return outcome(CAUGHT, run.what + " (uncompiled)" * stages[0].uncompiled)
                elif run.what in left_out:
                    return outcome(ERROR, f"{run.what} fails without the fault and cannot be left out")
                else:
                    left_out.append(run.what)
        return outcome(SURVIVED, f"without {', '.join(left_out)}" if left_out else "")

    @contextmanager
    def _own_cache(self, fault: Fault) -> Iterator[Path]:
        """The cache for a fault: a copy where sources are compiled, so that nothing of the fault is left."""
        if fault.area not in COMPILED:
            yield self.cache
            return
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            yield Path(shutil.copytree(self.cache, Path(folder) / "cache"))

    def _stages(self, fault: Fault) -> Iterator[Stage]:
        """The tests in the order in which they run: quick and likely ones first."""
        likely, others = likely_first(test_files(self.tree, fault.area), fault.first)
        if fault.area in UNCOMPILED:
            yield Stage(likely, "scenario", True)
            yield Stage(others, "scenario", True)
        yield Stage(likely, "not slow", False)
        yield Stage(others, "not slow", False)
        yield Stage([*likely, *others], "slow", False)

    def _passes(self, test: str, uncompiled: bool) -> bool:
        """Whether a test passes without a fault."""
        if (test, uncompiled) not in self.sound:
            run = self._pytest(Stage([Path(test)], "", uncompiled), [], self.cache, LIMIT)
            self.sound[test, uncompiled] = run.result == SURVIVED
        return self.sound[test, uncompiled]

    def _pytest(self, stage: Stage, left_out: Sequence[str], cache: Path, seconds: float) -> Run:
        """Run tests until one fails."""
        words = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider"]
        words += ["--hypothesis-seed=0", "--basetemp", str(self.folder / "tmp")]
        words += [*(["-m", stage.mark] if stage.mark else []), *(f"--deselect={one}" for one in left_out)]
        words += map(str, stage.files)
        process = subprocess.Popen(
            words,
            cwd=self.tree,
            env=self._environment(cache, uncompiled=stage.uncompiled),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            printed, _ = process.communicate(timeout=max(seconds, 1))
        except subprocess.TimeoutExpired:
            return Run(TIMED_OUT)
        finally:
            _end(process)
        return verdict_of(process.returncode, printed)


def verdict_of(code: int, printed: str) -> Run:
    """The result of a run by its exit code and what it printed."""
    if code in (0, 5):  # 5: no test has the mark
        return Run(SURVIVED)
    reported = REPORTED.findall(printed)
    broken = [what for kind, what in reported if kind == "ERROR" and "::" not in what]
    if broken:
        return Run(ERROR, f"{broken[0]} cannot be collected")
    if code == 1 and reported:
        return Run(CAUGHT, reported[0][1])
    last = printed.strip().splitlines()[-1:] or [""]
    return Run(ERROR, f"pytest ended with {code}: {last[0][:200]}")


def _end(process: subprocess.Popen) -> None:
    """End a process and the children that it left."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def digest_of(tree: Path) -> str:
    """A short hash of the sources and the tests of a tree."""
    digest = hashlib.sha256()
    for folder in (PACKAGE, "tests", "strategies"):
        for path in sorted((tree / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and "checks" not in path.parts:
                digest.update(path.relative_to(tree).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def key_of(fault: Fault, tree: str) -> str:
    """A short hash of a fault in a tree: its outcome holds for nothing else."""
    return hashlib.sha256(repr((tree, fault.edits, fault.area)).encode()).hexdigest()[:16]


def kept(log: Path | None) -> dict[str, Outcome]:
    """The outcomes of a log, by their keys; a line that was cut off is left out."""
    found: dict[str, Outcome] = {}
    if log is not None and log.exists():
        for line in log.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError, TypeError):
                one = Outcome(**json.loads(line))
                found[one.key] = one
    return found


def run_all(tree: Path, faults: Sequence[Fault], jobs: int, log: Path | None, limit: float) -> list[Outcome]:
    """Try out all faults, but for those that a log has; print each outcome as it comes."""
    digest = digest_of(tree)
    keys = {fault.name: key_of(fault, digest) for fault in faults}
    known, writing = kept(log), threading.Lock()
    with tempfile.TemporaryDirectory(prefix="khora-faults-") as name:
        folder = Path(name)
        cache = folder / "cache"
        cache.mkdir()
        free: SimpleQueue[Workshop] = SimpleQueue()
        todo = [fault for fault in faults if keys[fault.name] not in known]
        for number in range(min(jobs, len(todo))):
            place = folder / str(number)
            place.mkdir()
            workshop = Workshop(tree, place, cache)
            workshop.check_import()
            free.put(workshop)

        def try_one(fault: Fault) -> Outcome:
            if keys[fault.name] in known:
                return known[keys[fault.name]]
            workshop = free.get()
            try:
                found = workshop.try_out(fault, limit)
            finally:
                free.put(workshop)
            found = Outcome(**{**asdict(found), "key": keys[fault.name]})
            with writing:
                print(found.line, flush=True)
                if log is not None:
                    with log.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(found), ensure_ascii=False) + "\n")
            return found

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(try_one, faults))


def summary(outcomes: Sequence[Outcome]) -> str:
    """How many faults were caught, by area, and the names of all others."""
    areas = [area for area in AREAS if any(one.area == area for one in outcomes)]
    rows = [("area", "faults", *RESULTS)]
    for area in [*areas, "all"]:
        own = [one.result for one in outcomes if area in (one.area, "all")]
        rows.append((area, str(len(own)), *(str(own.count(result)) for result in RESULTS)))
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    for result in RESULTS[1:]:
        names = [one.name for one in outcomes if one.result == result]
        lines += [f"{result}: {', '.join(names)}"] if names else []
    return "\n".join([*lines, f"{100 * caught_share(outcomes):.1f}% caught"])


def caught_share(outcomes: Sequence[Outcome]) -> float:
    """The share of all faults that a test caught."""
    return sum(one.result == CAUGHT for one in outcomes) / max(len(outcomes), 1)


def chosen(only: str | None, area: str | None, faults: Sequence[Fault] = FAULTS) -> list[Fault]:
    """The faults that were asked for."""
    names, areas = ([one for one in (text or "").split(",") if one] for text in (only, area))
    for asked, known in ((names, [fault.name for fault in faults]), (areas, list(AREAS))):
        for one in asked:
            if one not in known:
                raise SystemExit(f'error: nothing is called "{one}"; choose from: {", ".join(known)}')
    return [
        fault for fault in faults if (not names or fault.name in names) and (not areas or fault.area in areas)
    ]


def main(words: Sequence[str] | None = None) -> int:
    """Try the faults out, and print how many are caught."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--tree", type=Path, default=ROOT, metavar="DIR", help="the tree to test; this one")
    options.add_argument("--only", metavar="NAMES", help="only these faults, with commas between them")
    options.add_argument("--area", metavar="NAMES", help=f"only these areas: {', '.join(AREAS)}")
    options.add_argument("--jobs", type=int, default=1, metavar="N", help="faults tried at the same time; 1")
    options.add_argument("--limit", type=float, default=LIMIT, metavar="S", help=f"seconds a fault; {LIMIT}")
    options.add_argument("--resume", type=Path, metavar="FILE", help="a log that is kept and continued")
    given = options.parse_args(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the copies are removed
    faults = chosen(given.only, given.area)
    outcomes = run_all(given.tree.resolve(), faults, max(given.jobs, 1), given.resume, given.limit)
    print(f"\n{summary(outcomes)}")
    return 0 if caught_share(outcomes) >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
