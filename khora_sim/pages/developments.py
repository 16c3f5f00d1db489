"""Developments: how often players unlock each one, so that a reader sees what they never do."""

from functools import lru_cache

import polars as pl

from khora_sim.analyses.blind_spots import LIMIT
from khora_sim.common.wording import listed
from khora_sim.pages.load import Material
from khora_sim.pages.phrases import few, rows_of
from khora_sim.pages.shapes import Table, aligned, counts, estimated, words
from khora_sim.rules.terms import DEVELOPMENTS
from khora_sim.stats.ratios import shares
from khora_sim.stats.sums import Sums, sums_of

LATER = range(2, DEVELOPMENTS + 1)  # the first one is there from the start
TITLES = {2: "Second", 3: "Third", 4: "Fourth"}


@lru_cache(maxsize=2)
def unlocked(material: Material) -> Sums | None:
    """Players who unlocked each development by city, strategy and unit; None where that is not known."""
    if material.lacks("development"):
        return None
    summed = {str(place): (pl.col("development") >= place).cast(pl.UInt32) for place in LATER}
    return sums_of(material.players, ["city", "strategy"], summed)


def how_often(material: Material, by: list[str]) -> pl.DataFrame:
    """Share of games in which each development was unlocked: by, place, value, low, high, n, units."""
    sums = unlocked(material)
    assert sums is not None
    parts = [
        shares(sums, by, str(place), rows_per_group=material.rows_per_group).select(
            *by, pl.lit(place).alias("place"), pl.exclude(by)
        )
        for place in LATER
    ]
    return pl.concat(parts)


def tables(material: Material, order: list[str]) -> list[Table]:
    """How often each development is unlocked in each city, and by each strategy where there are several."""
    if unlocked(material) is None:
        return []
    made = [_table(material, ["city"], order, "developments", "How often each development is unlocked", True)]
    if len(material.strategies) > 1:
        title = "How often each strategy unlocks each development"
        made.append(_table(material, ["city", "strategy"], order, "developments-by-strategy", title, False))
    return made


def _table(material: Material, by: list[str], order: list[str], name: str, title: str, shown: bool) -> Table:
    table = how_often(material, by)
    place_of = {city: place for place, city in enumerate(order)}
    rows = table.select(by).unique(maintain_order=True)
    rows = rows.sort(pl.col("city").cast(pl.String).replace_strict(place_of), *by[1:], maintain_order=True)
    tables = [aligned(rows, by, table.filter(place=place)) for place in LATER]
    who = [words("Strategy", [row["strategy"] for row in rows_of(rows)])] if "strategy" in by else []
    return Table(
        name,
        title,
        table,
        [
            words("City", [material.city(row["city"]) for row in rows_of(rows)]),
            *who,
            counts("Games", tables[0]["n"].to_list()),
            *(estimated(TITLES[place], one, percent=True) for place, one in zip(LATER, tables, strict=True)),
        ],
        note="Share of a city's games in which its player unlocked the development, with 95 % intervals.",
        open=shown,
    )


def never(material: Material) -> str:
    """Name what each strategy (almost) never unlocks; later developments follow from the one before."""
    if unlocked(material) is None:
        return ""
    rows = [
        row for row in rows_of(how_often(material, ["city", "strategy"])) if not few(row["n"], row["units"])
    ]
    clauses = []
    for strategy in material.strategies:
        first: dict[int, list[str]] = {}
        for city in material.cities:
            own = [r for r in rows if r["city"] == city and r["strategy"] == strategy and r["value"] < LIMIT]
            if own:
                first.setdefault(min(row["place"] for row in own), []).append(material.city(city))
        parts = [
            f"{_from(place)} in {'any city' if len(cities) == len(material.cities) else listed(cities)}"
            for place, cities in sorted(first.items())
        ]
        if parts:
            clauses.append(f"by {strategy}, {listed(parts)}")
    if not clauses:
        return ""
    who = "this player does" if len(material.strategies) == 1 else "these players do"
    return (
        f"Hardly ever unlocked (in less than {100 * LIMIT:.0f} % of games): {'; '.join(clauses)}. That is "
        f"something {who} not do, so the shares of these cities do not say what they would win with it."
    )


def _from(place: int) -> str:
    """`development 4`, `developments 2, 3 and 4`."""
    places = [str(later) for later in range(place, DEVELOPMENTS + 1)]
    return f"development{'s' * (len(places) > 1)} {listed(places)}"
