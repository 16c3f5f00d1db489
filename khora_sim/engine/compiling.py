"""How the source becomes machine code: once per version of the source, into a cache that knows it.

Numba's own cache looks at one file at a time and would keep a rule that changed in another file; so the
cache folder carries a digest of all the sources that are compiled together.
"""

import hashlib
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types

from khora_sim.engine import codegen
from khora_sim.errors import UserError

PACKAGE = Path(__file__).resolve().parent.parent
ENGINE_SOURCES = ("engine", "rules/terms.py", "rules/tables.py")


def source_digest(sources: tuple[str, ...]) -> str:
    """A short hash of what is compiled together, files and folders of the package, and by what."""
    digest = hashlib.sha256(f"{sys.version_info} {numba.__version__} {np.__version__}".encode())
    for source in sources:
        path = PACKAGE / source
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder(sources: tuple[str, ...]) -> Path:
    """Where the machine code of these sources is kept; `KHORA_CACHE` moves it."""
    home = os.environ.get("KHORA_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "khora" / source_digest(sources)


CACHE = cache_folder(ENGINE_SOURCES)
COMPILED = "compiled"  # the file in a cache folder that says all of it is there, and how many seconds it took
UNCOMPILED = bool(numba.config.DISABLE_JIT)
if UNCOMPILED:
    np.seterr(over="ignore")  # the random streams wrap around on purpose


_quiet = False


def keep_quiet(quiet: bool) -> None:
    """Say nothing about waiting from now on, as a command was asked with `--quiet`."""
    global _quiet
    _quiet = quiet


def _say(line: str) -> None:
    """Tell whoever waits, on stderr, so that what a command prints stays clean."""
    if not _quiet:
        print(line, file=sys.stderr, flush=True)


@contextmanager
def announced(what: str, how_long: str, cache: Path) -> Iterator[None]:
    """Say what is compiled in this block, before and after, unless a cache folder holds all of it."""
    marker = cache / COMPILED
    if UNCOMPILED or marker.exists():
        yield
        return
    _say(f"Compiling {what}, once for this version: about {how_long} …")
    began = time.perf_counter()
    yield
    seconds = time.perf_counter() - began
    cache.mkdir(parents=True, exist_ok=True)
    marker.write_text(f"{seconds:.1f}\n")
    _say(f"Compiled {what} in {seconds:.0f} s.")


def _widen(kind):
    """The type a rule is compiled for: all signed whole numbers and names of lists are 64-bit numbers."""
    if isinstance(kind, types.IntEnumMember) or (isinstance(kind, types.Integer) and kind.signed):
        return types.int64
    return kind


def rule(function, inline=False):
    """A rule: compiled together with what calls it, and once.

    Left alone, Numba compiles it anew for every mix of 8-, 16- and 64-bit arguments; that doubles the time.
    """
    if UNCOMPILED:
        return function
    dispatcher = numba.njit(
        nogil=True,
        error_model="numpy",
        forceinline=inline,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        _nrt=False,
        **codegen.options("rule"),
    )(function)
    dispatcher.add_overload = lambda result: dispatcher.overloads.__setitem__(
        tuple(result.signature.args), result
    )
    dispatcher._compile_for_args = lambda *arguments, **named: dispatcher.py_func
    compile_exactly = dispatcher.compile
    dispatcher.compile = lambda kinds: compile_exactly(tuple(_widen(kind) for kind in kinds))
    return dispatcher


def inlined(function):
    """A rule that is built into what calls it: small, or called from one place only.

    Functions that are not built in lie on pages of their own, and the processor pays for every jump.
    """
    return rule(function, inline=True)


def entry(signature, function, cache: Path = CACHE):
    """An entry point for Python: compiled with its signature, kept in a cache folder, called directly."""
    if UNCOMPILED:
        return function

    def compiled():
        return numba.njit(
            signature, nogil=True, error_model="numpy", _nrt=False, cache=True, **codegen.options("entry")
        )(function)

    # Past the dispatcher, which would work out the types of all records anew in every call.
    return _kept_in(cache, compiled).overloads[signature.args].entry_point


def address(signature, function, cache: Path = CACHE, allocates: bool = False):
    """The address of a function compiled on its own, for compiled code to call; uncompiled, the function.

    Nothing counts who holds an array, which saves a fifth of the time, unless the function `allocates` some.
    """
    if UNCOMPILED:
        return function

    def compiled():
        return numba.cfunc(
            signature, error_model="numpy", cache=True, _nrt=allocates, **codegen.options("entry")
        )(function)

    _KEPT.append(_kept_in(cache, compiled))  # the machine code lives as long as this object
    return _KEPT[-1].address


def _kept_in(cache: Path, compiled: Callable[[], Any]) -> Any:
    """What is compiled, from a cache folder or anew; a folder that is damaged is thrown away first.

    Where Numba cannot write, it would look for another folder, in which machine code is mixed up.
    """
    filled = cache.is_dir() and any(cache.iterdir())
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
    if not os.access(cache, os.W_OK):
        raise UserError(f"{cache}: cannot be written; set KHORA_CACHE to a folder for compiled code that can")
    if not _is_ones_own(cache):
        raise UserError(
            f"{cache}: can be written by other users, whose machine code would be run; "
            "set KHORA_CACHE to a folder of your own"
        )
    numba.config.CACHE_DIR = str(cache)  # read when the decorator is applied
    try:
        return compiled()
    except Exception:
        if not filled:
            raise
    _say(f"{cache}: compiled code is damaged; compiling it again …")
    shutil.rmtree(cache, ignore_errors=True)
    return compiled()


def _is_ones_own(folder: Path) -> bool:
    """Whether nobody but this user (and the administrator) can have written to a folder."""
    if not hasattr(os, "getuid"):
        return True
    found = folder.stat()
    return found.st_uid in (0, os.getuid()) and not found.st_mode & stat.S_IWOTH


_KEPT: list = []
