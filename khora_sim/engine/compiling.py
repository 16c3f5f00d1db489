"""Compilation of the source to machine code: rules, which are built into their callers, and entry points."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import types

from khora_sim.engine import codegen
from khora_sim.engine.cache import kept

ENGINE_SOURCES = ("common/options.py", "engine", "rules/specials.py", "rules/tables.py", "rules/terms.py")
UNCOMPILED = bool(numba.config.DISABLE_JIT)

_KEPT: list = []


def _widen(kind: Any) -> Any:
    """The type a rule is compiled for: all signed whole numbers and names of lists are 64-bit numbers."""
    if isinstance(kind, types.IntEnumMember) or (isinstance(kind, types.Integer) and kind.signed):
        return types.int64
    return kind


def rule(function, inline=False, allocates=False, public=False):
    """A rule: compiled together with what calls it, and once.

    Left alone, Numba compiles it again for every mix of 8-, 16- and 64-bit arguments; that doubles the time.
    Nobody calls a rule from Python but tests; there it runs as plain Python. Rules make no arrays, so that
    nothing counts who holds one, unless a function of an author `allocates` some. In a `public` rule, which
    authors call with numbers of their own, an index may count from the end, as in Python.
    """
    if UNCOMPILED:
        return function
    pipeline = codegen.PublicPipeline if public else codegen.RulePipeline
    dispatcher = numba.njit(
        nogil=True,
        error_model="numpy",
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        forceinline=inline,
        _nrt=allocates,
        boundscheck=allocates,  # an author's index beyond the end is an error
        pipeline_class=codegen.AuthorPipeline if allocates else pipeline,
    )(function)
    dispatcher.is_rule = True
    compile_exactly = dispatcher.compile
    dispatcher.compile = lambda kinds: compile_exactly(tuple(_widen(kind) for kind in kinds))
    return codegen.plain_in_python(dispatcher)


def inlined(function, allocates=False):
    """A rule that is built into what calls it: small, or called from one place only.

    Functions that are not built in lie on pages of their own, and the processor pays for every jump.
    """
    return rule(function, inline=True, allocates=allocates)


def public(function):
    """A rule that is built into what calls it, and that authors may call."""
    return rule(function, inline=True, public=True)


def macro(function):
    """A function of a line or two, or one that returns a view: its text takes the place of the call."""
    if UNCOMPILED:
        return function
    return codegen.plain_in_python(
        numba.njit(inline="always", error_model="numpy", no_cpython_wrapper=True)(function)
    )


def source_of(function: Any) -> Callable:
    """The plain function behind a rule."""
    return getattr(function, "py_func", function)


def entry(signature: Any, function: Any, folder: Path, what: str = "", wait: str = "") -> Callable:
    """An entry point for Python: compiled with its signature, kept in a cache folder, called directly."""
    function = source_of(function)
    if UNCOMPILED:
        return function

    def make(cached: bool) -> Any:
        decorate = numba.njit(
            signature,
            nogil=True,
            error_model="numpy",
            _nrt=False,
            cache=cached,
            pipeline_class=codegen.EntryPipeline,
        )
        return decorate(function)

    # Past the dispatcher, which would work out the types of all records again in every call.
    return kept(folder, function, make, what, wait).overloads[signature.args].entry_point


def address(
    signature: Any, function: Any, folder: Path, allocates: bool = False, what: str = "", wait: str = ""
) -> Any:
    """The address of a function compiled on its own, for compiled code to call; uncompiled, the function.

    Nothing counts who holds an array, which saves a fifth of the time, unless the function `allocates` some.
    """
    function = source_of(function)
    if UNCOMPILED:
        return function

    def make(cached: bool) -> Any:
        decorate = numba.cfunc(
            signature, error_model="numpy", cache=cached, _nrt=allocates, pipeline_class=codegen.EntryPipeline
        )
        return decorate(function)

    _KEPT.append(kept(folder, function, make, what, wait))  # the machine code lives as long as this object
    return _KEPT[-1].address
