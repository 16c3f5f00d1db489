"""The ladder: strategies against each other, one against all others of another, and a rating of each.

Every ordered pair is an arm of one design, played in rotation groups: as many games with the same luck as
there are seats, the one in each seat once. At a table of two both orders are the same games. A folder keeps
every pair as a study of its own, so that a further strategy plays its own pairs only.
"""

import math
from collections.abc import Mapping, Sequence, Set
from functools import cached_property
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
from khora_sim.pages.page_model import Figure, Page, Section, Table, counts, filled, grid, ordered, words
from khora_sim.pages.wording import INTERVALS, capital
from khora_sim.rules import load_rules
from khora_sim.simulation.dataset import STUDIES, study_folder
from khora_sim.simulation.experiment import CHUNKS, Arm, Design
from khora_sim.simulation.result import EstimateJson, Result, RulesPlayed
from khora_sim.simulation.run import Until
from khora_sim.simulation.run_dir import RunOptions
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
    from khora_sim.pages.page_model import Page, Table
    from khora_sim.pages.plots import Canvas

LEFT_OUT = ("example", "wrapper")  # families: how a file is written, and players that are others in disguise
#: Ratings are given as in chess: 400 points more are odds of 10 to 1 to finish ahead, and the mean is 1,500.
MEAN, POINTS = 1500.0, 400 / math.log(10)
SUMMING = Summing(("slot", PLACE, SHARING), ("win_share",))
WORST = 0.5  # the share whose interval is widest


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
        """What the first wins against all others of the second."""
        return {(pairing.one, pairing.other): pairing.share for pairing in self.pairings}

    def beats(self, one: str, other: str) -> bool:
        """Whether one certainly wins more than its share: its 95 % interval lies above the null."""
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
        names = self.names
        return cycles_in(
            {
                one: {b for b in names if b != one and self.beats(one, b) and not self.beats(b, one)}
                for one in names
            }
        )

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
        """What a table does not show at a glance, in words."""
        sentences = [f"{_ring(ring)}: a cycle, so no order is right for all of them." for ring in self.cycles]
        sentences += [
            f"{a} and {b} each win more than their share against a table of the other."
            for a, b in self.mutual
        ]
        sentences += [f"{listed(names)} {_not_distinguishable(names)}." for names in self.unsettled]
        unbounded = [rung.strategy for rung in self.rungs if rung.tier is None]
        if unbounded:
            sentences.append(f"No bounds on the rating of {listed(unbounded)}: too few games won or lost.")
        return sentences


def _ring(cycle: Sequence[str]) -> str:
    """`a beats b, b beats c and c beats a`."""
    return listed([f"{a} beats {b}" for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True)])


def _not_distinguishable(names: Sequence[str]) -> str:
    """Some two of many may be distinguishable; their order as a whole is not settled."""
    return (
        "are not distinguishable by their ratings"
        if len(names) == 2
        else "are in no settled order by their ratings"
    )


class LadderAnalysis(Analysis[LadderOptions, Ladder]):
    """Strategies against each other."""

    Options = LadderOptions
    own = (STUDIES,)

    def run(self, options: LadderOptions, run: Run) -> Ladder:
        """Play what is missing of every pair, and rate the strategies."""
        arms = arms_of(options)
        if options.precision is None:
            return judged(options, _played(Design(tuple(arms)), run))
        sums = [_played(Design((arm,)), run, options.precision) for arm in arms]
        return judged(options, [one for (one,) in sums])

    def brief(self, result: Ladder, *, full: bool = False) -> "Sequence[str | Table]":
        """Ratings, who wins how much against whom, and what is not settled."""
        return brief(result)

    def page(self, result: Ladder, options: LadderOptions) -> "Page":
        """The same with a figure."""
        return page_of(result, options)


def pairs(options: LadderOptions) -> list[tuple[str, str]]:
    """Who is the one and who are the others, in every arm that is played."""
    return list((combinations if options.players == 2 else permutations)(options.strategies, 2))


