"""Plackett-Luce ratings: the strengths of cities, strategies and seats, fitted together.

Each player has a log-strength, the sum of one term per factor (city + strategy + seat); the chance to come
first among those still in the race is proportional to exp(log-strength), place after place. Because the terms
are fitted together, a city is not credited with its player's skill.

Shared places count as all orders of those who share them, in equal parts: a shared victory is half a win for
each of two, as in the win share. The terms of a factor sum to zero. A tiny ridge keeps the fit finite where
someone always wins or always loses; such levels get no interval.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product

import numpy as np
import numpy.typing as npt
import polars as pl

from khora_sim.errors import UserError
from khora_sim.stats.estimate import Array
from khora_sim.stats.intervals import (
    REPLICATES,
    holm,
    mean_bounds,
    p_value,
    percentile_bounds,
    resampled_totals,
)
from khora_sim.stats.sums import CLUSTER, COUNT, MOST_CLUSTERS, Frame, Measured, cluster_of, collect

# The curvature of the fit is kept for every pair of kinds: 3,000 squared is 72 MB.
MOST_KINDS = 3000
MOST_CODES = 1 << 24
_GAMES_AT_ONCE = 1 << 17


@dataclass(frozen=True)
class Block:
    """Rankings of games with equally many players; a game with shared places has several, lighter ones."""

    kinds: npt.NDArray[np.uint16]  # (places, rankings): kind of the player who came first, second, ...
    weights: npt.NDArray[np.float64]  # (rankings,)
    clusters: npt.NDArray[np.uint16]  # (rankings,) cluster of the rotation group


@dataclass(frozen=True)
class Rankings:
    """All rankings of a study; a kind is a combination of factor levels, such as Athens, steward, seat 2."""

    factors: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]  # the level names of each factor
    kind_levels: npt.NDArray[np.int64]  # (kinds, factors)
    kind_counts: npt.NDArray[np.int64]  # (kinds,) players of each kind
    blocks: tuple[Block, ...]
    games: int


def read_rankings(frame: Frame, factors: Sequence[str] = ("city", "strategy", "seat")) -> Rankings:
    """Read rankings from a table with one row per player and game."""
    lazy = frame.lazy().drop_nulls([*factors, "game", "place"])
    seen = collect(lazy.group_by(factors).agg(pl.len())).sort(factors)
    if len(seen) > MOST_KINDS:
        raise UserError(f"{len(seen):,} kinds of players are too many to rate: rate fewer columns at once")
    levels = [seen[name].unique().sort() for name in factors]
    code, codes = _code(seen, factors)
    rows = _coded_rows(lazy, code)
    kind_of = np.zeros(codes, dtype=np.uint16)
    kind_of[seen.select(code).to_series().to_numpy()] = np.arange(len(seen))
    run, places, clusters, coded = (rows[c].to_numpy() for c in ("__run", "__place", CLUSTER, "__code"))
    starts = np.flatnonzero(np.diff(run, prepend=np.uint32(2**32 - 1)))
    sizes = np.diff(starts, append=len(rows))
    blocks = []
    for players in np.unique(sizes[sizes > 1]):
        parts: list[Block] = []
        own = starts[sizes == players]
        for first in range(0, len(own), _GAMES_AT_ONCE):
            seats = own[first : first + _GAMES_AT_ONCE, None] + np.arange(players)
            parts += _sorted_by_place(kind_of[coded[seats]], places[seats], clusters[seats[:, 0]])
        blocks.append(_joined(parts))
    return Rankings(
        factors=tuple(factors),
        levels=tuple(tuple(str(name) for name in found) for found in levels),
        kind_levels=np.stack([found.search_sorted(seen[found.name]).to_numpy() for found in levels], axis=1),
        kind_counts=seen["len"].to_numpy().astype(np.int64),
        blocks=tuple(blocks),
        games=int((sizes > 1).sum()),
    )


def _coded_rows(lazy: pl.LazyFrame, code: pl.Expr) -> pl.DataFrame:
    """Rows with small integers only, the rows of a game next to each other."""
    rows = collect(lazy.select("game", pl.col("place").cast(pl.UInt8).alias("__place"), cluster_of(), code))
    run = pl.col("game").rle_id().alias("__run")
    if len(rows) and rows.select(run.last()).item() != rows["game"].n_unique() - 1:
        rows = rows.sort("game", maintain_order=True)
    return rows.with_columns(run).drop("game")


def _code(seen: pl.DataFrame, factors: Sequence[str]) -> tuple[pl.Expr, int]:
    """An expression that numbers combinations of levels, and how many numbers it may give.

    Names are not looked up row by row: an Enum already holds integers, and a seat is one.
    """
    code, codes = pl.lit(0, dtype=pl.UInt32), 1
    for name in factors:
        dtype, column = seen.schema[name], pl.col(name)
        if dtype.is_integer():
            found = seen[name].cast(pl.Int64).to_list() or [0]
            size, number = max(found) - min(found) + 1, column.cast(pl.Int64) - min(found)
        elif isinstance(dtype, pl.Enum):
            size, number = len(dtype.categories), column.to_physical()
        else:
            names = seen[name].cast(pl.String).unique().sort()
            size, number = len(names), column.cast(pl.String).cast(pl.Enum(names)).to_physical()
        code, codes = code * size + number.cast(pl.UInt32), codes * size
    if codes > MOST_CODES:
        raise UserError(f"the numbers in {', '.join(factors)} are too far apart to rate: use names for them")
    return code.alias("__code"), codes


def _sorted_by_place(
    kinds: npt.NDArray[np.uint16], places: npt.NDArray[np.uint8], clusters: npt.NDArray[np.uint16]
) -> Iterator[Block]:
    """Order each game by place; shared places count as all orders of those who share, in equal parts."""
    order = np.argsort(places, axis=1, kind="stable")
    kinds = np.take_along_axis(kinds, order, axis=1)
    places = np.take_along_axis(places, order, axis=1)
    tied = places[:, 1:] == places[:, :-1]
    pattern = tied @ (1 << np.arange(tied.shape[1]))
    for code in np.unique(pattern):
        chosen = np.flatnonzero(pattern == code)
        orders = tie_orders([bool(code >> i & 1) for i in range(tied.shape[1])])
        weights = np.full(len(chosen), 1 / len(orders))
        for one in orders:
            yield Block(kinds[np.ix_(chosen, np.array(one))].T, weights, clusters[chosen])


def _joined(parts: Sequence[Block]) -> Block:
    return Block(
        np.concatenate([part.kinds for part in parts], axis=1),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.clusters for part in parts]),
    )


def tie_orders(tied: Sequence[bool]) -> list[list[int]]:
    """All orders of finish, given which players share the place of the one before them."""
    starts = [0, *(i + 1 for i, shared in enumerate(tied) if not shared), len(tied) + 1]
    runs = [range(a, b) for a, b in pairwise(starts)]
    return [[i for run in choice for i in run] for choice in product(*(permutations(run) for run in runs))]


#: Keys of the counts: who was the one, who all others, where the one finished, and how many shared that
#: place, the one included.
ONE, OTHER, PLACE, SHARING = "one", "other", "place", "sharing"


def rankings_of_one(finishes: pl.DataFrame, players: int, factor: str) -> Rankings:
    """Rankings of games of one against several of another, from counts by cluster and the keys above.

    All others are of one kind, so that the place of the one determines the order of finish. A place that k
    share counts as the k places they take, in equal parts.
    """
    names = sorted({*finishes[ONE], *finishes[OTHER]})
    kind = pl.Enum(names)
    rows = (
        finishes.with_columns(
            pl.col(ONE, OTHER).cast(kind).to_physical(),
            pl.int_ranges(pl.col(PLACE).cast(pl.Int64), (pl.col(PLACE) + pl.col(SHARING)).cast(pl.Int64)),
            (pl.col(COUNT) / pl.col(SHARING)).alias("weight"),
        )
        .explode(PLACE)
        .group_by(ONE, OTHER, CLUSTER, PLACE)
        .agg(pl.col("weight").sort().sum())  # in one order: the same bits from the same counts
        .sort(ONE, OTHER, CLUSTER, PLACE)
    )
    ones, others, places = (rows[name].to_numpy().astype(np.int64) for name in (ONE, OTHER, PLACE))
    kinds = np.tile(others, (players, 1))
    kinds[places - 1, np.arange(len(rows))] = ones
    block = Block(
        kinds.astype(np.uint16), rows["weight"].to_numpy(), rows[CLUSTER].to_numpy().astype(np.uint16)
    )
    counts = np.bincount(ones, rows["weight"].to_numpy(), len(names))
    counts += np.bincount(others, rows["weight"].to_numpy(), len(names)) * (players - 1)
    return Rankings(
        factors=(factor,),
        levels=(tuple(names),),
        kind_levels=np.arange(len(names))[:, None],
        kind_counts=np.rint(counts).astype(np.int64),
        blocks=(block,),
        games=int(finishes[COUNT].sum()),
    )


RIDGE = 1e-3
_AT_ONCE = 1 << 17
_WARM_START = 1 << 18
# A difference between two levels with a larger standard error than this (in log-strength) is as good as
# unknown: one of them always won or lost, or they never met, or another factor moves along with them.
_UNKNOWN = 1.5
_ROUNDING = 1e-12  # of log-strengths: what is left of no difference depends on the machine


@dataclass(frozen=True)
class Ratings:
    """Fitted strengths of all levels of all factors."""

    table: pl.DataFrame  # factor, level, value (log-strength), low, high, n (players), known
    measured: dict[str, Measured]  # by factor, the known levels: what tiers() takes
    games: int
    clusters: int
    log_likelihood: float
    steps: int  # Newton steps over all games
    strengths: Array  # (kinds,) log-strength of every kind of player
    pulls: Array  # (clusters, kinds) how far each cluster pulls it


@dataclass(frozen=True)
class _Fit:
    coefficients: Array  # (free,)
    information: Array  # (free, free), ridge included
    log_likelihood: float
    steps: int


def rate(rankings: Rankings, *, replicates: int = REPLICATES, seed: int = 0) -> Ratings:
    """Fit the strengths and give their intervals by resampling whole rotation groups.

    A resampled study is fitted by one Newton step from the full fit (the one-step bootstrap), so its cost
    does not grow with the number of games.
    """
    if not rankings.games:
        raise UserError("there is no game of two or more players to rate")
    contrasts = _contrasts([len(names) for names in rankings.levels])
    design = contrasts[_columns(rankings)].sum(axis=1)  # (kinds, free)
    start = _newton(_thinned(rankings), design, np.zeros(design.shape[1])).coefficients
    fit = _newton(rankings.blocks, design, start)
    model = contrasts @ np.linalg.inv(fit.information) @ contrasts.T  # covariance if games were all there is
    scores = _cluster_scores(rankings, design @ fit.coefficients)
    pulls = (scores - scores.mean(axis=0)) @ model
    values = contrasts @ fit.coefficients
    rows, measured, first = [], {}, 0
    for f, (factor, names) in enumerate(zip(rankings.factors, rankings.levels, strict=True)):
        own = slice(first, first + len(names))
        first += len(names)
        counts = np.bincount(rankings.kind_levels[:, f], rankings.kind_counts, len(names)).astype(np.int64)
        known = known_levels(model[own, own])
        # Terms are relative to the mean of the known levels: one hopeless strategy must not shift the others.
        centre = known / max(known.sum(), 1)
        value, pull = (x[..., own] - (x[..., own] @ centre)[..., None] for x in (values, pulls))
        value[np.abs(value) < _ROUNDING] = 0.0
        low, high = percentile_bounds(value + resampled_totals(pull, replicates, seed), len(pull))
        low, high = np.where(known, low, -np.inf), np.where(known, high, np.inf)
        rows += [(factor, *row) for row in zip(names, value, low, high, counts, known, strict=True)]
        kept = np.flatnonzero(known)
        own_names = tuple(names[i] for i in kept)
        clusters = np.full(len(kept), len(pull))
        measured[factor] = Measured(own_names, value[kept], pull[:, kept], counts[kept], clusters)
    table = pl.DataFrame(rows, schema=_COLUMNS, orient="row")
    of_kinds = pulls[:, _columns(rankings)].sum(axis=2)
    strengths = design @ fit.coefficients
    return Ratings(
        table, measured, rankings.games, len(pulls), fit.log_likelihood, fit.steps, strengths, of_kinds
    )


_COLUMNS = {
    **dict.fromkeys(("factor", "level"), pl.String),
    **dict.fromkeys(("value", "low", "high"), pl.Float64),
    "n": pl.Int64,
    "known": pl.Boolean,
}


def known_levels(covariance: Array) -> npt.NDArray[np.bool_]:
    """The largest set of levels whose differences the data can bound at all."""
    spread = np.diag(covariance)
    apart = np.sqrt(np.maximum(spread[:, None] + spread - 2 * covariance, 0.0))
    linked = apart < _UNKNOWN
    for _ in range(len(linked)):
        linked = linked @ linked
    largest = linked[np.argmax(linked.sum(axis=1))]
    return largest & (largest.sum() > 1)


def _contrasts(sizes: list[int]) -> Array:
    """Orthonormal sum-to-zero columns for every factor (levels of all factors by free terms)."""
    contrasts = np.zeros((sum(sizes), sum(sizes) - len(sizes)))
    row = column = 0
    for size in sizes:
        basis = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, : size - 1]]))[0]
        contrasts[row : row + size, column : column + size - 1] = basis[:, 1:]
        row, column = row + size, column + size - 1
    return contrasts


def _columns(rankings: Rankings) -> npt.NDArray[np.int64]:
    """Row of each kind's levels among the levels of all factors (kinds by factors)."""
    sizes = [len(names) for names in rankings.levels]
    return rankings.kind_levels + np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def _newton(blocks: tuple[Block, ...], design: Array, start: Array) -> _Fit:
    """Newton's method on the penalised log-likelihood, which is concave; steps that overshoot are halved."""
    beta = start
    value, gradient, information = _penalised(blocks, design, beta)
    for steps in range(1, 51):
        step = np.linalg.solve(information, gradient)
        if np.abs(step).max(initial=0.0) < 1e-4:
            # The error after a Newton step is of the order of its square: this one is the last.
            return _Fit(beta + step, information, value + float(gradient @ step) / 2, steps)
        for _ in range(30):
            trial = _penalised(blocks, design, beta + step)
            if trial[0] >= value - 1e-9 * abs(value):
                break
            step = step / 2
        beta = beta + step
        value, gradient, information = trial
    raise ArithmeticError("the ratings did not settle within 50 Newton steps")


