"""`rate_by_prices`, compiled once for all strategies: what calls it is compiled in a moment.

A strategy that has opinions on some decisions rates those itself and leaves the others to `rate_by_prices`.
Its machine code refers to the shared one by a name, which must be known before the strategy is loaded.
"""

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from khora_sim.engine.cache import cache_folder
from khora_sim.engine.calling import Game, Numbers, Options, Tables, function_type, i8
from khora_sim.engine.compiling import address
from khora_sim.engine.memory import address_in
from khora_sim.engine.seat import options_at, ratings_at
from khora_sim.strategy.decorators import SOURCES
from khora_sim.strategy.heuristics import rate_any
from khora_sim.strategy.value.prices import PRICES

NAME = "khora_rate_by_prices"
SHARED = "shared"  # the folder of its machine code
Prices = numba.from_dtype(PRICES)
#: Arrays are handed over as the address of their first item: all that an array is would go through memory.
RATE_BY_PRICES = types.void(Game, Tables, i8, i8, i8, i8, i8, i8, Prices)


class Position(NamedTuple):
    """As much of a view as prices need."""

    game: Any
    tables: Any
    me: int
    decision: int
    value: int


def rate_by_prices(view, options, scores, prices):
    """Rate all options of any decision by a price list."""
    rate_any(view, options, scores, prices)


def _shared(game, tables, seat, task, value, options, scores, count, prices):
    """The copy that all strategies share; options and scores are given by their addresses."""
    position = Position(game, tables, seat, task, value)
    rate_any(position, options_at(options, count), ratings_at(scores, count), prices)


@cache
def provide() -> None:
    """Make the shared copy known by its name; the first time on a machine it is compiled."""
    folder = cache_folder(SOURCES) / SHARED
    what = "the code that players with a price list share"
    llvm.add_symbol(NAME, address(RATE_BY_PRICES, _shared, folder, what=what, wait="10 seconds"))


def is_called_in(folder: Path) -> bool:
    """Tell if machine code in a cache folder refers to the shared copy."""
    return any(NAME.encode() in file.read_bytes() for file in folder.rglob("*.nbc"))


def is_named_in(module: ModuleType) -> bool:
    """Tell if the text of a strategy speaks of `rate_by_prices`."""
    return rate_by_prices.__name__ in Path(str(module.__file__)).read_text(encoding="utf-8")


@intrinsic
def _call_shared(typing_context, arguments):
    def build(context, builder, _, values):
        kind = function_type(context, RATE_BY_PRICES)
        function = cgutils.get_or_insert_function(builder.module, kind, NAME)
        builder.call(function, cgutils.unpack_tuple(builder, values[0]))
        return context.get_dummy_value()

    return types.void(arguments), build


@overload(rate_by_prices)
def _rate_by_prices(view, options, scores, prices):
    if (options, scores, prices) != (Options, Numbers, Prices):
        raise TypingError(
            "rate_by_prices wants the options and scores that rate was given, or whole rows of their kind, "
            "and prices from sensible_prices"
        )
    provide()

    def rate(view, options, scores, prices):
        position = (view.game, view.tables, i8(view.me), i8(view.decision), i8(view.value))
        _call_shared((*position, address_in(options), address_in(scores), i8(len(options)), prices))

    return rate
