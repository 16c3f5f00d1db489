"""The shape of a rules file: its keys, and the words and numbers that they take."""

from collections.abc import Iterable
from enum import IntEnum
from functools import partial
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, field_validator
from pydantic_core import PydanticCustomError

from khora_sim.common.options import ChosenOptions
from khora_sim.errors import nearest
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import (
    DICE,
    MAX_CHOICES,
    MAX_DEALT,
    MAX_DRAWN,
    MAX_EFFECTS,
    MAX_LEVEL,
    MAX_LIMIT,
    MAX_ROUNDS,
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


MAX_COST = 99
MAX_GAIN = 30  # of one effect; what many of them come to is watched while a game is played
MAX_TOKENS = 4  # on one space
MAX_TEXT = 400  # letters

Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=40)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT, pattern=r"^[^\x00-\x1f\x7f]+$")]
Cost = Annotated[int, Field(ge=0, le=MAX_COST)]
Number = Annotated[int, Field(ge=0, le=99)]
Bonus = Annotated[int, Field(ge=0, le=MAX_GAIN)]
Count = Annotated[int, Field(ge=1, le=99)]
UpToLimit = Annotated[int, Field(ge=0, le=MAX_LIMIT)]
Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT)]
TrackLevel = Annotated[int, Field(ge=1, le=MAX_LEVEL)]
Amount = Annotated[int, Field(ge=-MAX_GAIN, le=MAX_GAIN)]


def _without_zeros(amounts: dict[str, int]) -> dict[str, int]:
    """Nothing of a thing is the same as not naming it, so that both give the same hash."""
    return {name: amount for name, amount in amounts.items() if amount != 0}


Gains = Annotated[dict[GainWord, Amount], AfterValidator(_without_zeros)]
Needs = Annotated[dict[ColourWord, Number], AfterValidator(_without_zeros)]


class Strict(BaseModel):
    """A table of the file: no unknown keys, and no guessing of types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


class Effect(Strict):
    """One effect: a trigger and a gain, or a named special effect."""

    on: TriggerWord
    condition: ConditionWord = Field("none", alias="if")
    special: SpecialWord = "none"
    action: ActionWord | None = None
    track: TrackWord | None = None
    number: Number | None = None
    gain: Gains = {}
    per: QuantityWord = "one"
    every: Count = 1
    choices: list[Gains] = Field([], max_length=MAX_CHOICES)


class Development(Strict):
    """A development: what it asks for and does."""

    kind: KindWord
    cost: Cost
    needs: Needs = {}
    effects: list[Effect] = Field(min_length=1, max_length=MAX_EFFECTS)
    text: Text | None = None  # worded from the effects where none is given


class Card(Development):
    """A politics card."""

    name: Text


class Developments(Strict):
    """The four developments of a city, by number."""

    first: Development = Field(alias="1")
    second: Development = Field(alias="2")
    third: Development = Field(alias="3")
    fourth: Development = Field(alias="4")

    def in_order(self) -> tuple[Development, Development, Development, Development]:
        """The developments from first to fourth."""
        return self.first, self.second, self.third, self.fourth


class City(Strict):
    """A city and its developments."""

    name: Text
    developments: Developments


class Event(Strict):
    """An event: its effect for all, or for those with the most and the least troops."""

    name: Text
    slot: SlotWord
    scope: ScopeWord = "all"
    effect: Effect
    lowest: Effect | None = None
    text: Text | None = None  # as above


class Space(Strict):
    """A space of the exploration zone."""

    name: Text | None = None
    tokens: list[TokenWord] = Field(min_length=1, max_length=MAX_TOKENS)
    needed: Number
    lost: Number
    drachmas: Bonus = 0
    vp: Bonus = 0


class Level(Strict):
    """A level of a progress track: drachmas to enter it, and what that gives."""

    cost: Cost
    gain: Gains = {}


Levels = dict[LevelWord, Level]


class Tracks(Strict):
    """The three progress tracks, level by level."""

    economy: Levels
    culture: Levels
    military: Levels


class Start(Strict):
    """Holdings that every player starts with."""

    drachmas: Cost
    citizens: UpToLimit
    tax: UpToLimit
    glory: UpToLimit
    troops: UpToLimit
    vp: Cost
    economy: TrackLevel
    culture: TrackLevel
    military: TrackLevel
    dice: int = Field(ge=1, le=DICE)


class Limits(Strict):
    """Ends of the tracks."""

    citizens: Limit
    troops: Limit
    tax: Limit
    glory: Limit
    level: int = Field(ge=2, le=MAX_LEVEL)


class Prices(Strict):
    """Prices of tokens, and what they buy."""

    minor_token: Cost
    citizens_per_philosophy: UpToLimit
    philosophy_per_need: Count
    philosophy_per_level: Count


class Actions(Strict):
    """Gains of the actions beyond what a track gives."""

    philosophy_tokens: Bonus
    legislation_citizens: Bonus
    legislation_cards: int = Field(ge=1, le=MAX_DRAWN)
    trade_bonus: Bonus


class Achievements(Strict):
    """Needs of each achievement."""

    victory_points: int = Field(ge=1, le=999, alias="victory-points")
    citizens: Limit
    troops: Limit
    economy: TrackLevel
    politics: int = Field(ge=1, le=64)


class Options(ChosenOptions, Strict):
    """The options of the game that are on unless a command says otherwise."""

    model_config = ConfigDict(validate_default=True)

    @field_validator("*")
    @classmethod
    def _is_given(cls, on: bool | None) -> bool:
        if on is None:
            raise PydanticCustomError("missing", "missing")
        return on


class Game(Strict):
    """A whole game: the base game, or a variant after it was laid over the base game."""

    name: Text
    text: Text
    rounds: int = Field(ge=2, le=MAX_ROUNDS)
    hand_dealt: int = Field(ge=1, le=MAX_DEALT)
    start: Start
    limits: Limits
    prices: Prices
    actions: Actions
    achievements: Achievements
    options: Options
    tracks: Tracks
    cards: dict[Id, Card]
    cities: dict[Id, City]
    events: dict[Id, Event]
    spaces: dict[Id, Space]
