"""The baseline of a gate: what was played, and what came of it, as a file that is kept with a game.

Beside the shares it holds their sums by bundle of rotation groups (unit). A later run with the same seed
meets the same luck in each unit, so that it is compared unit by unit.
"""

import hashlib
import math
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import polars as pl
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    model_validator,
)

from khora_sim.common import commands
from khora_sim.common.checking import first_problem, shown
from khora_sim.common.files import explain_write_errors, parse_json, read_text
from khora_sim.errors import UserError
from khora_sim.simulation.result import RulesPlayed
from khora_sim.simulation.run_dir import write_json
from khora_sim.simulation.study_file import MAX_GAMES, Name, PlayerCount
from khora_sim.stats import Estimate, Sums
from khora_sim.stats.sums import CLUSTER, COUNT, PARTS, ROWS, STRATUM

FORMAT: Literal[1] = 1
KIND: Literal["khora baseline"] = "khora baseline"
WANTED = "a baseline in JSON, as --write makes it"
WIN = "win_share"


def _numbers(found: Any) -> Any:
    """Whole numbers with spaces between them, which keeps thousands of them on one line of a file."""
    if not isinstance(found, str):
        return found
    return tuple(int(one) if one.isascii() and one.isdigit() else one for one in found.split(" "))


Count = Annotated[int, Field(ge=0, le=MAX_GAMES * 60)]
Counts = Annotated[
    tuple[Count, ...],
    BeforeValidator(_numbers),
    PlainSerializer(lambda numbers: " ".join(map(str, numbers))),
    Field(description="whole numbers with spaces between them", min_length=1),
]
Share = Annotated[float, Field(ge=0, le=1)]
Change = Annotated[float, Field(ge=-100, le=100)]  # of a share; few games leave wide intervals


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Player(_Strict):
    """Who played."""

    name: Name
    digest: str  # of its source and parameters


class Units(_Strict):
    """The bundles of rotation groups: their numbers, the stratum of each, and its rows."""

    unit: Counts
    stratum: Counts
    rows: Counts

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not len(self.unit) == len(self.stratum) == len(self.rows):
            raise ValueError("damaged: unit, stratum and rows should have as many numbers each")
        if any(one >= two for one, two in zip(self.unit, self.unit[1:], strict=False)):
            raise ValueError("damaged: the numbers of units should rise")
        if min(self.rows) < 1:
            raise ValueError("damaged: a unit without rows")
        if max(self.unit) >= 2**16 or max(self.stratum) >= 2**16:
            raise ValueError("damaged: units and strata should be below 65,536")
        return self


class KeptShare(_Strict):
    """A city's or a seat's share of wins, and what it is made of: games and wins in every unit."""

    name: str
    value: Share
    low: Share
    high: Share
    n: Annotated[int, Field(ge=1, le=MAX_GAMES)]
    unit: Counts
    games: Counts
    wins: Counts  # in sixtieths, since victories are shared

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not len(self.unit) == len(self.games) == len(self.wins):
            raise ValueError("damaged: unit, games and wins should have as many numbers each")
        if min(self.games) < 1:
            raise ValueError("damaged: a unit without games")
        if any(won > PARTS[WIN] * games for won, games in zip(self.wins, self.games, strict=True)):
            raise ValueError("damaged: a unit has more wins than games")
        if sum(self.games) != self.n or not math.isclose(
            sum(self.wins), self.value * self.n * PARTS[WIN], abs_tol=0.5
        ):
            raise ValueError("damaged: games and wins of its units do not give its n and its value")
        if not self.low <= self.value <= self.high:
            raise ValueError("damaged: its value lies outside its interval")
        return self

    @property
    def estimate(self) -> Estimate:
        """The share with its interval."""
        return Estimate(self.value, self.low, self.high, self.n)

    @property
    def tallies(self) -> dict[str, tuple[int, ...]]:
        """Games and wins in every unit."""
        return {"unit": self.unit, "games": self.games, "wins": self.wins}


class Card(_Strict):
    """The power of a card: by how much being dealt it raises the win share, with its interval."""

    name: str
    value: Change
    low: Change | None  # None where too few games were played for an interval
    high: Change | None
    n: Annotated[int, Field(ge=0, le=MAX_GAMES)]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.estimate.holds(self.value):
            raise ValueError("damaged: its value lies outside its interval")
        return self

    @property
    def estimate(self) -> Estimate:
        """The power with its interval."""
        low = -math.inf if self.low is None else self.low
        return Estimate(self.value, low, math.inf if self.high is None else self.high, self.n)


