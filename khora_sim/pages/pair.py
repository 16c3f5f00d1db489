"""Two studies to be compared, and whether their games can be paired."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from khora_sim.pages.load import Material
from khora_sim.stats import paired_table, unpaired_table
from khora_sim.stats.groups import collect


@dataclass(frozen=True)
class Pair:
    """Two studies, and whether their games can be paired."""

    first: Material
    second: Material

    @cached_property
    def shared(self) -> int:
        """Games with numbers that both studies have."""
        return min(self.first.game_count, self.second.game_count)

    @cached_property
    def is_paired(self) -> bool:
        """Whether game by game both met the same luck, with the same cities in the same seats."""
        versions = (m.manifest.rules.version for m in self.both)
        luck = (_check(self._shared(m.games), ["game", "seed", "players"]) for m in self.both)
        seats = (_check(self._shared(m.players), ["game", "seat", "city"]) for m in self.both)
        return _same(versions) and _same(luck) and _same(seats)

    @cached_property
    def same_results(self) -> bool:
        """Whether paired games all ended with the same scores and winners."""
        keys = ["game", "seat", "score", "win_share"]
        return self.is_paired and _same(_check(self._shared(m.players), keys) for m in self.both)

    @cached_property
    def shared_groups(self) -> int:
        """Rotation groups of the games that both studies have."""
        games = self._shared(self.first.games)
        return int(collect(games.select(pl.col("rotation_group").n_unique())).item())

    @property
    def both(self) -> tuple[Material, Material]:
        """The two studies."""
        return self.first, self.second

    @property
    def scale_free(self) -> bool:
        """Whether wins are counted against the fair share, since the tables are not all of one size."""
        return self.first.only_players is None or self.first.only_players != self.second.only_players

    def compared(self, by: str, value: str, *, wide: bool = False, as_wholes: bool = False) -> pl.DataFrame:
        """Second minus first for every city, strategy or number of players."""
        first, second = (self._rows(m.wide if wide else m.players, value) for m in self.both)
        if self.is_paired and not as_wholes:
            return paired_table(first, second, by, value=value)
        return unpaired_table(first, second, by, value=value)

    def ends(self, value: str) -> pl.DataFrame:
        """The same for what is known of whole games, by number of players."""
        if not self.is_paired:
            return unpaired_table(self.first.games, self.second.games, "players", value=value)
        first, second = (self._shared(m.games) for m in self.both)
        return paired_table(first, second, "players", value=value, keys=("game",))

    def _rows(self, frame: pl.LazyFrame, value: str) -> pl.LazyFrame:
        wins = pl.col("win_share") * pl.col("players") if self.scale_free else pl.col("win_share")
        rows = frame.with_columns(wins.alias("success"), pl.col("city", "strategy").cast(pl.String))
        rows = rows.select(
            "game", "rotation_group", "unit", "stratum", "seat", "players", "city", "strategy", value
        )
        return self._shared(rows) if self.is_paired else rows

    def _shared(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        return frame.filter(pl.col("game") < self.shared)


def _same(checks: Iterable[object]) -> bool:
    return len(set(checks)) == 1


def _check(frame: pl.LazyFrame, keys: Sequence[str]) -> tuple[int, int]:
    """Number of rows and a sum over hashes of their keys: the same for the same rows in any order."""
    named = frame.select(pl.col(key).cast(pl.String) if key == "city" else pl.col(key) for key in keys)
    row = collect(named.select(pl.len().alias("n"), pl.struct(keys).hash().sum().alias("check"))).row(0)
    return int(row[0]), int(row[1])
