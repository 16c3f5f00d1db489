"""How strategies become machine code: like the engine's rules, but compiled in far less time.

Nobody calls a strategy's functions from Python but tests, so the detour for that, which takes longer to
compile than most of the functions themselves, is left out: from Python they run as plain Python.
"""

import numba

from khora_sim.engine import codegen, compiling

UNCOMPILED = compiling.UNCOMPILED

#: What the machine code of strategies depends on beside their own text.
SOURCES = (
    *compiling.ENGINE_SOURCES,
    "strategy/view.py",
    "strategy/parameters.py",
    "strategy/compiling.py",
    "strategy/compiled.py",
    "strategy/weights.py",
    "strategy/memory.py",
    "strategy/evaluator",
    "strategy/toolkit",
)


def rule(function, inline=False, allocates=False):
    """A function of the toolkit or of a strategy: compiled together with what calls it."""
    if UNCOMPILED:
        return function
    dispatcher = numba.njit(
        nogil=True,
        error_model="numpy",
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        forceinline=inline,
        _nrt=allocates,
        **codegen.options("author" if allocates else "rule"),
    )(function)
    dispatcher.is_rule = True
    compile_exactly = dispatcher.compile
    dispatcher.compile = lambda kinds: compile_exactly(tuple(compiling._widen(kind) for kind in kinds))
    return _plain_in_python(dispatcher)


def inlined(function, allocates=False):
    """A rule that is built into what calls it: handing a view over costs as much as a small rule itself."""
    return rule(function, inline=True, allocates=allocates)


def authors_rule(function):
    """The `rule` of authors, whose functions may make arrays and hand them on."""
    return rule(function, allocates=True)


def short(function):
    """A function of a line or two, or one that returns a view: its text takes the place of the call."""
    if UNCOMPILED:
        return function
    return _plain_in_python(
        numba.njit(inline="always", error_model="numpy", no_cpython_wrapper=True)(function)
    )


def _plain_in_python(dispatcher):
    """Let Python run the source: there is no machine code that it could call."""
    dispatcher.add_overload = lambda result: dispatcher.overloads.__setitem__(
        tuple(result.signature.args), result
    )
    dispatcher._compile_for_args = lambda *arguments, **named: dispatcher.py_func
    return dispatcher
