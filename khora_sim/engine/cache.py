"""The cache of machine code: a folder for each version of the sources, made once and then loaded.

Numba's own cache looks at one file at a time and would keep a rule that changed in another file; so a folder
carries a digest of all the sources that are compiled together, and of what compiles them. Machine code that
came with the package is used where the folder has none. Processes that want the same code at the same time
take turns: the second one finds it made.
"""

import gc
import hashlib
import os
import platform
import shutil
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core.caching import _CacheLocator

from khora_sim.engine import codegen
from khora_sim.errors import UserError

PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED = PACKAGE / "machine_code"  # in a wheel that brings machine code along
LOCK = "lock"
MADE_BY = "made_by.txt"  # beside it: what it was made by
# Machine code is made for one processor for all machines of a kind, so that it can be shipped. x86-64-v3 is
# what nearly every x86 processor since 2015 can do. It is faster here than all that newer ones can do: their
# wide gathers are slow for tables as small as ours. Other processors are taken as they are.
X86_64_V3 = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")


def _choose_target() -> str:
    """Tell Numba the processor, unless the user did; Numba reads its environment again for every function."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return f"{platform.machine()}, as it is"
    if "NUMBA_CPU_NAME" not in os.environ:
        has = llvm.get_host_cpu_features()
        fits = all(has.get(feature) for feature in X86_64_V3)
        os.environ["NUMBA_CPU_NAME"] = "x86-64-v3" if fits else "x86-64"
        os.environ["NUMBA_CPU_FEATURES"] = ",".join(f"+{one}" for one in X86_64_V3) if fits else "+sse2"
        numba.config.reload_config()
    return os.environ["NUMBA_CPU_NAME"]


TARGET = _choose_target()


def processors() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_quiet = False
_printed: set[str] = set()
_one_at_a_time = threading.RLock()
_here = Path()  # the folder that Numba is sent to


def keep_quiet(quiet: bool) -> None:
    """Say nothing about waiting from now on, as a command was asked with `--quiet`."""
    global _quiet
    _quiet = quiet


def is_quiet() -> bool:
    """Tell if nothing is said about waiting."""
    return _quiet


def say(line: str) -> None:
    """Tell whoever waits, on stderr, so that what a command prints stays clean."""
    if not _quiet:
        print(line, file=sys.stderr, flush=True)


def _say_once(line: str) -> None:
    if line not in _printed:
        _printed.add(line)
        say(line)


def made_by(way: str = "") -> str:
    """Text of all that machine code depends on beside its source: it fits where this is the same.

    Its code is generated in the way that is in use here, unless another `way` is named.
    """
    parts = (
        f"Python {sys.version_info.major}.{sys.version_info.minor}",
        f"Numba {numba.__version__}",
        f"llvmlite {llvmlite.__version__}",
        f"NumPy {np.__version__.split('.')[0]}",
        f"{sys.platform} {TARGET}",
        f"{way or codegen.way()} code generation",
    )
    return ", ".join(parts)


def source_digest(sources: tuple[str, ...], way: str = "") -> str:
    """A short hash of what is compiled together, files and folders of the package, and by what."""
    digest = hashlib.sha256(made_by(way).encode())
    for source in sources:
        path = PACKAGE / source
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def cache_home() -> Path:
    """The folder of all machine code; `KHORA_CACHE` moves it."""
    home = os.environ.get("KHORA_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "khora"


def cache_folder(sources: tuple[str, ...], way: str = "") -> Path:
    """Folder of the machine code of these sources."""
    return cache_home() / source_digest(sources, way)


def holds(folder: Path, function: Callable) -> bool:
    """Tell if a folder holds the machine code of a function."""
    return any(folder.glob(f"*.{function.__qualname__}-*.nbi"))


def found_in(folder: Path, function: Callable) -> Path | None:
    """Folder with the machine code of a function: its own, or the one that came with the package."""
    if holds(folder, function):
        return folder
    home = cache_home()
    shipped = SHIPPED / folder.relative_to(home) if folder.is_relative_to(home) else None
    return shipped if shipped and holds(shipped, function) else None


class Locator(_CacheLocator):
    """Sends Numba to a folder of ours, wherever the package is installed."""

    def get_cache_path(self) -> str:
        return str(_here)

    def get_source_stamp(self) -> str:
        return ""  # the folder's name knows the sources

    def get_disambiguator(self) -> str:
        return ""

    def ensure_cache_path(self) -> None:
        if _here.is_relative_to(SHIPPED):
            raise OSError("does not fit this Python")

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "Locator":
        return cls()


@contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    """Let Numba load from a folder and save into it, and do so without its garbage being looked at."""
    global _here
    with _one_at_a_time:
        before, _here = _here, folder
        chosen = numba.config.CACHE_LOCATOR_CLASSES
        numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.{Locator.__name__}"
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            numba.config.CACHE_LOCATOR_CLASSES = chosen
            _here = before
            if collects:
                gc.enable()


@contextmanager
def _alone_in(folder: Path, what: str) -> Iterator[None]:
    """Hold a folder against other processes that would compile the same; a process that dies lets go."""
    try:
        import fcntl
    except ImportError:  # Windows: they do the same work twice
        yield
        return
    with open(folder / LOCK, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if what:
                say(f"Waiting for {what}, which another process is compiling …")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def kept(folder: Path, function: Callable, make: Callable[[bool], Any], what: str, wait: str) -> Any:
    """Return what `make` makes of a function: from a cache folder, from the package, or made now.

    `make` gets whether to use the cache. If it compiles, `what` it makes and how long to `wait` is announced.
    """
    codegen.load_without_blas()
    trouble = _why_not(folder)
    with nullcontext() if trouble else _alone_in(folder, what):
        found = found_in(folder, function)
        if found is not None:
            try:
                with _in_folder(found):
                    return make(True)
            except Exception as problem:
                _give_up(found, folder, problem)
        _announce_misfit(folder)
        codegen.check()
        with _announced_compiling(what, wait), _in_folder(folder):
            if trouble:
                _say_once(f"{folder}: {trouble}: nothing compiled is kept; set KHORA_CACHE to another")
                return make(False)
            try:
                return make(True)
            except OSError as problem:
                _say_once(f"{folder}: {problem.strerror or problem}; what is compiled is not kept")
                return make(False)


def _announce_misfit(folder: Path) -> None:
    """Say that what came with the package was made for something else, if that is why there is a wait."""
    if (SHIPPED / MADE_BY).is_file() and folder.is_relative_to(cache_home()):
        sources = folder.relative_to(cache_home()).parts[0]
        if not (SHIPPED / sources).is_dir():
            theirs = (SHIPPED / MADE_BY).read_text(encoding="utf-8").strip()
            why = "of other sources" if theirs == made_by() else f"by {theirs}; here is {made_by()}"
            _say_once(f"The machine code that came with khora is not used: it was made {why}.")


def _give_up(found: Path, folder: Path, problem: Exception) -> None:
    """Machine code that cannot be loaded: what came with the package stays, what was made here goes."""
    if found != folder:
        _say_once(f"The machine code that came with khora is not used: {problem}.")
        return
    say(f"{folder}: compiled code is damaged; compiling it again …")
    with suppress(OSError):
        _remove(folder)


def _remove(folder: Path) -> None:
    """Empty a folder, but for the lock, which somebody may wait for."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != LOCK:
            path.unlink(missing_ok=True)


@contextmanager
def _announced_compiling(what: str, wait: str) -> Iterator[None]:
    """Say what is compiled in this block, before and after."""
    if not what:
        yield
        return
    say(f"Compiling {what}, once for this version: about {wait} …")
    began = time.perf_counter()
    yield
    say(f"Compiled {what} in {time.perf_counter() - began:.0f} s.")


def _why_not(folder: Path) -> str:
    """Reason why machine code cannot be kept in a folder, or ""; one that others can write is an error."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        with open(folder / LOCK, "a"):
            pass
    except OSError as problem:
        return f"cannot be written ({problem.strerror})"
    found = folder.stat()
    if hasattr(os, "getuid") and (found.st_uid not in (0, os.getuid()) or found.st_mode & stat.S_IWOTH):
        raise UserError(
            f"{folder}: can be written by other users, whose machine code would be run; "
            "set KHORA_CACHE to a folder of your own"
        )
    return ""
