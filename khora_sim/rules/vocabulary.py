"""The words of a rules file: which there are, and what is said about one that there is not."""

from collections.abc import Iterable
from enum import IntEnum
from functools import partial
from typing import Annotated

from pydantic import AfterValidator

from khora_sim.errors import nearest
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import (
    MAX_LEVEL,
    Action,
    Colour,
    Condition,
    Gain,
    Kind,
    Quantity,
    Slot,
    Track,
    Trigger,
    word,
)


def words(terms: type[IntEnum]) -> dict[str, IntEnum]:
    """The words the TOML files use for a list of terms, and what they mean."""
    return {word(term): term for term in terms}


def _check_word(value: str, known: tuple[str, ...], kind: str) -> str:
    if value not in known:
        raise ValueError(f'unknown {kind} "{value}"; {nearest(value, known)}')
    return value


def _one_of(terms: Iterable[str], kind: str) -> AfterValidator:
    return AfterValidator(partial(_check_word, known=tuple(terms), kind=kind))


TOKENS = {f"{size}-{word(colour)}": (size, colour) for size in ("minor", "major") for colour in Colour}

TriggerWord = Annotated[str, _one_of(words(Trigger), "trigger")]
ConditionWord = Annotated[str, _one_of(words(Condition), "condition")]
SpecialWord = Annotated[str, _one_of(words(Special), "special effect")]
QuantityWord = Annotated[str, _one_of(words(Quantity), "quantity")]
ActionWord = Annotated[str, _one_of(words(Action), "action")]
TrackWord = Annotated[str, _one_of(words(Track), "track")]
KindWord = Annotated[str, _one_of(words(Kind), "kind")]
SlotWord = Annotated[str, _one_of(words(Slot), "slot")]
ScopeWord = Annotated[str, _one_of(("all", "troops"), "scope")]
TokenWord = Annotated[str, _one_of(TOKENS, "token")]
GainWord = Annotated[str, _one_of(words(Gain), "gain")]
ColourWord = Annotated[str, _one_of(words(Colour), "colour")]
LevelWord = Annotated[str, _one_of([str(level) for level in range(2, MAX_LEVEL + 1)], "level")]
