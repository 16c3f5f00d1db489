"""The answer of a sweep: every variant with its distance from the target, every city's share and change."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from khora_sim.analyses.racing import Stage
from khora_sim.analyses.variants_answer import VariantsAnswer
from khora_sim.stats import Estimate

FORMAT = 1
BEST, ALIKE = "best", "not distinguishable"  # beside the reasons why a stage drops a variant
Row = dict[str, Any]


@dataclass(frozen=True)
class Sweep(VariantsAnswer):
    """What a sweep found; all shares hold for these players."""

    games: int  # of each variant that was judged
    stages: tuple[Stage, ...]  # on choosing seeds; none where every variant was judged
    #: A row for each variant, the nearest to the target first: rank, its values, status, stage (None: it was
    #: judged), games; distance from the target and its change from the base game, with low and high.
    variants: pl.DataFrame
    #: A row for each variant and city: rank, city, share with low, high and n, its change and p_holm.
    cities: pl.DataFrame

    @property
    def best(self) -> Row:
        """The variant that lies nearest to the target."""
        return self.variants.row(0, named=True)

    @property
    def base(self) -> Row:
        """The base game, which is played beside all variants."""
        return next(row for row in self.variants.to_dicts() if self.is_base(row))

    def is_base(self, row: Row) -> bool:
        """Whether a variant is the game that was changed."""
        return all(row[number.path] == number.base for number in self.numbers)

    def values(self, row: Row) -> tuple[int, ...]:
        """The values of a variant, in the order of the numbers."""
        return tuple(row[number.path] for number in self.numbers)

    def assignments(self, row: Row) -> tuple[str, ...]:
        """A variant as it is typed: the numbers that differ from the base game."""
        return tuple(
            number.typed(row[number.path]) for number in self.numbers if row[number.path] != number.base
        )

    @property
    def alike(self) -> list[Row]:
        """The other variants that are not distinguishable from the best one."""
        return self.variants.filter(status=ALIKE).to_dicts()

    @property
    def flat(self) -> bool:
        """Whether no win share of any city differs at any value."""
        return bool((self.cities["change"] == 0).all())

    @property
    def concerned(self) -> list[str]:
        """The cities in the order in which they are shown: those that a number belongs to, then by change."""
        own = [number.city for number in self.numbers if number.city is not None]
        most = dict(self.cities.group_by("city").agg(pl.col("change").abs().max()).iter_rows())
        others = sorted((city for city in self.names if city not in own), key=lambda city: -most[city])
        return [*dict.fromkeys(own), *others]

    def share(self, row: Row, city: str) -> Row:
        """The row of a city in a variant."""
        return self.cities.filter(rank=row["rank"], city=city).row(0, named=True)

    def data(self) -> dict[str, Any]:
        """The answer for a script."""
        return {
            "format": FORMAT,
            **self.game_data(),
            "strategies": list(self.strategies),
            "lineup": self.lineup,
            **self.asked_data(),
            "stages": [asdict(stage) for stage in self.stages],
            "variants": self.variants.to_dicts(),
            "cities": self.cities.to_dicts(),
        }


def numbered(estimate: Estimate, head: str) -> dict[str, float]:
    """An estimate in columns."""
    return {head: estimate.value, f"{head}_low": estimate.low, f"{head}_high": estimate.high}


def values_of(row: Mapping[str, Any], head: str, n: int) -> Estimate:
    """An estimate from its columns."""
    return Estimate(row[head], row[f"{head}_low"], row[f"{head}_high"], n)
