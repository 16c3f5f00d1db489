"""The shape of a record file: its keys, their types, and how it is read."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    ValidationError,
    model_serializer,
)

from khora_sim.common.checking import first_problem
from khora_sim.common.commands import recording
from khora_sim.common.files import read_json
from khora_sim.common.options import ChosenOptions, Setting
from khora_sim.errors import UserError
from khora_sim.rules.terms import DICE, MAX_PLAYERS

FORMAT: Literal[2] = 2

Id = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Seat = Annotated[int, Field(ge=1, le=MAX_PLAYERS)]  # as people count; the engine counts from 0
Pips = Annotated[int, Field(ge=1, le=6)]
Roll = Annotated[list[Pips], Field(max_length=DICE)]
Reroll = Annotated[list[Pips | None], Field(max_length=DICE)]


class Strict(BaseModel):
    """A table of the file: no unknown keys, and no guessing of types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class RulesUsed(Strict):
    """Rules that were played; `toml` is the whole game where it is not the base game."""

    name: str | None = None
    hash: str | None = None
    version: str | None = None
    toml: str | None = None


class GameOptions(ChosenOptions, Strict):
    """The options of the game; what is fixed is not drawn from the seed."""

    # Needed where a seed is the whole set-up.
    players: Annotated[int, Field(ge=2, le=MAX_PLAYERS)] | None = None
    fixed_cities: list[Id | None] | None = None  # by seat
    fixed_first_seat: Seat | None = None

    @model_serializer(mode="wrap")
    def _in_order_of_bits(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Players, then the options by their bits, then what is fixed."""
        data = dump(self)
        options = (setting.name.lower() for setting in Setting)
        return {key: data[key] for key in ("players", *options, *data) if key in data}


class PlayerSetUp(Strict):
    """City and strategy of a seat, and the cards dealt."""

    city: Id
    strategy: str | None = None
    hand: list[Id]


class SetUp(Strict):
    """All chance of a game, spelled out; players are in the order of their seats."""

    players: list[PlayerSetUp] = Field(min_length=2, max_length=MAX_PLAYERS)
    first_player: Id  # a city
    deck: list[Id] = []  # from the top, after the deal
    events: list[Id]  # by round
    dice: list[list[Roll]]  # by round and seat
    rerolls: list[list[Reroll]] | None = None  # by round and seat; null where a die is not rolled again


class Tokens(Strict):
    """Knowledge tokens by colour."""

    red: int | None = None
    blue: int | None = None
    green: int | None = None


class Die(Strict):
    """A die of this round, the tile on it, and whether the tile is paid for: paid, set aside, not yet."""

    pips: int | None = None
    tile: str | None = None
    payment: Literal["paid", "set aside", "not yet"] | None = None


class PlayerState(Strict):
    """State of a player."""

    development: int | None = None
    drachmas: int | None = None
    vp: int | None = None
    citizens: int | None = None
    tax: int | None = None
    glory: int | None = None
    troops: int | None = None
    economy: int | None = None
    culture: int | None = None
    military: int | None = None
    philosophy: int | None = None
    minor: Tokens | None = None
    major: Tokens | None = None
    hand: list[Id] | None = None
    in_play: list[Id] | None = None
    pack: list[Id] | None = None  # cards to pick from in the draft
    dice: list[Die] | None = None
    next_dice: int | None = None  # how many are rolled next time
    climbed: int | None = None  # levels moved up in this progress phase


class State(Strict):
    """State of a game; in a record, only what is given is compared."""

    round: int | None = None
    phase: str | None = None
    event: Id | None = None
    first_player: Id | None = None
    explored: list[Id] | None = None
    achieved: dict[str, list[Id]] | None = None  # cities by achievement
    deck: list[Id] | None = None
    drawn: list[Id] | None = None  # cards on offer in a legislation action
    players: dict[Id, PlayerState] | None = None  # by city


class Decision(Strict):
    """A decision of a player, in words."""

    step: int | None = None
    player: Id  # a city
    kind: str
    option: str
    state: State | None = None  # as the next decision finds the game


class Score(Strict):
    """The final score of a player and its parts."""

    player: Id
    score: int
    drachmas: int | None = None
    rank: int | None = None
    score_track: int | None = None  # before the final scoring
    final_scoring: dict[str, int] | None = None  # what came on top
    points: dict[str, int] | None = None  # the whole score by where it came from


class Record(Strict):
    """One game, from its set-up to its scores."""

    format: Literal[2]
    rules: RulesUsed = RulesUsed()
    options: GameOptions = GameOptions()
    seed: Annotated[int, Field(ge=0, lt=1 << 64)] | None = None
    set_up: SetUp | None = None
    start: State | None = None  # as the first decision finds the game
    decisions: list[Decision]
    scores: list[Score] | None = None


def plain(part: BaseModel) -> dict[str, Any]:
    """A part of a record as the data that is written."""
    return part.model_dump(exclude_none=True)


def read_record(path: str | Path) -> Record:
    """A record from its file, or an error that says in one line what is wrong."""
    data = read_json(path, "a record in JSON, see docs/records.md")
    if not isinstance(data, dict) or "format" not in data:
        raise UserError(f'{path}: is not a record: it should be a table with "format": {FORMAT}')
    if data["format"] == 1:
        raise UserError(
            f"{path}: format 1 is of khora 0.1, whose payments and glory sales were other decisions; "
            f"this khora reads format {FORMAT}: record the game again ({recording()})"
        )
    if data["format"] != FORMAT:
        raise UserError(f"{path}: format {data['format']} is unknown; this khora reads format {FORMAT}")
    try:
        return Record.model_validate(data)
    except ValidationError as problem:
        raise UserError(f"{path}: {first_problem(Record, problem, data)}") from None
