"""Compiled plug-ins: the author's function, compiled on its own, kept in a cache that is never stale."""

import hashlib
import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from khora_sim.engine.aside import compile_rules_aside
from khora_sim.engine.cache import PACKAGE, cache_folder, found_in
from khora_sim.engine.calling import RATE
from khora_sim.engine.compiling import UNCOMPILED, address
from khora_sim.errors import UserError
from khora_sim.strategy import player_view as views
from khora_sim.strategy import shared_rating
from khora_sim.strategy.decorators import SOURCES, inlined

_failure = threading.local()
_lock = threading.Lock()
_open_blocks = 0
_otherwise: Callable[[Any], None] = sys.unraisablehook


def compile_plug_in(module: ModuleType, name: str, allocates: bool = True, wait: str = "2 seconds") -> Any:
    """The address of the function the engine calls for a plug-in, which may make arrays if it `allocates`."""
    functions = [word for word in ("score", "rate") if hasattr(module, word)]
    if len(functions) != 1:
        raise UserError(
            f"{name}: a compiled strategy has one function, score(view, option) or "
            f"rate(view, options, scores); this one has {' and '.join(functions) or 'neither'}"
        )
    word = functions[0]
    author = getattr(module, word)
    wanted = {"score": ["view", "option"], "rate": ["view", "options", "scores"]}[word]
    source = getattr(author, "py_func", author)
    if not inspect.isfunction(source) or len(inspect.signature(source).parameters) != len(wanted):
        raise UserError(f"{name}: {word} should be a function {word}({', '.join(wanted)})")
    template = views.ask_score if word == "score" else views.ask_rate
    compiled_otherwise = source is not author and not hasattr(author, "is_rule")  # with options of its own
    named = {**vars(views), word: author if compiled_otherwise else inlined(source, allocates)}
    wrapper = FunctionType(template.__code__, named, template.__name__)
    if UNCOMPILED:
        return _keeping_failures(wrapper)
    folder = plug_in_folder(module)
    # This name alone distinguishes the machine code of two plug-ins that were compiled apart.
    wrapper.__qualname__ = f"{template.__name__}_{folder.name}"
    try:
        if found_in(folder, wrapper) is None:
            compile_rules_aside()
        if shared_rating.is_called_in(folder) or shared_rating.is_named_in(module):
            shared_rating.provide()
        return address(RATE, wrapper, folder, allocates, what=name, wait=wait)
    except UserError:
        raise
    except Exception as problem:
        raise UserError(f"{name}: does not compile: {_reason(problem, module)}") from None


def plug_in_folder(module: ModuleType) -> Path:
    """Folder of the machine code of a plug-in."""
    return cache_folder(SOURCES) / code_digest(module)


def code_digest(module: ModuleType) -> str:
    """A hash of all that a plug-in's machine code depends on beyond engine and toolkit.

    That is its own text, the text of what it imports from outside the package, and its constants, which
    compiled code takes over as they are.
    """
    digest = hashlib.sha256()
    seen: set[str] = set()

    def add(one: ModuleType) -> None:
        path = getattr(one, "__file__", None)
        if path is None or path in seen or not _is_users(Path(path)):
            return
        seen.add(path)
        digest.update(Path(path).read_bytes())
        for key, value in sorted(vars(one).items()):
            if isinstance(value, (int, float, str, tuple, np.ndarray)) and not key.startswith("__"):
                digest.update(f"{key}={value!r}".encode())
                digest.update(value.tobytes() if isinstance(value, np.ndarray) else b"")
            home = (
                value if isinstance(value, ModuleType) else sys.modules.get(getattr(value, "__module__", ""))
            )
            if home is not None:
                add(home)

    add(module)
    return digest.hexdigest()[:16]


def _is_users(path: Path) -> bool:
    """Tell if a file is neither of the package itself nor of an installed library."""
    path = path.resolve()
    built_in = (PACKAGE / "builtin_strategies") in path.parents
    installed = any(path.is_relative_to(Path(one).resolve()) for one in (sys.prefix, sys.base_prefix))
    return built_in or not (installed or PACKAGE in path.parents)


def _reason(problem: Exception, module: ModuleType) -> str:
    """Numba's long story in one line, with the plug-in's line where it names one."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    specific = [
        after.partition(": ")[2]
        for line, after in pairwise(lines)
        if line.endswith("raised a specific error:") and "Failed in" not in after
    ]
    shown = specific or [
        line for line in lines if not line.startswith(("Failed in", "During:", "File ", ">>>", "-", "This"))
    ]
    where = [line for line in lines if Path(str(module.__file__)).name in line and "line" in line]
    number = where[-1].rsplit("line", 1)[-1].strip(" :,()") if where else ""
    at = f"line {number.split(':')[0]}: " if number else ""
    return at + (shown[0] if shown else type(problem).__name__)[:200]


@contextmanager
def catching_failures() -> Iterator[None]:
    """Keep what compiled players raise in this block for `last_failure`; Python would only print it."""
    global _open_blocks, _otherwise
    _failure.last = None  # of a block before, where nobody asked for it
    with _lock:
        if _open_blocks == 0:
            _otherwise, sys.unraisablehook = sys.unraisablehook, _keep
        _open_blocks += 1
    try:
        yield
    finally:
        with _lock:
            _open_blocks -= 1
            if _open_blocks == 0:
                sys.unraisablehook = _otherwise


def _keep(unraisable: Any) -> None:
    """Keep the exception for the thread in which it came up, if it came from compiled code."""
    if "numba" in str(unraisable.object):
        _failure.last = unraisable.exc_value
    else:
        _otherwise(unraisable)


def _keeping_failures(wrapper: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """An uncompiled player that fails as a compiled one does: the exception is kept, the caller continues."""

    def ask(seat: Any, tables: Any) -> None:
        try:
            wrapper(seat, tables)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:  # SystemExit, too: a plug-in must not end the program
            _failure.last = problem

    return ask


def last_failure() -> BaseException | None:
    """Exception that a compiled player of this thread raised last; asking forgets it."""
    problem = getattr(_failure, "last", None)
    _failure.last = None
    return problem