def _penalised(blocks: tuple[Block, ...], design: Array, beta: Array) -> tuple[float, Array, Array]:
    value, gradient, information = likelihood(blocks, design @ beta)
    curvature = design.T @ information @ design + RIDGE * np.eye(len(beta))
    return value - RIDGE / 2 * float(beta @ beta), design.T @ gradient - RIDGE * beta, curvature


def likelihood(blocks: tuple[Block, ...], strengths: Array) -> tuple[float, Array, Array]:
    """Log-likelihood of rankings, its gradient and negative curvature in the log-strengths of the kinds."""
    kinds = len(strengths)
    value, gradient, information = 0.0, np.zeros(kinds), np.zeros(kinds * kinds)
    odds = np.exp(strengths)
    for block, part in parts(blocks):
        rank, weights = block.kinds[:, part], block.weights[part]
        e, left = race(rank, odds)
        value += float(weights @ (np.log(e) - np.log(left)).sum(axis=0))
        first, second = _running(1 / left), _running(1 / left**2)
        for i in range(len(rank)):
            surprise = weights * (1 - e[i] * first[i])
            gradient += np.bincount(rank[i], surprise, kinds)
            row = rank[i].astype(np.int64) * kinds
            own = weights * e[i]
            information += np.bincount(row + rank[i], own * (first[i] - e[i] * second[i]), kinds * kinds)
            for j in range(i + 1, len(rank)):
                both = np.bincount(row + rank[j], own * e[j] * second[i], kinds * kinds).reshape(kinds, kinds)
                information -= (both + both.T).ravel()
    return value, gradient, information.reshape(kinds, kinds)


