"""Khôra, measured: a Monte-Carlo analyser for the board game.

Each command is here as a function: `simulate`, `forecast`, `open_study`, `report`, `compare`, `plot`,
`ladder`, `cities`, `what_if`, `sweep`, `balance`, `power`, `gate`, `habits`, `grade`, `panel`, `exploit`,
`learn`, `tune`, `check_strategy` and `load_rules`. docs/python.md shows them.
"""

from importlib import import_module
from typing import Any

from khora_sim.analyses import REGISTRY

__version__ = "0.3.0"
#: Functions that are no commands: module and name.
PLAIN = {
    "UserError": ("khora_sim.errors", "UserError"),
    "open_study": ("khora_sim.simulation.study", "open_study"),
    "forecast": ("khora_sim.simulation.simulate", "forecast_study"),
    "compare": ("khora_sim.pages.study_report", "compare_studies"),
    "load_rules": ("khora_sim.rules", "load_rules"),
    "check_strategy": ("khora_sim.analyses.check", "check_verdicts"),
}
#: Commands that have no function.
TERMINAL_ONLY = ("replay", "bench")
__all__ = ["__version__", *PLAIN, *(name for name in REGISTRY if name not in TERMINAL_ONLY)]


def __getattr__(name: str) -> Any:
    """Load what is offered when it is used: the command line starts without numpy and polars."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in REGISTRY:
        from khora_sim.analyses.analysis import function_of

        found: Any = function_of(REGISTRY[name])
    else:
        found = getattr(import_module(PLAIN[name][0]), PLAIN[name][1])
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
