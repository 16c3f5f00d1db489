"""The ladder: strategies against each other, one against all others of another, and a rating of each.

Every ordered pair is an arm of one design, played in rotation groups: as many games on the same seed as
there are seats, the one in each seat once. At a table of two both orders are the same games. A folder keeps
every pair as a study of its own, so that a further strategy plays its own pairs only.
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import astuple
from functools import cached_property, partial
from itertools import combinations, permutations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import polars as pl
from pydantic import computed_field

from khora_sim.analyses.analysis import (
    NORMAL,
    SLACK,
    Analysis,
    AnalysisOptions,
    Games,
    Players,
    Precision,
    Run,
)
from khora_sim.common.command_options import Flag, Texts
from khora_sim.common.wording import listed
from khora_sim.errors import UserError
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Page, Section
from khora_sim.pages.table import Table, amount, count, number, share, text
from khora_sim.pages.wording import capital
from khora_sim.rules import load_rules
from khora_sim.simulation.dataset import STUDIES, study_folder
from khora_sim.simulation.experiment import CHUNKS, Arm, Design
from khora_sim.simulation.result import EstimateJson, Result, RulesPlayed
from khora_sim.simulation.sinks import Folders, FoldersAndSums, InMemory, Sink
from khora_sim.simulation.summing import Summing, one_against, share_won
from khora_sim.stats import (
    Estimate,
    Ratings,
    Sums,
    decimals_of,
    format_estimate,
    rankings_of_one,
    rate,
    tiers,
)
from khora_sim.stats.plackett_luce import ONE, OTHER, PLACE, SHARING
from khora_sim.stats.sums import CLUSTER, COUNT
from khora_sim.strategy.finding import built_in
from khora_sim.strategy.loading import describe

if TYPE_CHECKING:
    from khora_sim.pages.plots import Canvas

LEFT_OUT = ("example", "wrapper")  # families: how a file is written, and players that are others in disguise
#: Ratings are given as in chess: 400 points more are odds of 10 to 1 to finish ahead, and the mean is 1,500.
MEAN, POINTS = 1500.0, 400 / math.log(10)
SUMMING = Summing(("slot", PLACE, SHARING), ("win_share",))
WORST = 0.5  # the share whose interval is widest
SCALE = "The mean is 1,500; 400 points more are odds of 10 to 1 to finish ahead."
TIERS = "Strategies of one tier are in no settled order; one whose rating has no bounds is in no tier."
#: An interval whose shorter side is less than this part of the longer one is printed as a bound on one side.
ONE_WAY = 0.2
ITSELF = "·"  # a strategy against itself wins its share, and is not played
SMALL, LARGE, MANY = 7, 8, 9  # sizes of numbers, and strategies from which on they are small
LONGEST = 20  # letters of a name
CELL, HEAD = 0.3, 1.0  # inches of a row of cells, and of the names above them


def contenders() -> tuple[str, ...]:
    """The built-in strategies that play where none is named: all but examples and wrappers."""
    return tuple(name for name, path in sorted(built_in().items()) if describe(path).family not in LEFT_OUT)


class LadderOptions(AnalysisOptions):
    """Every pairing meets the same dice and deals, with the one in every seat."""

    command = "ladder"
    usual_games: ClassVar[int] = 400

    strategies: Annotated[
        Texts,
        Flag(
            "Who plays: names, name:parameter=value, ./file.py. Usually all built-in ones but examples. With "
            "--resume, in addition to those there.",
            metavar="NAME",
            argument=True,
            strategies=True,
            grows=True,
        ),
    ] = contenders()
    players: Annotated[Players, Flag("Players at the table: one of a strategy, the others of another.")] = 4
    games: Annotated[
        Games,
        Flag(
            "Games of each pairing, rounded up to rotation groups. 400 tell win rates to ± 5 pp.", metavar="N"
        ),
    ] = None
    precision: Annotated[
        Precision,
        Flag(
            "Play every pairing until its win rate is known to ± this many pp, in place of --games.",
            metavar="PP",
        ),
    ] = None

    def check(self) -> None:
        """Refuse who is named twice or alone."""
        twice = sorted({name for name in self.strategies if self.strategies.count(name) > 1})
        if twice:
            raise UserError(f"{twice[0]}: named twice; name every strategy once")
        if len(self.strategies) < 2:
            raise UserError(
                "a ladder needs two strategies or more; name another, or none for all built-in ones"
            )
        load_rules(self.rules)


class Pairing(Result):
    """One strategy against all others of another, and the share of games that the one won."""

    one: str
    other: str
    share: EstimateJson


class Rung(Result):
    """A strategy on the ladder.

    Who always wins or always loses has a rating without bounds. Strategies of one tier are in no settled
    order; whose rating has no bounds is in no tier.
    """

    strategy: str
    tier: int | None
    rating: EstimateJson


class Ladder(Result):
    """The strategies, strongest first, and who wins how much against whom."""

    rules: RulesPlayed
    strategies: tuple[str, ...]  # as they were named
    players: int
    games: int | None  # asked for, of each pairing
    precision: float | None  # asked for, in percentage points
    seed: int
    rungs: tuple[Rung, ...]
    pairings: tuple[Pairing, ...]  # every ordered pair, in the order of the rungs

    @property
    def names(self) -> list[str]:
        """The strategies, strongest first."""
        return [rung.strategy for rung in self.rungs]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def null(self) -> float:
        """The share that a strategy wins of games against others just like it."""
        return 1 / self.players

    @cached_property
    def shares(self) -> dict[tuple[str, str], Estimate]:
        """Share of games that the first wins against all others of the second."""
        return {(pairing.one, pairing.other): pairing.share for pairing in self.pairings}

    def beats(self, one: str, other: str) -> bool:
        """True if one certainly wins more than its share: its 95 % interval lies above the null."""
        return self.shares[one, other].low > self.null

    @computed_field  # type: ignore[prop-decorator]
    @property
    def mutual(self) -> list[tuple[str, str]]:
        """Pairs of which each beats a table of the other: being the only one of its kind pays."""
        both = combinations(self.names, 2)
        return [(a, b) for a, b in both if self.beats(a, b) and self.beats(b, a)]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cycles(self) -> list[tuple[str, ...]]:
        """Strategies that beat each other in a ring, of those that are not beaten in return."""
        beaten: dict[str, set[str]] = {one: set() for one in self.names}
        for one, other in permutations(self.names, 2):
            if self.beats(one, other) and not self.beats(other, one):
                beaten[one].add(other)
        return cycles_in(beaten)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unsettled(self) -> list[list[str]]:
        """Strategies whose ratings are not distinguishable, those of a tier together."""
        tiers: dict[int, list[str]] = {}
        for rung in self.rungs:
            if rung.tier is not None:
                tiers.setdefault(rung.tier, []).append(rung.strategy)
        return [names for names in tiers.values() if len(names) > 1]

    @property
    def sentences(self) -> list[str]:
        """Sentences on what a table does not show at a glance."""
        found = []
        for ring in self.cycles:
            beaten = [f"{a} beats {b}" for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)]
            found.append(f"{listed(beaten)}: a cycle, so no order is right for all of them.")
        for a, b in self.mutual:
            found.append(f"{a} and {b} each win more than their share against a table of the other.")
        for names in self.unsettled:
            # Some two of many may be distinguishable; their order as a whole is not settled.
            how = "not distinguishable" if len(names) == 2 else "in no settled order"
            found.append(f"{listed(names)} are {how} by their ratings.")
        unbounded = [rung.strategy for rung in self.rungs if rung.tier is None]
        if unbounded:
            found.append(f"No bounds on the rating of {listed(unbounded)}: too few games won or lost.")
        return found


class LadderAnalysis(Analysis[LadderOptions, Ladder]):
    """Strategies against each other."""

    Options = LadderOptions
    own = (STUDIES,)

    def run(self, options: LadderOptions, run: Run) -> Ladder:
        """Play what is missing of every pair, and rate the strategies."""
        arms = arms_of(options)
        if options.precision is None:
            return evaluated(options, _played(Design(tuple(arms)), run))
        sums = [_played(Design((arm,)), run, options.precision) for arm in arms]
        return evaluated(options, [one for (one,) in sums])

    def brief(self, result: Ladder, *, full: bool = False) -> Sequence[str | Table]:
        """Ratings, who wins how much against whom, and what is not settled."""
        chance = f"chance alone gives {100 * result.null:.3g} %"
        return [
            f"{capital(', '.join(facts(result)))}.",
            "",
            _ratings(result),
            SCALE,
            "",
            f"Won by the row against the column, in %, with 95 % intervals; {chance}.",
            _crossed(result),
            *([""] if result.sentences else []),
            *result.sentences,
        ]

    def page(self, result: Ladder, options: LadderOptions) -> Page:
        """Ratings and a figure of who wins how much against whom."""
        first, rating = result.rungs[0], format_estimate(result.rungs[0].rating, with_n=False)
        section = Section(
            "ladder",
            "Ratings and win shares",
            f"In each pairing one player has the strategy of the row and {result.players - 1} that of "
            "the column; the one plays from every seat.",
            [figure(result)],
            [_ratings(result).only(("Strategy", "Rating", "Seats", "Tier")), _shares(result)],
        )
        return Page(
            kind="Ladder",
            title="Strategies against each other",
            facts=facts(result),
            headline=f"{first.strategy} has the highest rating, {rating}.",
            detail=SCALE,
            sure=result.sentences,
            sections=[section],
        )


def pairs(options: LadderOptions) -> list[tuple[str, str]]:
    """The one and the others of every arm that is played."""
    return list((combinations if options.players == 2 else permutations)(options.strategies, 2))


def arms_of(options: LadderOptions) -> list[Arm]:
    """An arm for each pair: the one in slot 1, moving around the table."""
    games = options.games_wanted or most_games(options.players, options.precision or 1.0)
    given = (options.players, games, options.judging_seed, load_rules(options.rules), options.rules)
    return [one_against(one, other, *given) for one, other in pairs(options)]


def most_games(players: int, precision: float) -> int:
    """Games after which the share of a pairing is known to a precision, whatever it is."""
    needed = WORST * (1 - WORST) * (100 * NORMAL / precision) ** 2 * SLACK
    turns = players * CHUNKS
    return turns * math.ceil(needed / turns)


def _played(design: Design, run: Run, precision: float | None = None) -> list[Sums]:
    """Play what is missing of some pairs, of one if it is to a precision; a folder keeps every game."""
    memory = InMemory(SUMMING)
    players = design.arms[0].sections[0].players

    def precise_enough(_: Sink) -> bool:
        assert precision is not None
        return share_won(memory.sums[0], players).margin <= precision / 100

    until = None if precision is None else precise_enough
    if run.dir is None:
        run.play(design, memory, until)
    else:
        home = run.dir.folder(STUDIES)
        folders = Folders([study_folder(home, arm) for arm in design.arms], resume=True, home=home)
        run.play(design, FoldersAndSums(folders, memory), until)
    return [memory.sums[place] for place in range(len(design.arms))]


def evaluated(options: LadderOptions, sums: Sequence[Sums]) -> Ladder:
    """The ladder from the sums of every pair, in the order of `pairs`."""
    played = dict(zip(pairs(options), sums, strict=True))
    rungs = _rungs(rate(rankings_of_one(_finishes(played), options.players, "strategy")))

    def won(one: str, other: str) -> Estimate:
        if (one, other) in played:
            return share_won(played[one, other], options.players)
        # The other order of a table of two is the same games, seen from slot 2.
        return share_won(played[other, one], options.players, slot=2)

    return Ladder(
        rules=RulesPlayed.of(load_rules(options.rules)),
        strategies=options.strategies,
        players=options.players,
        games=options.games_wanted,
        precision=options.precision,
        seed=options.judging_seed,
        rungs=rungs,
        pairings=tuple(
            Pairing(one=one, other=other, share=won(one, other))
            for one, other in permutations([rung.strategy for rung in rungs], 2)
        ),
    )


def _finishes(played: dict[tuple[str, str], Sums]) -> pl.DataFrame:
    """Places in which the one of each pair finished, counted by cluster."""
    return pl.concat(
        sums.only(slot=1).cells.select(
            pl.lit(one).alias(ONE), pl.lit(other).alias(OTHER), CLUSTER, PLACE, SHARING, COUNT
        )
        for (one, other), sums in played.items()
    )


def _rungs(ratings: Ratings) -> tuple[Rung, ...]:
    """The strategies by their ratings, strongest first."""
    known = ratings.measured["strategy"]
    placed = tiers(known).table if len(known.items) > 1 else pl.DataFrame({"item": [], "tier": []})
    tier_of = dict(placed.select("item", "tier").iter_rows())
    rows = ratings.table.sort("value", "level", descending=[True, False])
    points = pl.col("value", "low", "high") * POINTS + MEAN
    return tuple(
        Rung(strategy=name, tier=tier_of.get(name), rating=Estimate(*rating))
        for name, *rating in rows.select("level", points, "n").iter_rows()
    )


def cycles_in(beaten: Mapping[str, Set[str]]) -> list[tuple[str, ...]]:
    """The shortest cycle through everyone who is in one, each listed once; `beaten` has whom each beats.

    In a cycle A beats B, B beats C, and C beats A. It begins with the first of its names in the alphabet.
    """
    found = set()
    for cycle in (_shortest(one, beaten) for one in beaten):
        first = cycle.index(min(cycle)) if cycle else 0
        found.add(cycle[first:] + cycle[:first])
    return sorted(found - {()}, key=lambda cycle: (len(cycle), cycle))


def _shortest(start: str, beaten: Mapping[str, Set[str]]) -> tuple[str, ...]:
    """The shortest way from one back to itself, found breadth first; empty if there is none."""
    ways: list[tuple[str, ...]] = [(start,)]
    seen = set()
    for way in ways:  # grows meanwhile
        for other in sorted(beaten.get(way[-1], ())):
            if other == start:
                return way
            if other not in seen:
                seen.add(other)
                ways.append((*way, other))
    return ()


def _crossed(ladder: Ladder) -> Table:
    """Rows against columns, which have the numbers of the rows, so that many strategies fit a line."""
    names = ladder.names
    places = [number("", lambda one: names.index(one) + 1), text("One", str)]
    shares = [
        number(str(place), partial(cell, ladder, other=other), str) for place, other in enumerate(names, 1)
    ]
    return Table.of("", "", names, [*places, *shares])


def facts(ladder: Ladder) -> list[str]:
    """Facts of what was played, in a few words each."""
    games = {pairing.share.n for pairing in ladder.pairings}
    least, most = min(games), max(games)
    return [
        f"one strategy against {ladder.players - 1} of another",
        f"{ladder.players} players",
        "seats rotated",
        f"{least:,} games a pairing" if least == most else f"{least:,} to {most:,} games a pairing",
        f"seed {ladder.seed}",
        *([] if ladder.rules.name == "base" else [f"rules {ladder.rules.name}"]),
    ]


def cell(ladder: Ladder, one: str, other: str) -> str:
    """`68 ±4`; where nothing lies beyond the value, `0 +4` and `100 −4`."""
    won = ladder.shares.get((one, other))
    if won is None:
        return ITSELF
    value, low, high, margin = (100 * end for end in (won.value, won.low, won.high, won.margin))
    if value - low < ONE_WAY * (high - value):
        return f"{value:.0f} +{high - value:.0f}"
    if high - value < ONE_WAY * (value - low):
        return f"{value:.0f} −{value - low:.0f}"
    places = max(decimals_of(margin), 0) if margin < 0.5 else 0
    return f"{value:.{places}f} ±{margin:.{places}f}"


def _ratings(ladder: Ladder) -> Table:
    """The strategies with their ratings, strongest first."""
    columns = [
        number("", lambda rung: ladder.rungs.index(rung) + 1),
        text("Strategy", "strategy"),
        amount("Rating", "rating"),
        count("Seats", lambda rung: rung.rating.n),
        number("Tier", "tier", unknown=""),
    ]
    rows = [(one.strategy, *astuple(one.rating), one.tier) for one in ladder.rungs]
    frame = pl.DataFrame(rows, ["strategy", "rating", "low", "high", "n", "tier"], orient="row")
    return Table.of(
        "ratings", "Ratings, strongest first", ladder.rungs, columns, note=TIERS, open=True, frame=frame
    )


def _shares(ladder: Ladder) -> Table:
    """Win share of every strategy against every other one."""
    columns = [
        text("One", "one"),
        text("Others", "other"),
        share("Win share", "share"),
        count("n", lambda pairing: pairing.share.n),
    ]
    rows = [(one.one, one.other, *astuple(one.share)) for one in ladder.pairings]
    frame = pl.DataFrame(rows, ["one", "other", "win_share", "low", "high", "n"], orient="row")
    title = "Win share of one strategy against all others of another"
    return Table.of("shares", title, ladder.pairings, columns, frame=frame)


def figure(ladder: Ladder) -> Figure:
    """The cross-table as a heat map, strongest first, over the ratings with their intervals."""
    names = [_short(name) for name in ladder.names]
    height, ratings = len(names) * CELL + HEAD, plots.dots_height(len(names))
    cells = [[ladder.shares.get((row, column)) for column in ladder.names] for row in ladder.names]

    def draw(canvas: "Canvas") -> None:
        upper, lower = canvas.subplots(2, 1, height_ratios=[height, ratings])
        values = np.array([[_strength(cell, ladder.null) for cell in row] for row in cells])
        texts = [[ITSELF if cell is None else f"{100 * cell.value:.0f}" for cell in row] for row in cells]
        size = LARGE if len(names) < MANY else SMALL
        plots.heat(upper, values, texts, names, names, 0.0, least=1.0, size=size)
        found = [rung.rating for rung in ladder.rungs]
        plots.dots(
            lower,
            [plots.Dot(name, one.value, one.low, one.high) for name, one in zip(names, found, strict=True)],
        )
        plots.as_plain(lower.xaxis)
        lower.set_xlabel("rating")

    others = {1: "one", 2: "two", 3: "three"}[ladder.players - 1]
    least = min(won.n for won in ladder.shares.values())
    margins = sorted(round(100 * won.margin) for won in ladder.shares.values())
    return Figure(
        "ladder",
        f"Won by the row against {others} of the column, in %",
        "Blue rows win more than their share against the strategy above the column, orange ones less.",
        draw,
        height=height + ratings,
        counted=f"Shares: n {least:,} games each, 95 % intervals of ± {margins[0]} to "
        f"± {margins[-1]} points, chance alone {100 * ladder.null:.3g} %. Ratings: with 95 % intervals.",
    )


def _short(name: str) -> str:
    """A strategy in the margin of a figure: without its folder, and cut where it is long."""
    name = Path(name).name
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def _strength(won: Estimate | None, null: float) -> float:
    """The distance of a share from the null, as a part of how far it can be."""
    if won is None:
        return float("nan")
    return (won.value - null) / (1 - null if won.value > null else null)


COMMAND = LadderAnalysis()
