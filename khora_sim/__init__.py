"""Khôra, measured: a Monte-Carlo analyser for the board game.

What the commands do is here as functions: `simulate`, `forecast`, `open_study`, `report`, `compare`, `plot`,
`ladder`, `cities`, `what_if`, `sweep`, `balance`, `power`, `gate`, `habits`, `grade`, `panel`, `exploit`,
`learn`, `tune`, `check_strategy` and `load_rules`. docs/python.md shows them.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from khora_sim.api import (
        balance,
        check_strategy,
        cities,
        compare,
        exploit,
        forecast,
        gate,
        grade,
        habits,
        ladder,
        learn,
        load_rules,
        open_study,
        panel,
        plot,
        power,
        report,
        simulate,
        sweep,
        tune,
        what_if,
    )
    from khora_sim.errors import UserError

__version__ = "0.2.0"
__all__ = [
    "UserError",
    "__version__",
    "balance",
    "check_strategy",
    "cities",
    "compare",
    "exploit",
    "forecast",
    "gate",
    "grade",
    "habits",
    "ladder",
    "learn",
    "load_rules",
    "open_study",
    "panel",
    "plot",
    "power",
    "report",
    "simulate",
    "sweep",
    "tune",
    "what_if",
]


def __getattr__(name: str) -> Any:
    """What is offered, brought in when it is asked for: the command line starts without numpy and polars."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from khora_sim import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Part(ModuleType):
    """A part of the package that has the name of a function, and can be called like it."""

    @property
    def __wrapped__(self) -> Any:
        return __getattr__(self.__name__.rpartition(".")[2])

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self.__wrapped__(*given, **named)


class _Package(ModuleType):
    """This package. `khora_sim.report` is a function and a folder; importing the folder must not hide it."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in __all__ and isinstance(value, ModuleType):
            value.__class__ = _Part
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