def arms_of(options: LadderOptions) -> list[Arm]:
    """An arm for each pair: the one in slot 1, moving around the table."""
    games = options.games_wanted or most_games(options.players, options.precision or 1.0)
    asked = (options.players, games, options.judging_seed, load_rules(options.rules), options.rules)
    return [one_against(one, other, *asked) for one, other in pairs(options)]


def most_games(players: int, precision: float) -> int:
    """Games after which the share of a pairing is known to a precision, whatever it is."""
    needed = WORST * (1 - WORST) * (100 * NORMAL / precision) ** 2 * SLACK
    turns = players * CHUNKS
    return turns * math.ceil(needed / turns)


def _played(design: Design, run: Run, precision: float | None = None) -> list[Sums]:
    """Play what is missing of some pairs, of one if it is to a precision; a folder keeps every game."""
    memory = InMemory(SUMMING)
    until = None if precision is None else _precise_enough(precision, design.arms[0].sections[0].players)
    if run.dir is None:
        run.play(design, memory, until)
    else:
        home = run.dir.folder(STUDIES)
        folders = Folders([study_folder(home, arm) for arm in design.arms], resume=True, home=home)
        run.play(design, FoldersAndSums(folders, memory), until)
    return [memory.sums[place] for place in range(len(design.arms))]


def _precise_enough(precision: float, players: int) -> Until:
    """A stopping rule: the share of a pairing is known to so many percentage points."""

    def reached(sink: Sink) -> bool:
        assert isinstance(sink, InMemory | FoldersAndSums)
        return share_won(sink.sums[0], players).margin <= precision / 100

    return reached


def judged(options: LadderOptions, sums: Sequence[Sums]) -> Ladder:
    """The ladder from the sums of every pair, in the order of `pairs`."""
    played = dict(zip(pairs(options), sums, strict=True))
    rungs = _rungs(rate(rankings_of_one(_finishes(played), options.players, "strategy")))
    order = [rung.strategy for rung in rungs]
    return Ladder(
        rules=RulesPlayed.of(load_rules(options.rules)),
        strategies=options.strategies,
        players=options.players,
        games=options.games_wanted,
        precision=options.precision,
        seed=options.judging_seed,
        rungs=rungs,
        pairings=tuple(
            Pairing(one=one, other=other, share=_share(played, (one, other), options.players))
            for one, other in permutations(order, 2)
        ),
    )


def _share(played: dict[tuple[str, str], Sums], pair: tuple[str, str], players: int) -> Estimate:
    """What the one of a pair won; the other order of a table of two is the same games, seen from slot 2."""
    if pair in played:
        return share_won(played[pair], players)
    return share_won(played[pair[1], pair[0]], players, slot=2)


def _finishes(played: dict[tuple[str, str], Sums]) -> pl.DataFrame:
    """Where the one of each pair finished, counted by unit."""
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
    return tuple(
        Rung(
            strategy=name,
            tier=tier_of.get(name),
            rating=Estimate(_points(value), _points(low), _points(high), n),
        )
        for name, value, low, high, n in rows.select("level", "value", "low", "high", "n").iter_rows()
    )


def _points(log_strength: float) -> float:
    return MEAN + POINTS * log_strength


def cycles_in(beaten: Mapping[str, Set[str]]) -> list[tuple[str, ...]]:
    """The shortest cycle through everyone who is in one, each listed once; `beaten` has whom each beats.

    In a cycle A beats B, B beats C, and C beats A. It begins with the first of its names in the alphabet.
    """
    found = {_turned(cycle) for one in sorted(beaten) if (cycle := _shortest(one, beaten))}
    return sorted(found, key=lambda cycle: (len(cycle), cycle))


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


def _turned(cycle: tuple[str, ...]) -> tuple[str, ...]:
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]


# The ladder for the terminal and for the page: ratings, who wins how much against whom, and a figure.


