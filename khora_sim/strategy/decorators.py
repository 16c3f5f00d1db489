"""Decorators that make machine code of strategies, as of the engine's rules."""

from khora_sim.engine.compiling import ENGINE_SOURCES, UNCOMPILED, inlined, macro, public, rule

__all__ = ["SOURCES", "UNCOMPILED", "authors_rule", "inlined", "macro", "public", "public_rule", "rule"]

#: What the machine code of strategies depends on beside their own text.
SOURCES = (
    *ENGINE_SOURCES,
    "strategy/player_view.py",
    "strategy/parameters.py",
    "strategy/decorators.py",
    "strategy/compiled.py",
    "strategy/weights.py",
    "engine/memory.py",
    "strategy/toolkit.py",
    "strategy/reading",
    "strategy/value",
    "strategy/heuristics.py",
    "strategy/shared_rating.py",
    "strategy/evaluator.py",
    "strategy/learned",
)


def public_rule(function):
    """A rule of the toolkit that authors call with numbers of their own: an index may count from the end."""
    return rule(function, public=True)


def authors_rule(function):
    """The `rule` of authors, whose functions may make arrays and hand them on, and count from the end."""
    return rule(function, allocates=True)