def _cluster_scores(rankings: Rankings, strengths: Array) -> Array:
    """Gradient of each cluster that has games (clusters by levels of all factors)."""
    columns = _columns(rankings)
    levels = sum(len(names) for names in rankings.levels)
    scores, seen = np.zeros(MOST_CLUSTERS * levels), np.zeros(MOST_CLUSTERS, dtype=bool)
    odds = np.exp(strengths)
    for block, part in parts(rankings.blocks):
        rank = block.kinds[:, part]
        e, left = race(rank, odds)
        surprise = block.weights[part] * (1 - e * _running(1 / left))
        seen[block.clusters[part]] = True
        row = block.clusters[part].astype(np.int64) * levels
        for i in range(len(rank)):
            for factor in range(columns.shape[1]):
                scores += np.bincount(row + columns[rank[i], factor], surprise[i], len(scores))
    return scores.reshape(MOST_CLUSTERS, levels)[seen]


def race(rank: npt.NDArray[np.uint16], odds: Array) -> tuple[Array, Array]:
    """Odds of the players by place, and the sum of the odds of all still in the race at each place."""
    e = odds[rank]
    return e, _running(e[::-1])[::-1]


def _running(x: Array) -> Array:
    """Running sums from place to place (a few long rows, where numpy's own cumsum is slow)."""
    sums = x.copy()
    for i in range(1, len(sums)):
        sums[i] += sums[i - 1]
    return sums


