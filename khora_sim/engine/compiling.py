"""How the source becomes machine code: once per version of the source, into a cache that knows it.

Numba's own cache looks at one file at a time and would keep a rule that changed in another file; so the
cache folder carries a digest of all the sources that are compiled together.
"""

import hashlib
import os
import sys
from pathlib import Path

import numba
import numpy as np
from numba import types

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
UNCOMPILED = bool(numba.config.DISABLE_JIT)
if UNCOMPILED:
    np.seterr(over="ignore")  # the random streams wrap around on purpose


def _widen(kind):
    """The type a rule is compiled for: all signed whole numbers and names of lists are 64-bit numbers."""
    if isinstance(kind, types.IntEnumMember) or (isinstance(kind, types.Integer) and kind.signed):
        return types.int64
    return kind


def rule(function, inline=False):
    """A rule: compiled together with what calls it, and once.

    Left alone, Numba compiles it anew for every mix of 8-, 16- and 64-bit arguments; that doubles the time.
    """
    dispatcher = numba.njit(nogil=True, error_model="numpy", forceinline=inline)(function)
    if UNCOMPILED:
        return dispatcher
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
    numba.config.CACHE_DIR = str(cache)  # read when the decorator is applied
    compiled = numba.njit(signature, nogil=True, error_model="numpy", _nrt=False, cache=True)(function)
    # Past the dispatcher, which would work out the types of all records anew in every call.
    return compiled.overloads[signature.args].entry_point


def address(signature, function, cache: Path = CACHE, allocates: bool = False):
    """The address of a function compiled on its own, for compiled code to call; uncompiled, the function.

    Nothing counts who holds an array, which saves a fifth of the time, unless the function `allocates` some.
    """
    if UNCOMPILED:
        return function
    numba.config.CACHE_DIR = str(cache)
    compiled = numba.cfunc(signature, error_model="numpy", cache=True, _nrt=allocates)(function)
    _KEPT.append(compiled)  # the machine code lives as long as this object
    return compiled.address


_KEPT: list = []