SCALE = "The mean is 1,500; 400 points more are odds of 10 to 1 to finish ahead."
#: An interval whose shorter side is less than this part of the longer one is printed as a bound on one side.
ONE_WAY = 0.2
ITSELF = "·"  # a strategy against itself wins its share, and is not played
SMALL, LARGE, MANY = 7, 8, 9  # sizes of numbers, and strategies from which on they are small
LONGEST = 20  # letters of a name
CELL, HEAD = 0.3, 1.5  # inches of a row of cells, and of names above and words below


def brief(ladder: "Ladder") -> list[str | Table]:
    """What the terminal prints; columns have the numbers of the rows, so that many strategies fit a line."""
    numbers = [str(place) for place in range(1, len(ladder.rungs) + 1)]
    ratings = [
        (
            number,
            rung.strategy,
            format_estimate(rung.rating, with_n=False),
            f"{rung.rating.n:,}",
            "" if rung.tier is None else str(rung.tier),
        )
        for number, rung in zip(numbers, ladder.rungs, strict=True)
    ]
    shares = [
        (number, one, *(cell(ladder, one, other) for other in ladder.names))
        for number, one in zip(numbers, ladder.names, strict=True)
    ]
    return [
        f"{capital(', '.join(facts(ladder)))}.",
        "",
        grid(("", "Strategy", "Rating", "Seats", "Tier"), ratings, right=("", "Seats", "Tier")),
        SCALE,
        "",
        "Won by the row against the column, in %, with 95 % intervals; chance alone gives "
        f"{100 * ladder.null:.3g} %.",
        grid(("", "One", *numbers), shares, right=("", *numbers)),
        *([""] if ladder.sentences else []),
        *ladder.sentences,
    ]


def facts(ladder: "Ladder") -> list[str]:
    """What was played, in a few words each."""
    return [
        f"one strategy against {ladder.players - 1} of another",
        f"{ladder.players} players",
        "seats rotated",
        f"{_games(ladder)} games a pairing",
        f"seed {ladder.seed}",
        *([] if ladder.rules.name == "base" else [f"rules {ladder.rules.name}"]),
    ]


def _games(ladder: "Ladder") -> str:
    numbers = sorted({pairing.share.n for pairing in ladder.pairings})
    return f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"


def cell(ladder: "Ladder", one: str, other: str) -> str:
    """`68 ±4`; where nothing lies beyond the value, `0 +4` and `100 −4`."""
    share = ladder.shares.get((one, other))
    if share is None:
        return ITSELF
    value, low, high = (100 * number for number in (share.value, share.low, share.high))
    if value - low < ONE_WAY * (high - value):
        return f"{value:.0f} +{high - value:.0f}"
    if high - value < ONE_WAY * (value - low):
        return f"{value:.0f} −{value - low:.0f}"
    places = max(decimals_of(100 * share.margin), 0) if share.margin < 0.005 else 0
    return f"{value:.{places}f} ±{100 * share.margin:.{places}f}"


def page_of(ladder: "Ladder", options: RunOptions) -> Page:
    """The page: ratings, then who wins how much against whom."""
    made_by = options.typed(out=options.out)
    first = ladder.rungs[0]
    return Page(
        kind="Ladder",
        title="Strategies against each other",
        facts=facts(ladder),
        headline=f"{first.strategy} has the highest rating, {format_estimate(first.rating, with_n=False)}.",
        detail=SCALE,
        sure=ladder.sentences,
        sections=[
            Section(
                "ladder",
                "Ratings and win shares",
                "Every strategy played one against all others of every other one, in all seats.",
                [figure(ladder)],
                [_ratings(ladder), _shares(ladder)],
            )
        ],
        made_by=made_by,
        origin=[INTERVALS],
        commands=[made_by],
    )