class Baseline(_Strict):
    """What a gate compares with."""

    kind: Literal["khora baseline"] = KIND
    format: Literal[1] = FORMAT
    khora: str
    rules: RulesPlayed
    players: PlayerCount
    strategies: Annotated[tuple[Player, ...], Field(min_length=1)]
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    games: Annotated[int, Field(ge=1, le=MAX_GAMES)]
    units: Units
    cities: dict[str, KeptShare]  # by id, in the order of the rules
    seats: dict[str, KeptShare]  # by number, from 1
    cards: dict[str, Card] | None = None  # by id; None where cards were not played

    @model_validator(mode="after")
    def _known_units(self) -> Self:
        known = set(self.units.unit)
        for (kind, id), one in self.items.items():
            if not set(one.unit) <= known or len(set(one.unit)) < len(one.unit):
                raise ValueError(f"damaged: {kind} {id} has units that are not listed, or one twice")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The strategies that played."""
        return tuple(one.name for one in self.strategies)

    @property
    def items(self) -> dict[tuple[str, str], KeptShare]:
        """All cities and seats, by kind and id."""
        cities = {("city", id): one for id, one in self.cities.items()}
        return cities | {("seat", id): one for id, one in self.seats.items()}

    def sums(self, kind: str, id: str) -> Sums:
        """The sums of a city or a seat."""
        one = self.items[kind, id]
        cells = {CLUSTER: one.unit, COUNT: one.games, WIN: one.wins}
        return Sums((), pl.DataFrame(cells, schema=CELLS), self.unit_table, {WIN: PARTS[WIN]})

    @property
    def unit_table(self) -> pl.DataFrame:
        """The units as sums have them."""
        columns = {CLUSTER: self.units.unit, STRATUM: self.units.stratum, ROWS: self.units.rows}
        return pl.DataFrame(columns, schema={CLUSTER: pl.UInt16, STRATUM: pl.UInt16, ROWS: pl.Int64})

    def data(self) -> dict[str, Any]:
        """The baseline for a script."""
        return self.model_dump(mode="json")


CELLS: dict[str, type[pl.DataType]] = {CLUSTER: pl.UInt16, COUNT: pl.Int64, WIN: pl.Int64}


def kept_share(name: str, share: Estimate, sums: Sums) -> KeptShare:
    """The share of one city or seat with its sums."""
    return KeptShare.model_validate({"name": name, **share.data(), **tallies(sums)})


def tallies(sums: Sums) -> dict[str, tuple[int, ...]]:
    """Games and wins of a city or seat in every unit."""
    cells = sums.cells.group_by(CLUSTER).agg(pl.col(COUNT, WIN).sum()).sort(CLUSTER)
    return {"unit": tuple(cells[CLUSTER]), "games": tuple(cells[COUNT]), "wins": tuple(cells[WIN])}


def units_of(sums: Sums) -> Units:
    """All units of some sums."""
    unit, stratum, rows = (tuple(sums.clusters[column]) for column in (CLUSTER, STRATUM, ROWS))
    return Units(unit=unit, stratum=stratum, rows=rows)


def read_baseline(path: str | Path) -> Baseline:
    """A baseline from a file, which may be anything; an error says in one line what is wrong."""
    text = read_text(path, WANTED)
    try:
        data = parse_json(text, str(path))
    except UserError as error:
        raise UserError(f"{error}; expected {WANTED}") from None
    if not _is_baseline(data):
        raise UserError(f"{path}: is not a baseline; expected {WANTED}")
    if data.get("format") != FORMAT:
        raise UserError(
            f"{path}: has format {shown(data.get('format'))}, and this version of khora reads {FORMAT}; "
            f"write it again: {commands.writing_baseline(path)}"
        )
    try:
        return Baseline.model_validate(data)
    except ValidationError as error:
        raise UserError(f"{path}: {first_problem(Baseline, error, data)}") from None


def digest_of(baseline: Baseline) -> str:
    """A text that changes with anything in a baseline."""
    return hashlib.sha256(baseline.model_dump_json().encode()).hexdigest()


def _is_baseline(data: Any) -> bool:
    return isinstance(data, dict) and data.get("kind") == KIND


def to_be_renewed(path: Path) -> Baseline | None:
    """The baseline that is about to be written over, if it can be read; nothing else is written over."""
    if path.is_dir():
        raise UserError(f"{path}: is a folder; give the path of a file")
    if not path.parent.is_dir():
        raise UserError(f"{path}: there is no folder {path.parent}; make it, or choose another name")
    if not path.exists():
        return None
    try:
        data = parse_json(read_text(path, WANTED), str(path))
    except UserError:
        data = None
    if not _is_baseline(data):
        raise UserError(f"{path}: exists and is not a baseline; choose another name")
    return read_baseline(path) if data.get("format") == FORMAT else None


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline, whole."""
    with explain_write_errors(path, "choose another name"):
        write_json(path, baseline.data())
