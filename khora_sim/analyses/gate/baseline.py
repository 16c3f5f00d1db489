"""The game as it is now, played for a gate, and the baseline: what came of it, as a file kept with a game.

All sets of cities are played equally often, the cities moving around the table. Beside the shares a baseline
holds their sums by bundle of rotation groups (cluster; `unit` in the file). A later run with the same seed
has the same dice and deals in each cluster, so that it is compared cluster by cluster.
"""

import hashlib
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import polars as pl
from pydantic import BeforeValidator, Field, PlainSerializer, ValidationError, model_validator

from khora_sim import __version__
from khora_sim.analyses.analysis import Run
from khora_sim.analyses.power import PowerOptions, play_and_count
from khora_sim.analyses.power.counts import WINS, Counts, things_of
from khora_sim.analyses.power.worth import DEALT
from khora_sim.common import commands
from khora_sim.common.checking import first_problem, shown
from khora_sim.common.command_options import USUAL_STRATEGY
from khora_sim.common.files import explain_write_errors, parse_json, read_text
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.simulation.experiment import Arm, Design, resolve_study
from khora_sim.simulation.result import Result, RulesPlayed
from khora_sim.simulation.run_dir import write_json
from khora_sim.simulation.sinks import ArmSums
from khora_sim.simulation.study_file import MAX_GAMES, Name, PlayerCount, study_of
from khora_sim.simulation.summing import Summing
from khora_sim.stats import LEVEL, Estimate, Sums, estimates, shares
from khora_sim.stats.sums import CLUSTER, COUNT, PARTS, ROWS, STRATUM

FORMAT: Literal[1] = 1
KIND: Literal["khora baseline"] = "khora baseline"
WANTED = "a baseline in JSON, as --write makes it"
WIN = "win_share"
CELLS: dict[str, type[pl.DataType]] = {CLUSTER: pl.UInt16, COUNT: pl.Int64, WIN: pl.Int64}
STRATEGIES, PLAYERS, GAMES, SEED = (USUAL_STRATEGY,), 4, 14_000, seed_in(JUDGING, 0)
FIRST_TRY, SLACK = 2800, 1.05  # games from which a precision is tried; what is played beyond the forecast
SUMMING = Summing(("city", "seat"), (WIN,))


def _numbers(found: Any) -> Any:
    """Whole numbers with spaces between them, which keeps thousands of them on one line of a file."""
    if not isinstance(found, str):
        return found
    return tuple(int(one) if one.isascii() and one.isdigit() else one for one in found.split(" "))


Count = Annotated[int, Field(ge=0, le=MAX_GAMES * 60)]
CountList = Annotated[
    tuple[Count, ...],
    BeforeValidator(_numbers),
    PlainSerializer(lambda numbers: " ".join(map(str, numbers))),
    Field(description="whole numbers with spaces between them", min_length=1),
]
Share = Annotated[float, Field(ge=0, le=1)]
Change = Annotated[float, Field(ge=-100, le=100)]  # of a share; few games leave wide intervals


class Player(Result):
    """A strategy that played."""

    name: Name
    digest: str  # of its source and parameters


class Clusters(Result):
    """The bundles of rotation groups: their numbers, the stratum of each, and its rows."""

    unit: CountList
    stratum: CountList
    rows: CountList

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


class Kept(Result):
    """A number with its interval, which is None where too few games were played for one."""

    name: str
    value: Change
    low: Change | None
    high: Change | None
    n: Annotated[int, Field(ge=0, le=MAX_GAMES)]

    @model_validator(mode="after")
    def _inside(self) -> Self:
        if not self.estimate.holds(self.value):
            raise ValueError("damaged: its value lies outside its interval")
        return self

    @property
    def estimate(self) -> Estimate:
        """The number with its interval."""
        low = -math.inf if self.low is None else self.low
        return Estimate(self.value, low, math.inf if self.high is None else self.high, self.n)


class Card(Kept):
    """The power of a card: by how much being dealt it raises the win share."""


class KeptShare(Kept):
    """A city's or a seat's share of wins, with the games and wins of every cluster that it is made of."""

    value: Share
    low: Share
    high: Share
    n: Annotated[int, Field(ge=1, le=MAX_GAMES)]
    unit: CountList
    games: CountList
    wins: CountList  # in sixtieths, since victories are shared

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
        return self


class Baseline(Result):
    """The game that a gate compares with."""

    kind: Literal["khora baseline"] = KIND
    format: Literal[1] = FORMAT
    khora: str
    rules: RulesPlayed
    players: PlayerCount
    strategies: Annotated[tuple[Player, ...], Field(min_length=1)]
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    games: Annotated[int, Field(ge=1, le=MAX_GAMES)]
    units: Clusters
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
        return Sums((), pl.DataFrame(cells, schema=CELLS), self.clusters, {WIN: PARTS[WIN]})

    @property
    def clusters(self) -> pl.DataFrame:
        """The clusters as sums have them."""
        columns = {CLUSTER: self.units.unit, STRATUM: self.units.stratum, ROWS: self.units.rows}
        return pl.DataFrame(columns, schema={CLUSTER: pl.UInt16, STRATUM: pl.UInt16, ROWS: pl.Int64})


