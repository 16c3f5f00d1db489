"""Many variants of one game on the same dice and deals: a target, games, elimination, and what answers share.

`sweep` and `balance` are made of it. The base game is always played beside the variants.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
import polars as pl
from pydantic import PlainSerializer

from khora_sim import __version__
from khora_sim.analyses.analysis import AnalysisOptions, Precision, Run
from khora_sim.analyses.cities import most_games
from khora_sim.common import ranges
from khora_sim.common.command_options import USUAL_STRATEGY
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.common.seed_ranges import CHOOSING, seed_in
from khora_sim.common.wording import listed
from khora_sim.errors import UserError, nearest
from khora_sim.pages.table import Column, Ends, Of, pp
from khora_sim.pages.wording import Row
from khora_sim.rules import Rules, variant_data
from khora_sim.rules.assignments import Number, variant_of
from khora_sim.rules.describe import toml_text
from khora_sim.rules.schema import MAX_TEXT
from khora_sim.simulation.experiment import CHUNK_MOST, Design, city_choices, resolve_study
from khora_sim.simulation.result import Result, RulesJson
from khora_sim.simulation.run_dir import OTHER_OUT
from khora_sim.simulation.sinks import ArmSums, Sink
from khora_sim.simulation.study_file import Study, study_of
from khora_sim.simulation.summing import Summing
from khora_sim.stats import Measured, Sums, measured, shares
from khora_sim.stats.dispersion import Distances, distances
from khora_sim.stats.estimate import Array
from khora_sim.stats.paired import share_changes
from khora_sim.strategy.finding import find
from khora_sim.strategy.parameters import split_spec

SUMMING = Summing(("city",), ("win_share",))
MANY = 4  # arms from which on each has few chunks: there is work for everybody, and a chunk costs something
TURNS = 2  # of all sets of cities that are played at least: each set is a stratum, which needs two groups
NEAR_ENOUGH = 0.02  # of what the shares of all cities average: a target may be a little off
RANGE = "argos=25, argos=25+-2 or argos=23..27"
CHANGES = {"value": "change", "low": "change_low", "high": "change_high", "p_value": "p_value"}

ALPHA = 0.01  # of a stage; leaders are evaluated at 5 %
CUT = 3  # of so many variants one is played on
SEEDS_EACH = 100  # choosing seeds of one number
WORSE, LEFT = "worse", "left behind"


class VariantsOptions(AnalysisOptions):
    """Options of analyses that play many variants of a game."""

    usual_games: ClassVar[int] = 14_000

    precision: Annotated[
        Precision, "Play until every change of a win rate is known to ± this many pp, in place of --games."
    ] = None

    def check(self) -> None:
        """Refuse strategies that are not there, without loading any, and what cannot be varied."""
        if not self.strategies:
            raise UserError(f"--strategies: nobody is named; say who plays, such as {USUAL_STRATEGY}")
        for name in self.named_strategies:
            find(split_spec(name)[0])
        _ = self.subject

    @property
    def subject(self) -> "Subject":
        """The game, the numbers and the target, checked."""
        raise NotImplementedError

    @property
    def head(self) -> dict[str, Any]:
        """The fields with which an answer begins."""
        base, numbers, target = self.subject
        named = {name: getattr(self, name) for name in ("players", "seed", "judging_seed", "precision")}
        return {"rules": base, "rules_file": self.rules, "numbers": numbers, "target": target, **named}


@dataclass(frozen=True)
class WantedShare:
    """The share that is wanted of a city, in parts of one."""

    share: float
    within: float | None = None  # how far from it is near enough

    def holds(self, value: float) -> bool:
        """Tell if a share is near enough."""
        return self.within is not None and abs(value - self.share) <= self.within + 1e-12

    def in_words(self) -> str:
        """`25 %`, or `25 ± 2 %`."""
        near = "" if self.within is None else f" ± {100 * self.within:g}"
        return f"{100 * self.share:g}{near} %"


@dataclass(frozen=True)
class Target:
    """The win shares that are wanted of some cities; the others may be as they are."""

    cities: Mapping[str, WantedShare]
    fair: bool  # every city at the fair share

    @property
    def shares(self) -> Array:
        """The wanted shares, in the order of the cities."""
        return np.array([one.share for one in self.cities.values()])

    def distance(self, shares: Array) -> float:
        """The typical distance of shares from the wanted ones: the root of their mean square."""
        return float(np.sqrt(((shares - self.shares) ** 2).mean()))

    def is_reached(self, shares: Array) -> bool:
        """Tell if every share is as near to the wanted one as is wanted."""
        return all(map(WantedShare.holds, self.cities.values(), shares))

    def measured(self, sums: Sums, rows_per_group: int) -> Measured:
        """The shares of the cities that something is wanted of."""
        ours = sums.only(pl.col("city").cast(pl.String).is_in(list(self.cities)))
        return measured(ours, "city", "win_share", rows_per_group=rows_per_group)

    def in_words(self, names: Mapping[str, str]) -> str:
        """The target in a few words."""
        if len({*self.cities.values()}) == 1 and len(self.cities) == len(names):
            (wanted,) = {*self.cities.values()}
            share = wanted.in_words()
            return f"every city at {f'the fair share ({share})' if self.fair else share}"
        return listed([f"{names[city]} at {wanted.in_words()}" for city, wanted in self.cities.items()])

    def data(self) -> dict[str, Any]:
        """The target for a script."""
        return {city: asdict(one) for city, one in self.cities.items()}


class Subject(NamedTuple):
    """The game that is changed, the numbers that are varied, and the target."""

    base: Rules
    numbers: tuple[Number, ...]
    target: Target


def target_of(typed: Sequence[str], rules: Rules, players: int, within: float | None = None) -> Target:
    """The target that was typed, in per cent; nothing typed is the fair share for every city.

    `within` is near enough where nothing else is typed.
    """
    every, named = WantedShare(1 / players, within), {}
    parts = [part.strip() for one in typed for part in one.split(",")]
    for part in parts:
        city, equals, share = part.rpartition("=")
        wanted = _wanted(share, part, within)
        if not equals:
            every = wanted
        elif city not in rules.city_ids:
            raise UserError(f'--target {part}: no city is called "{city}"; {nearest(city, rules.city_ids)}')
        elif city in named:
            raise UserError(f"--target {part}: {city} is given twice; give it once")
        else:
            named[city] = wanted
    general = not parts or any("=" not in part for part in parts)
    cities = {city: named.get(city, every) for city in rules.city_ids if general or city in named}
    if len(cities) == len(rules.city_ids):
        _check_mean(cities.values(), ",".join(parts), players)
    return Target(cities, fair=not named and every.share == 1 / players)


def _check_mean(wanted: Collection[WantedShare], typed: str, players: int) -> None:
    """Refuse shares for all cities that cannot come together: one player of each table wins."""
    fair, mean = 1 / players, sum(one.share for one in wanted) / len(wanted)
    near = sum(one.within or 0.0 for one in wanted) / len(wanted)
    if abs(mean - fair) > near + NEAR_ENOUGH:
        raise UserError(
            f"--target {typed}: the win shares of all cities average {100 * fair:.3g} % at tables of "
            f"{players}, not {100 * mean:.3g} %; try {100 * fair:.3g}, or name only the cities that matter"
        )


def _wanted(typed: str, part: str, within: float | None) -> WantedShare:
    found = ranges.share(typed)
    if found is None:
        raise UserError(f"--target {part}: should be a win share in per cent, such as {RANGE}")
    if 0 < found.centre < 1:
        if ".." in typed:
            raise UserError(f"--target {part}: a win share is given in per cent, such as {RANGE}")
        percent = part.replace(f"{found.centre}", f"{100 * float(found.centre):g}", 1)
        raise UserError(f"--target {part}: a win share is given in per cent; try {percent}")
    near = within if found.within is None else float(found.within) / 100
    return WantedShare(float(found.centre) / 100, near)


@dataclass(frozen=True)
class VariantGames:
    """Variants as they are played: by whom, at which table, and in which run."""

    strategies: tuple[str, ...]
    players: int
    rules: Rules  # the base game of the question
    run: Run

    @property
    def rows_per_group(self) -> int:
        """Rows of a city in a rotation group: one in each of its games."""
        return self.players

    @property
    def lineup(self) -> str:
        """The way in which strategies come to the table."""
        return resolve_study(self.study(1, 0), self.rules).study.lineup

    def least_games(self) -> int:
        """The fewest games that tell sets of cities apart from luck."""
        study = self.study(1, 0)
        return TURNS * city_choices(study, len(self.rules.city_ids), self.players) * self.players

    def study(self, games: int, seed: int) -> Study:
        """The games of one variant: all sets of cities equally often."""
        table = {"strategies": self.strategies, "players": self.players, "cities": "all"}
        return study_of({**table, "games": games, "seed": seed})

    def played(
        self, variants: Sequence[Rules], study: Study, precision: float | None = None
    ) -> tuple[list[Sums], int]:
        """The sums of the base game and of every variant, and the games that each has played.

        With a precision they end when the change of every city's share is known to so many percentage points.
        """
        arm = resolve_study(study, self.rules)
        if len(variants) >= MANY and precision is None:
            (section,) = arm.sections
            groups = min(section.groups, CHUNK_MOST // section.group_size)
            arm = replace(arm, sections=(replace(section, chunk_groups=groups),))
        # Numbers are all that differs: cities, options and strategies are those of the base game.
        design = Design((arm, *(replace(arm, rules=rules) for rules in variants)))
        sink = ArmSums(SUMMING, self.run.chunks)

        def is_precise(_: Sink) -> bool:
            if not sink.sums:
                return False  # the first row is not whole yet
            base, *others = (sink.sums[place] for place in sorted(sink.sums))
            changes = [share_changes(base, one, "win_share", self.rows_per_group, ["city"]) for one in others]
            most = (precision or 0) / 100
            return all(((table["high"] - table["low"]) / 2 <= most).all() for table in changes)

        self.run.play(design, sink, None if precision is None else is_precise)
        sums = [sink.sums[place] for place in range(len(design.arms))]
        return sums, sums[0].rows // self.players

    def evaluated(self, variants: Sequence[Rules], options: VariantsOptions) -> tuple[list[Sums], int]:
        """The same on judging seeds, with as many games as the options or their precision ask for."""
        study = self.study(max(options.games_wanted or 1, self.least_games()), options.judging_seed)
        if options.precision is None:
            return self.played(variants, study)
        most = most_games(study, options.precision / math.sqrt(2), len(self.rules.city_ids))
        return self.played(variants, study.model_copy(update={"games": most}), options.precision)

    def compared(self, sums: Sequence[Sums], target: Target) -> Distances:
        """The distances of variants from a target."""
        found = [target.measured(one, self.rows_per_group) for one in sums]
        return distances(found, [target.shares] * len(found))

    def by_city(self, base: Sums, own: Sums) -> pl.DataFrame:
        """Shares of every city in a variant, and their changes; the base game itself changes by nothing."""
        each = self.rows_per_group
        share = shares(own, ["city"], "win_share", rows_per_group=each).drop("units")
        if own is base:
            nothing = [pl.lit(0.0).alias(name) for name in ("change", "change_low", "change_high")]
            joined = share.with_columns(*nothing, pl.lit(None, pl.Float64).alias("p_value"))
        else:
            change = share_changes(base, own, "win_share", each, ["city"]).drop("n").rename(CHANGES)
            joined = share.join(change, on="city", maintain_order="left")
        return joined.with_columns(pl.col("city").cast(pl.String))


@dataclass(frozen=True)
class Stage:
    """One stage of elimination in numbers."""

    number: int  # from 1
    seed: int
    games: int  # of each variant, in this stage
    variants: int  # that were played, without the base game
    worse: int  # that were significantly worse than the best, and were dropped
    left: int  # that were not distinguishable, and were dropped for want of games

    @property
    def on(self) -> int:
        """Variants that are played on."""
        return self.variants - self.worse - self.left


@dataclass(frozen=True)
class Placing:
    """The stage in which a variant ended, and its sums."""

    stage: int
    why: str | None  # it was dropped; None for those that lead
    own: Sums
    base: Sums  # of the same games
    square: float  # mean squared distance from the target


@dataclass(frozen=True)
class Elimination:
    """The stages, and where every variant ended."""

    stages: tuple[Stage, ...] = ()
    placings: tuple[Placing, ...] = ()  # in the order of the variants

    @property
    def leaders(self) -> list[int]:
        """Variants that were not dropped, best first."""
        alive = [place for place, one in enumerate(self.placings) if one.why is None]
        return sorted(alive, key=lambda place: self.placings[place].square)


def choosing_seed(number: int, stage: int) -> int:
    """The seed of a stage."""
    return seed_in(CHOOSING, number * SEEDS_EACH + stage)


def eliminate(
    games: VariantGames,
    variants: Sequence[Rules],
    target: Target,
    each: int,
    leaders: int,
    seed: int,
    before: int = 0,
    what: str = "stage",
) -> Elimination:
    """Play variants by stages until few enough lead; `each` are the games that a stage has for all of them.

    Each stage has choosing seeds of its own, which follow those taken `before`, and its games add to those of
    earlier stages. A variant is dropped if it is farther from the target than the best one, significantly so
    after Holm's correction. Of the rest the best third is played on; the others are left behind, though they
    are not distinguishable.
    """
    placings: dict[int, Placing] = {}
    alive = list(range(len(variants)))
    stages: list[Stage] = []
    total: dict[int, Sums] = {}  # by variant; -1 is the base game
    while not stages or len(alive) > leaders:
        number = len(stages) + 1
        games.run.progress.step(f"{what} {number}: {len(alive)} variants")
        count = max(each // len(alive), games.least_games())
        study = games.study(count, choosing_seed(seed, before + number))
        sums, played = games.played([variants[one] for one in alive], study)
        for place, added in zip([-1, *alive], sums, strict=True):
            total[place] = total[place] + added if place in total else added
        found = games.compared([total[place] for place in (-1, *alive)], target)
        squares = dict(zip(alive, found.squares[1:], strict=True))
        worse = {one for one, sure in zip(alive, found.worse_than_best(ALPHA)[1:], strict=True) if sure}
        worse.discard(min(alive, key=lambda one: squares[one]))  # one is evaluated against the base game
        better = sorted((one for one in alive if one not in worse), key=lambda one: squares[one])
        on = better[: max(leaders, -(-len(alive) // CUT))]
        for one in alive:
            why = WORSE if one in worse else None if one in on else LEFT
            placings[one] = Placing(number, why, total[one], total[-1], float(squares[one]))
        left = len(better) - len(on)
        stages.append(Stage(number, study.seed, played, len(alive), len(worse), left))
        alive = sorted(on)
    return Elimination(tuple(stages), tuple(placings[one] for one in range(len(variants))))


class VariantsResult(Result):
    """The head of an answer about many variants; all shares in it hold for the players that are named."""

    format: Literal[1] = 1
    khora: str = __version__
    rules: RulesJson  # the game that was changed
    rules_file: str | None
    players: int
    seed: int  # a number, of which all seeds follow
    judging_seed: int
    precision: float | None  # given, in percentage points
    target: Annotated[Target, PlainSerializer(Target.data, return_type=dict[str, Any])]
    numbers: tuple[Number, ...]

    @property
    def names(self) -> dict[str, str]:
        """The cities' names by their ids."""
        return dict(zip(self.rules.city_ids, self.rules.city_names, strict=True))

    @property
    def target_text(self) -> str:
        """The target in a few words."""
        return self.target.in_words(self.names)

    @property
    def facts(self) -> list[str]:
        """The table, seed and rules, in a few words each."""
        return [f"{self.players} players", f"seed {self.seed}", f"rules {self.rules.short_hash}"]


def change_column(title: str, of: Of | Ends, is_base: Callable[[Row], bool]) -> Column:
    """Changes from the base game in percentage points; the base game itself has none."""
    column = pp(title, of)
    return replace(column, read=lambda row: None if is_base(row) else column.read(row), unknown="")


def write_variant(path: Path, typed: Sequence[str], start: str | None, **described: str) -> None:
    """Write assignments on top of a variant, or of the base game, as the file of a variant."""
    made = variant_of(typed, variant_data(start)) | described
    with explain_write_errors(path, OTHER_OUT):
        write_atomically(path, toml_text({**made, "text": made["text"][:MAX_TEXT]}).encode())
