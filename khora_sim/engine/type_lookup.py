"""Two questions that Numba asks itself a million times while it works out types, answered faster.

A third of the time of compiling. `codegen` uses it with the versions of Numba that it was tried with.
"""

from typing import Any

from numba import types
from numba.core import targetconfig


def _same_flags(one: Any, other: Any) -> bool:
    """Whether two sets of flags are equal; Numba asks very often, and reads all flags, set or not."""
    if not isinstance(other, targetconfig.TargetConfig):
        return NotImplemented
    if one._values == other._values:
        return True
    names = {*one._values, *other._values}
    return all(getattr(one, name, None) == getattr(other, name, None) for name in names)


_numbas_call_type = types.functions.BaseFunction.get_call_type
_known_call_types: dict[Any, Any] = {}
_PLAIN_NUMBERS = (types.Number, types.Boolean, types.IntEnumMember)


def _call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature of an operator on plain numbers, which Numba would look for every time."""
    if kws or not all(isinstance(kind, _PLAIN_NUMBERS) for kind in args):
        return _numbas_call_type(self, context, args, kws)
    key = (self, context, args)
    if key not in _known_call_types:
        _known_call_types[key] = _numbas_call_type(self, context, args, kws)
    return _known_call_types[key]


def speed_up() -> None:
    """From now on Numba finds its answers faster."""
    types.functions.BaseFunction.get_call_type = _call_type
    targetconfig.TargetConfig.__eq__ = _same_flags
    targetconfig.TargetConfig.__hash__ = lambda self: hash(type(self))
