"""From one row per player to rankings: who finished in which order, as compact integer arrays."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product

import numpy as np
import numpy.typing as npt
import polars as pl

from khora_sim.errors import UserError
from khora_sim.stats.groups import GROUP, UNIT, Frame, collect, unit_of

# The curvature of the fit is kept for every pair of kinds: 3,000 squared is 72 MB.
MOST_KINDS = 3000
MOST_CODES = 1 << 24
_GAMES_AT_ONCE = 1 << 17


@dataclass(frozen=True)
class Block:
    """Rankings of games with equally many players; a game with shared places has several, lighter ones."""

    kinds: npt.NDArray[np.uint16]  # (places, rankings): kind of the player who came first, second, ...
    weights: npt.NDArray[np.float64]  # (rankings,)
    units: npt.NDArray[np.uint16]  # (rankings,) unit of the rotation group


@dataclass(frozen=True)
class Rankings:
    """All rankings of a study; a kind is a combination of factor levels, such as Athens, steward, seat 2."""

    factors: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]  # the level names of each factor
    kind_levels: npt.NDArray[np.int64]  # (kinds, factors)
    kind_counts: npt.NDArray[np.int64]  # (kinds,) players of each kind
    blocks: tuple[Block, ...]
    games: int


def read_rankings(
    frame: Frame,
    factors: Sequence[str] = ("city", "strategy", "seat"),
    *,
    game: str = "game",
    place: str = "place",
    group: str = GROUP,
) -> Rankings:
    """Read rankings from a table with one row per player and game."""
    lazy = frame.lazy().drop_nulls([*factors, game, place])
    seen = collect(lazy.group_by(factors).agg(pl.len())).sort(factors)
    if len(seen) > MOST_KINDS:
        raise UserError(f"{len(seen):,} kinds of players are too many to rate: rate fewer columns at once")
    levels = [seen[name].unique().sort() for name in factors]
    code, codes = _code(seen, factors)
    rows = _coded_rows(lazy, code, game, place, group)
    kind_of = np.zeros(codes, dtype=np.uint16)
    kind_of[seen.select(code).to_series().to_numpy()] = np.arange(len(seen))
    run, places, units, coded = (rows[c].to_numpy() for c in ("__run", "__place", UNIT, "__code"))
    starts = np.flatnonzero(np.diff(run, prepend=np.uint32(2**32 - 1)))
    sizes = np.diff(starts, append=len(rows))
    blocks = []
    for players in np.unique(sizes[sizes > 1]):
        parts: list[Block] = []
        own = starts[sizes == players]
        for first in range(0, len(own), _GAMES_AT_ONCE):
            seats = own[first : first + _GAMES_AT_ONCE, None] + np.arange(players)
            parts += _sorted_by_place(kind_of[coded[seats]], places[seats], units[seats[:, 0]])
        blocks.append(_joined(parts))
    return Rankings(
        factors=tuple(factors),
        levels=tuple(tuple(str(name) for name in found) for found in levels),
        kind_levels=np.stack([found.search_sorted(seen[found.name]).to_numpy() for found in levels], axis=1),
        kind_counts=seen["len"].to_numpy().astype(np.int64),
        blocks=tuple(blocks),
        games=int((sizes > 1).sum()),
    )


def _coded_rows(lazy: pl.LazyFrame, code: pl.Expr, game: str, place: str, group: str) -> pl.DataFrame:
    """Rows with small integers only, the rows of a game next to each other."""
    rows = collect(lazy.select(game, pl.col(place).cast(pl.UInt8).alias("__place"), unit_of(group), code))
    run = pl.col(game).rle_id().alias("__run")
    if len(rows) and rows.select(run.last()).item() != rows[game].n_unique() - 1:
        rows = rows.sort(game, maintain_order=True)
    return rows.with_columns(run).drop(game)


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
    kinds: npt.NDArray[np.uint16], places: npt.NDArray[np.uint8], units: npt.NDArray[np.uint16]
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
            yield Block(kinds[np.ix_(chosen, np.array(one))].T, weights, units[chosen])


def _joined(parts: Sequence[Block]) -> Block:
    return Block(
        np.concatenate([part.kinds for part in parts], axis=1),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.units for part in parts]),
    )


def tie_orders(tied: Sequence[bool]) -> list[list[int]]:
    """All orders of finish, given which players share the place of the one before them."""
    starts = [0, *(i + 1 for i, shared in enumerate(tied) if not shared), len(tied) + 1]
    runs = [range(a, b) for a, b in pairwise(starts)]
    return [[i for run in choice for i in run] for choice in product(*(permutations(run) for run in runs))]
