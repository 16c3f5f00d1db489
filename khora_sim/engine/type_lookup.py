"""Questions that Numba asks itself a million times while it compiles, answered faster.

A third of the time of compiling. `codegen` uses it with the versions of Numba that it was tried with.
"""

import hashlib
from typing import Any

from numba import types
from numba.core import ir, itanium_mangler, targetconfig


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


LONG_NAME = 100
_numbas_mangled = itanium_mangler.mangle_args
_known_names: dict[Any, str] = {}


def _mangled(kinds: Any) -> str:
    """What the name of a function says of the kinds of its arguments: a digest, where it would be long.

    Numba writes down all fields of a record, some kilobytes, in every name and at every call.
    """
    kinds = tuple(kinds)
    if kinds not in _known_names:
        name = _numbas_mangled(kinds)
        if len(name) > LONG_NAME:
            digest = hashlib.sha256(name.encode()).hexdigest()
            name = itanium_mangler.mangle_identifier(digest[:32])
        _known_names[kinds] = name
    return _known_names[kinds]


_numbas_words = types.Record.__repr__
_known_words: dict[int, str] = {}


def _words(self: Any) -> str:
    """All fields of a record in words, which Numba asks for whenever it begins or ends a step."""
    if self._code not in _known_words:
        _known_words[self._code] = _numbas_words(self)
    return _known_words[self._code]


_numbas_variables = ir.Inst._rec_list_vars
_WITHOUT_VARIABLES = {ir.Arg, ir.Const, ir.FreeVar, ir.Global, ir.Loc, str, int, bool, type(None)}


def _variables(self: Any, part: Any) -> list[Any]:
    """The variables in a part of an instruction; most parts are one, or cannot hold any."""
    kind = type(part)
    if kind is dict:
        part = part.values()
    elif kind is not list and kind is not tuple:
        return [part] if kind is ir.Var else _numbas_variables(self, part)
    found = []
    for one in part:
        kind = type(one)
        if kind is ir.Var:
            found.append(one)
        elif kind not in _WITHOUT_VARIABLES:
            found += _variables(self, one)
    return found


def speed_up() -> None:
    """From now on Numba finds its answers faster."""
    itanium_mangler.mangle_args = _mangled
    types.Record.__repr__ = _words
    ir.Inst._rec_list_vars = _variables
    types.functions.BaseFunction.get_call_type = _call_type
    targetconfig.TargetConfig.__eq__ = _same_flags
    targetconfig.TargetConfig.__hash__ = lambda self: hash(type(self))