def parts(blocks: tuple[Block, ...]) -> Iterator[tuple[Block, slice]]:
    for block in blocks:
        for start in range(0, len(block.weights), _AT_ONCE):
            yield block, slice(start, start + _AT_ONCE)


def _thinned(rankings: Rankings) -> tuple[Block, ...]:
    """Part of a large study to find the neighbourhood of the fit; the fit itself is of all games."""
    every = max(rankings.games // _WARM_START, 1)
    return tuple(Block(b.kinds[:, ::every], b.weights[::every], b.clusters[::every]) for b in rankings.blocks)


def first_places(rankings: Rankings, ratings: Ratings) -> pl.DataFrame:
    """Share of first places of every level: measured, fitted, and their difference with its interval.

    The model has one strength for all places, so it need not be right about the first one. The interval knows
    that the strengths were fitted to the same games. Holm's correction is over all levels of all factors.
    """
    kinds = len(ratings.strengths)
    observed, expected, counts, response = _sums(rankings, np.exp(ratings.strengths))
    rows = []
    for f, (factor, names) in enumerate(zip(rankings.factors, rankings.levels, strict=True)):
        belongs = np.zeros((kinds, len(names)))
        belongs[np.arange(kinds), rankings.kind_levels[:, f]] = 1.0
        won, fitted, n = (x @ belongs for x in (observed, expected, counts))
        total = n.sum(axis=0)
        value = (won - fitted).sum(axis=0) / total
        # Without a cluster the fit would be another one too, and expect other shares.
        refitted = ratings.pulls @ response @ belongs
        pulls = (won - fitted - value * n - refitted) / total
        clusters = len(pulls)
        variance = (pulls**2).sum(axis=0) * clusters / max(clusters - 1, 1)
        low, high = mean_bounds(value, variance, np.full(len(names), clusters))
        p = p_value(value, variance, clusters)
        for i, name in enumerate(names):
            shares = won[:, i].sum() / total[i], fitted[:, i].sum() / total[i]
            rows.append((factor, name, *shares, value[i], low[i], high[i], round(float(total[i])), p[i]))
    table = pl.DataFrame(rows, schema=_MISFIT_COLUMNS, orient="row")
    return table.with_columns(pl.Series("p_holm", holm(table["p_value"].to_numpy())))


_MISFIT_COLUMNS = {
    **dict.fromkeys(("factor", "level"), pl.String),
    **dict.fromkeys(("measured", "fitted", "value", "low", "high"), pl.Float64),
    "n": pl.Int64,
    "p_value": pl.Float64,
}


def _sums(rankings: Rankings, odds: Array) -> tuple[Array, Array, Array, Array]:
    """First places, expected ones and players by cluster and kind, and how the expected ones follow."""
    kinds = len(odds)
    observed, expected, counts = (np.zeros(MOST_CLUSTERS * kinds) for _ in range(3))
    response, seen = np.zeros(kinds * kinds), np.zeros(MOST_CLUSTERS, dtype=bool)
    for block, part in parts(rankings.blocks):
        rank, weights = block.kinds[:, part].astype(np.int64), block.weights[part]
        e, left = race(block.kinds[:, part], odds)
        chance = e / left[0]
        row = block.clusters[part].astype(np.int64) * kinds
        seen[block.clusters[part]] = True
        observed += np.bincount(row + rank[0], weights, len(observed))
        for i in range(len(rank)):
            expected += np.bincount(row + rank[i], weights * chance[i], len(expected))
            counts += np.bincount(row + rank[i], weights, len(counts))
            response += np.bincount(rank[i] * (kinds + 1), weights * chance[i], kinds * kinds)
            for j in range(len(rank)):
                both = weights * chance[i] * chance[j]
                response -= np.bincount(rank[i] * kinds + rank[j], both, kinds * kinds)
    by_cluster = (x.reshape(MOST_CLUSTERS, kinds)[seen] for x in (observed, expected, counts))
    return *by_cluster, response.reshape(kinds, kinds)  # type: ignore[return-value]