def _ratings(ladder: "Ladder") -> Table:
    rungs = ladder.rungs
    columns = [
        words("Strategy", ladder.names),
        ordered(
            "Rating",
            [format_estimate(one.rating, with_n=False) for one in rungs],
            [one.rating.value for one in rungs],
        ),
        counts("Seats", [one.rating.n for one in rungs]),
        ordered(
            "Tier",
            ["" if one.tier is None else str(one.tier) for one in rungs],
            [one.tier or 0 for one in rungs],
        ),
    ]
    frame = pl.DataFrame(
        {
            "strategy": ladder.names,
            "rating": [one.rating.value for one in rungs],
            "low": [one.rating.low for one in rungs],
            "high": [one.rating.high for one in rungs],
            "n": [one.rating.n for one in rungs],
            "tier": [one.tier for one in rungs],
        }
    )
    return filled("ratings", "Ratings, strongest first", frame, columns, note=SCALE, open=True)


def _shares(ladder: "Ladder") -> Table:
    """What every strategy wins against every other one."""
    found = [(one.one, one.other, one.share) for one in ladder.pairings]
    rows = [[one, other, share.value, share.low, share.high, share.n] for one, other, share in found]
    return filled(
        "shares",
        "Win share of one strategy against all others of another",
        pl.DataFrame(rows, ["one", "other", "win_share", "low", "high", "n"], orient="row"),
        [
            words("One", [one for one, _, _ in found]),
            words("Others", [other for _, other, _ in found]),
            ordered(
                "Win share",
                [format_estimate(share, percent=True, with_n=False) for _, _, share in found],
                [share.value for _, _, share in found],
            ),
            counts("n", [share.n for _, _, share in found]),
        ],
    )


def figure(ladder: "Ladder") -> Figure:
    """The cross-table as a heat map, strongest first, over the ratings with their intervals."""
    names = ladder.names
    table, ratings = len(names) * CELL + HEAD, plots.dots_height(len(names))

    def draw(canvas: "Canvas") -> None:
        upper, lower = canvas.subplots(2, 1, height_ratios=[table, ratings])
        _draw_shares(upper, ladder)
        rows = [plots.Dot(_short(rung.strategy), *_ends(rung.rating)) for rung in ladder.rungs]
        plots.dots(lower, rows)
        plots.as_plain(lower.xaxis)
        canvas.supxlabel(_caption(ladder), x=0.012, ha="left", fontsize=7.5)

    return Figure(
        "ladder",
        f"Won by the row against {_table_of(ladder)} of the column, in %",
        "Blue rows win more than their share against the strategy above the column, orange ones less.",
        draw,
        height=table + ratings,
        counted=_caption(ladder),
    )


def _draw_shares(axes: object, ladder: "Ladder") -> None:
    names = ladder.names
    cells = [[ladder.shares.get((row, column)) for column in names] for row in names]
    values = np.array([[_strength(cell, ladder.null) for cell in row] for row in cells])
    texts = [[ITSELF if cell is None else f"{100 * cell.value:.0f}" for cell in row] for row in cells]
    size = LARGE if len(names) < MANY else SMALL
    short = [_short(name) for name in names]
    plots.heat(axes, values, texts, short, short, 0.0, least=1.0, size=size)


def _short(name: str) -> str:
    """A strategy in the margin of a figure: without its folder, and cut where it is long."""
    name = Path(name).name
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def _strength(share: Estimate | None, null: float) -> float:
    """How far a share lies from the null, as a part of how far it can."""
    if share is None:
        return float("nan")
    return (share.value - null) / (1 - null if share.value > null else null)


def _ends(rating: Estimate) -> tuple[float, float, float]:
    return rating.value, rating.low, rating.high


def _table_of(ladder: "Ladder") -> str:
    others = ladder.players - 1
    return {1: "one", 2: "two", 3: "three"}.get(others, str(others))


def _caption(ladder: "Ladder") -> str:
    """What the numbers mean and rest on, in lines that fit the width."""
    margins = sorted(round(100 * share.margin) for share in ladder.shares.values())
    n = min(share.n for share in ladder.shares.values())
    return (
        f"Shares: n {n:,} games each, 95 % intervals of ± {margins[0]} to ± {margins[-1]} points,\n"
        f"chance alone {100 * ladder.null:.3g} %. Ratings: 400 more are odds of 10 to 1 to finish ahead."
    )


COMMAND = LadderAnalysis()
