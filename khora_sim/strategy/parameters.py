"""Parameters of a strategy: declared in the plug-in, set with `name:parameter=value`, checked, read by name.

`patience = parameter(3, least=0, most=9, help="…")` declares one in a plug-in, `patience(view)` reads it.
`name:base=other:parameter=value` names another strategy that this one builds on: all that follows is its own.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from khora_sim.engine.seat import weights_of
from khora_sim.errors import UserError, nearest
from khora_sim.rules.terms import Action, Track, word
from khora_sim.strategy.decorators import rule

NOWHERE = -1.0  # a city or space that the rules at hand do not have
BASE = "base"  # what a strategy builds on, in place of the first of its policies
NOTHING = "none"  # neither a track nor an action nor a space
BY_ID = ("city", "space")  # types of parameters that the rules give their number
#: Types of parameters that are named by a word of the rules; reading one gives its number, or -1 for none.
WORDS = {
    kind: {NOTHING: -1.0, **{word(one): float(one) for one in members}}
    for kind, members in (("track", Track), ("action", Action))
}


@dataclass(frozen=True)
class Parameter:
    """One number that a user may set."""

    name: str
    type: str  # number, whole, yes-no, city, space, track or action
    default: float | int | bool | str
    least: float | None
    most: float | None
    help: str

    @property
    def range(self) -> str:
        """Values that may be typed, in words."""
        if self.type in BY_ID:
            return f"a {self.type}'s id"
        if self.type == "yes-no":
            return "yes or no"
        if self.type in WORDS:
            return ", ".join(WORDS[self.type])
        kind = "a whole number" if self.type == "whole" else "a number"
        if self.least is not None and self.most is not None:
            return f"{kind} from {self.least:g} to {self.most:g}"
        if self.least is not None:
            return f"{kind} from {self.least:g} up"
        return kind if self.most is None else f"{kind} up to {self.most:g}"


def parameter(
    default: float | int | bool, *, least: float | None = None, most: float | None = None, help: str
) -> Any:
    """Declare a parameter of the plug-in; its name is the name it is assigned to.

    A whole default makes it a whole number, `True` or `False` a yes or no. Call it with the view to read it.
    """
    kind = "yes-no" if isinstance(default, bool) else "whole" if isinstance(default, int) else "number"
    return _reader(Parameter("", kind, default, least, most, help), sys._getframe(1).f_globals)


def city_parameter(default: str, *, help: str) -> Any:
    """Declare a parameter that names a city; reading it gives what `city(view)` gives, or -1."""
    return _reader(Parameter("", "city", default, None, None, help), sys._getframe(1).f_globals)


def space_parameter(*, help: str) -> Any:
    """Declare a parameter that names a space of the exploration zone; reading it gives its number, or -1."""
    return _reader(Parameter("", "space", NOTHING, None, None, help), sys._getframe(1).f_globals)


def track_parameter(*, help: str) -> Any:
    """Declare a parameter that names a Track; reading it gives the track, or -1 where none is named."""
    return _reader(Parameter("", "track", NOTHING, None, None, help), sys._getframe(1).f_globals)


def action_parameter(*, help: str) -> Any:
    """Declare a parameter that names an Action; reading it gives the action, or -1 where none is named."""
    return _reader(Parameter("", "action", NOTHING, None, None, help), sys._getframe(1).f_globals)


def _reader(declared: Parameter, plug_in: Mapping[str, Any]) -> Any:
    """A compiled function that reads the parameter; its place is how many the plug-in has declared before."""
    place = len(declared_in(plug_in))

    @rule
    def read(view):
        return weights_of(view.seat)[place]

    read.declared = declared
    return read


def declared_in(plug_in: Mapping[str, Any]) -> tuple[Parameter, ...]:
    """The parameters a plug-in declares, in order."""
    return tuple(
        replace(value.declared, name=name)
        for name, value in plug_in.items()
        if isinstance(getattr(value, "declared", None), Parameter)
    )


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """`merchant:patience=3:risk=2` as a name (or path) and what was set.

    What follows `:base=` is another one with its own parameters: `sage:worlds=4:base=merchant:patience=2`.
    """
    own, has_base, base = spec.strip().partition(f":{BASE}=")
    if has_base and not base:
        raise UserError(f"{spec}: no base is named; name a strategy: {own}:{BASE}=steward")
    name, *parts = re.split(r":(?=[A-Za-z_-]+=)", own)
    settings: dict[str, str] = {}
    for part in parts:
        key, value = part.split("=", 1)
        key = key.strip().replace("-", "_")
        if key in settings:
            raise UserError(f"{spec}: {key} is set twice; set it once")
        settings[key] = value.strip()
    if ":" in name[2:] and "=" not in name:
        raise UserError(f"{spec}: a parameter is set as {name.split(':')[0]}:parameter=value")
    return name, settings | ({BASE: base} if has_base else {})


def set_parameters(
    name: str, declared: tuple[Parameter, ...], settings: Mapping[str, str]
) -> dict[str, float | str]:
    """The values of all parameters: those that were set, checked, and the defaults of the others."""
    known = {one.name: one for one in declared}
    for key in settings:
        if not known:
            raise UserError(f"{name} has no parameters; ask for {name} alone")
        if key not in known:
            raise UserError(f"{name} has no parameter {key!r}; {nearest(key, known)}")
    return {one.name: check_value(name, one, settings.get(one.name, one.default)) for one in declared}


def check_value(strategy: str, declared: Parameter, value: Any) -> float | str:
    """One value as the number that compiled code reads (a city stays its id until the rules are known)."""
    wrong = UserError(f"{strategy}: {declared.name}={value} should be {declared.range}")
    if declared.type in BY_ID:
        return str(value)
    if declared.type in WORDS:
        if value not in WORDS[declared.type]:
            raise wrong
        return WORDS[declared.type][value]
    if declared.type == "yes-no":
        words = {"yes": 1.0, "true": 1.0, "1": 1.0, "no": 0.0, "false": 0.0, "0": 0.0}
        if str(value).lower() not in words:
            raise wrong
        return words[str(value).lower()]
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise wrong from None
    if not abs(number) < float("inf") or (declared.type == "whole" and number != int(number)):
        raise wrong
    if (declared.least is not None and number < declared.least) or (
        declared.most is not None and number > declared.most
    ):
        raise wrong
    return number
