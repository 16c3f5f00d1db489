"""Khôra, measured: a Monte-Carlo analyser for the board game."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from khora_sim.lab.study import open_study

__version__ = "0.2.0"
__all__ = ["__version__", "open_study"]


def __getattr__(name: str) -> Any:
    """`open_study`, brought in when it is asked for: the command line starts without polars."""
    if name == "open_study":
        from khora_sim.lab.study import open_study

        return open_study
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