def tallies(sums: Sums) -> dict[str, tuple[int, ...]]:
    """Games and wins of a city or seat in every cluster."""
    cells = sums.cells.group_by(CLUSTER).agg(pl.col(COUNT, WIN).sum()).sort(CLUSTER)
    return {"unit": tuple(cells[CLUSTER]), "games": tuple(cells[COUNT]), "wins": tuple(cells[WIN])}


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


class Plan(NamedTuple):
    """The games that are played."""

    strategies: tuple[str, ...] = STRATEGIES
    players: int = PLAYERS
    games: int = GAMES
    precision: float | None = None  # percentage points, in place of a number of games
    seed: int = SEED
    rules: str | None = None  # the file of a variant
    cards: bool = False  # the power of cards is played, too


@dataclass(frozen=True)
class Played:
    """The present game, measured."""

    arm: Arm
    sums: Sums  # by city and seat
    cards: dict[str, Card] | None = None  # their power, where it was played

    @property
    def players(self) -> int:
        """Players at the table."""
        return self.arm.sections[0].players

    @property
    def games(self) -> int:
        """Games that were played."""
        return self.sums.rows // self.players

    @property
    def items(self) -> dict[tuple[str, str], str]:
        """The names of all cities and seats, by kind and id."""
        rules = self.arm.rules
        cities = {("city", id): name for id, name in zip(rules.city_ids, rules.city_names, strict=True)}
        return cities | {("seat", str(seat)): f"seat {seat}" for seat in range(1, self.players + 1)}

    def of(self, kind: str, id: str) -> Sums:
        """The sums of a city or a seat."""
        return self.sums.only(**{kind: int(id) if kind == "seat" else id})

    def shares(self, level: float = LEVEL) -> dict[tuple[str, str], Estimate]:
        """The shares that all cities and seats won."""
        found: dict[tuple[str, str], Estimate] = {}
        each = self.arm.sections[0].group_size * self.players  # rows of a rotation group
        for kind in ("city", "seat"):
            table = shares(self.sums, [kind], WIN, rows_per_group=each, level=level)
            found |= {(kind, str(id)): one for id, one in zip(table[kind], estimates(table), strict=True)}
        return found

    @property
    def margin(self) -> float:
        """The widest margin of all cities."""
        return max(one.margin for (kind, _), one in self.shares().items() if kind == "city")


def played(plan: Plan, run: Run) -> Played:
    """Play the present game, and sum its wins.

    For a precision, numbers of games are tried from a small one on, each played from the first game: the same
    number that is given later plays exactly the same games.
    """
    rules = load_rules(plan.rules)
    table = {"strategies": plan.strategies, "players": plan.players, "cities": "all", "seed": plan.seed}
    games = plan.games if plan.precision is None else FIRST_TRY
    while True:
        arm = resolve_study(study_of({**table, "games": games}), rules, plan.rules)
        sink = ArmSums(SUMMING, run.chunks)
        run.play(Design((arm,)), sink)
        found = Played(arm, sink.sums[0])
        if plan.precision is None or found.margin <= plan.precision / 100:
            return replace(found, cards=cards_of(plan, found.games, run)) if plan.cards else found
        games = math.ceil(found.games * (found.margin / (plan.precision / 100)) ** 2 * SLACK)


def cards_of(plan: Plan, games: int, run: Run) -> dict[str, Card]:
    """The power of every card in the present game: by how much being dealt it raises the win rate."""
    return cards_in(play_and_count(power_options(plan, games), (DEALT,), run, seed=plan.seed))


def power_options(plan: Plan, games: int) -> PowerOptions:
    """The options for the power of cards; refused where no card is left to swap."""
    who = {"strategies": plan.strategies, "players": plan.players}
    return PowerOptions.of({"kind": "cards", **who, "games": games, "rules": plan.rules})


def cards_in(counts: Counts) -> dict[str, Card]:
    """The power of every card in games that were counted."""
    worth = [over_all_cities for (over_all_cities,) in counts.effects(DEALT, WINS).averaged().estimates()]
    return {
        id: Card.model_validate({"name": name, **one.data()})
        for (id, name), one in zip(things_of(counts.kind, counts.rules).items(), worth, strict=True)
        if math.isfinite(one.value)
    }


def baseline_of(now: Played) -> Baseline:
    """The baseline of a game that was played."""
    found: dict[str, dict[str, KeptShare]] = {"city": {}, "seat": {}}
    known = now.shares()
    for (kind, id), name in now.items.items():
        kept = {"name": name, **known[kind, id].data(), **tallies(now.of(kind, id))}
        found[kind][id] = KeptShare.model_validate(kept)
    unit, stratum, rows = (tuple(now.sums.clusters[column]) for column in (CLUSTER, STRATUM, ROWS))
    return Baseline(
        khora=__version__,
        rules=RulesPlayed.of(now.arm.rules),
        players=now.players,
        strategies=strategies_of(now.arm),
        seed=now.arm.study.seed,
        games=now.games,
        units=Clusters(unit=unit, stratum=stratum, rows=rows),
        cities=found["city"],
        seats=found["seat"],
        cards=now.cards,
    )


def strategies_of(arm: Arm) -> tuple[Player, ...]:
    """The strategies that play, with digests."""
    return tuple(Player(name=one.name, digest=one.digest) for one in arm.strategies)
