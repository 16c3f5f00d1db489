"""The two source trees of `compare_speed`, another commit and this one, and processes run in them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("speed_driver.py")
SEED = 1


class RunError(Exception):
    """Something that was run in one of the trees, or git, failed."""


@dataclass(frozen=True)
class Tree:
    """One of the two source trees, with a folder of its own for caches and studies."""

    name: str
    sources: Path
    folder: Path

    def environment(self, cache: str = "cache") -> dict[str, str]:
        """What its processes see: the environment of this one, its sources and its cache."""
        own = {"PYTHONPATH": str(self.sources), "KHORA_CACHE": str(self.folder / cache)}
        return {key: value for key, value in os.environ.items() if key != "NUMBA_DISABLE_JIT"} | own


Pair = tuple[Tree, Tree]  # REF, this tree


@dataclass(frozen=True)
class Times:
    """What a process took, with all its children."""

    wall: float
    processor: float


def git(*words: str) -> str:
    """What a git command prints."""
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
    if done.returncode:
        raise RunError(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def commit_of(ref: str) -> str:
    """The commit that a name means."""
    try:
        return git("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")
    except RunError:
        raise RunError(f"no commit is called {ref!r} here; git log --oneline lists them") from None


@contextmanager
def both_trees(commit: str) -> Iterator[Pair]:
    """REF in a worktree of its own, and this tree; what was made for them is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="khora-compare-") as name:
        folder = Path(name)
        checkout = folder / "sources"
        try:
            git("worktree", "add", "--detach", str(checkout), commit)
            trees = (Tree("REF", checkout, folder / "ref"), Tree("this tree", ROOT, folder / "this"))
            for tree in trees:
                tree.folder.mkdir()
                # Otherwise only REF, freshly checked out, would compile Python's bytecode in what is timed.
                python(tree, "-m", "compileall", "-q", str(tree.sources / "khora_sim"))
            yield trees
        finally:
            with suppress(RunError):  # stopped before git had made it
                git("worktree", "remove", "--force", str(checkout))


def python(tree: Tree, *words: str, cache: str = "cache") -> Times:
    """Run Python in a tree to its end; `-P` keeps the folder it is run in out of its imports."""
    log = tree.folder / "log"
    with log.open("wb") as written:
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-P", *words],
            cwd=tree.folder,
            env=tree.environment(cache),
            stdout=written,
            stderr=written,
            start_new_session=True,
        )
        try:
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            end(process)
            raise
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RunError(f"{tree.name}: {' '.join(words)} failed:\n{log.read_text(errors='replace')}")
    return Times(time.perf_counter() - began, used.ru_utime + used.ru_stime)


def end(process: subprocess.Popen) -> None:
    """End a process and its children; they have a session of their own, which Ctrl-C does not reach."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def khora(tree: Tree, *words: str) -> Times:
    """Run a `khora` command in a tree."""
    if words[0] == "simulate":
        shutil.rmtree(tree.folder / "study", ignore_errors=True)
        words = (*words, "--seed", str(SEED), "--out", "study")
    return python(tree, "-m", "khora_sim", *words)


@contextmanager
def driver(tree: Tree) -> Iterator[subprocess.Popen]:
    """A process in a tree that answers requests, until the end of the block."""
    words = [sys.executable, "-P", str(DRIVER), "answer"]
    with subprocess.Popen(
        words,
        cwd=tree.folder,
        env=tree.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        except BaseException:
            end(process)
            raise


def ask(process: subprocess.Popen, **request: Any) -> dict[str, Any]:
    """Let a driver play a slice, or call an analysis."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())
    except (BrokenPipeError, ValueError):
        raise RunError(
            "a tree could not play; if its API differs, speed_driver.adapter or .analyse needs a branch"
        ) from None
