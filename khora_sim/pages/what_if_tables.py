"""Tables of a what-if: both sides, what changes between them, and all verdicts side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from khora_sim.analyses.what_if_answer import Variant, Verdict, WhatIf
from khora_sim.pages import what_if_words as say
from khora_sim.pages.page_model import Column, Table, both_sides, counts, estimated, ordered, words
from khora_sim.pages.what_if_players import label, who
from khora_sim.pages.wording import POINTS, Row, estimate_of, in_points, is_significant, p_text, rows_of
from khora_sim.stats import Estimate, format_estimate

SHARED_LUCK = "The luck that both sides share is in the interval of each side: changes are known better."


@dataclass(frozen=True)
class VariantOnPage:
    """A variant of an answer, as the page shows it."""

    answer: WhatIf
    variant: Variant
    prefix: str  # of ids and files, where the page shows several variants
    file: str | None  # that holds the change, for replays

    @property
    def names(self) -> dict[str, str]:
        """The cities by their ids."""
        return say.city_names(self.answer.base, self.variant.rules)

    @property
    def other_cities(self) -> bool:
        """Whether one side has a city that the other lacks."""
        return set(self.answer.base.city_ids) != set(self.variant.rules.city_ids)

    def among(self, whom: str) -> str:
        """Games, players, or a city by its name."""
        return self.names.get(whom, whom)


def before_after(table: pl.DataFrame, *, share: bool) -> list[Column]:
    """Both sides, each with an interval of its own."""
    return both_sides(("Before", "After"), table, percent=share)


def exposed(on_page: VariantOnPage, table: pl.DataFrame, name: str, title: str, shown: bool) -> Table:
    """How often things came up."""
    rows = rows_of(table)
    return Table(
        f"{on_page.prefix}{name}",
        title,
        table,
        [
            words("Thing", [row["thing"] for row in rows]),
            words("Came up", [row["stage"] for row in rows]),
            words("Among", [on_page.among(row["among"]) for row in rows]),
            *before_after(table, share=True),
            estimated("Change", table, percent=True, signed=True),
            counts("n", table["n"].to_list()),
        ],
        note=f"With {who(on_page.variant.main)}. Among games: for anybody at the table.",
        open=shown,
    )


def effect_sides(title: str, rows: Sequence[Row], side: str) -> Column:
    """Estimates of one side, each in its own unit."""
    texts = [say.one_side(row, side) for row in rows]
    keys = [float("-inf") if row[side] is None else row[side] for row in rows]
    return ordered(title, texts, keys)


def compared(
    on_page: VariantOnPage,
    name: str,
    title: str,
    table: pl.DataFrame,
    first: Column,
    *,
    share: bool,
    shown: bool = True,
) -> Table:
    """Both sides, the change with its interval and corrected p-value, and what pairing was worth."""
    gains = [x if x is not None else float("nan") for x in table["pairing_gain"]]
    return Table(
        f"{on_page.prefix}{name}",
        title,
        table,
        [
            first,
            *before_after(table, share=share),
            estimated("Change", table, percent=share, signed=True),
            ordered("p (Holm)", [p_text(p) for p in table["p_holm"]], table["p_holm"].to_list()),
            counts("n", table["n"].to_list()),
            ordered("Pairing gain", [say.gain(gain) for gain in table["pairing_gain"]], gains),
        ],
        note=SHARED_LUCK,
        open=shown,
    )


def shares_by_side(on_page: VariantOnPage, verdict: Verdict) -> Table:
    """The win share of every city on each side, with an interval of its own."""
    table = verdict.tables.standing
    rows = rows_of(table)
    return Table(
        f"{on_page.prefix}standing",
        "Win share of each city, each side by itself",
        table,
        [
            words("Side", [row["side"] for row in rows]),
            words("City", [on_page.names[row["city"]] for row in rows]),
            estimated("Win share", table, percent=True),
            counts("n", table["n"].to_list()),
        ],
        note=SHARED_LUCK,
    )


def side_by_side(on_page: VariantOnPage) -> Table:
    """Win shares of the cities in all verdicts: of other players, and at other tables."""
    verdicts = on_page.variant.verdicts
    table = pl.concat(
        [
            verdict.tables.city_wins.select(
                pl.lit(verdict.players).alias("table"), pl.lit(label(verdict)).alias("players"), pl.all()
            )
            for verdict in verdicts
        ]
    )
    if len(on_page.answer.players) > 1:
        note = f"In {POINTS}; * significant after correction. What differs between verdicts is not tested."
        columns = _city_by_city(on_page, verdicts)
        return Table(f"{on_page.prefix}skills", "Changes side by side", table, columns, note, open=True)
    rows = rows_of(table)
    return Table(
        f"{on_page.prefix}skills",
        "Win shares by players",
        table,
        [
            words("Players", [row["players"] for row in rows]),
            words("City", [on_page.names[row["city"]] for row in rows]),
            *before_after(table, share=True),
            estimated("Change", table, percent=True, signed=True),
            words("Significant", ["yes" if is_significant(row["p_holm"]) else "no" for row in rows]),
            counts("n", table["n"].to_list()),
        ],
        open=True,
    )


def _city_by_city(on_page: VariantOnPage, verdicts: Sequence[Verdict]) -> list[Column]:
    """A row for each city, a column for each verdict."""
    found = [{row["city"]: row for row in rows_of(verdict.tables.city_wins)} for verdict in verdicts]
    cities = [city for city in on_page.names if any(city in rows for rows in found)]
    columns = [words("City", [on_page.names[city] for city in cities])]
    for verdict, rows in zip(verdicts, found, strict=True):
        texts = [_change(rows[city]) if city in rows else "" for city in cities]
        keys = [rows[city]["value"] if city in rows else float("-inf") for city in cities]
        columns.append(ordered(f"{verdict.players} players, {label(verdict)}", texts, keys))
    return columns


def _change(row: Row) -> str:
    return in_points(estimate_of(row)) + (" *" if is_significant(row["p_holm"]) else "")


def all_verdicts(on_page: VariantOnPage) -> Table:
    """A row for each verdict: the change of fairness, and in how many games others win."""
    verdicts = on_page.variant.verdicts
    numbers = [
        {
            "table": one.players,
            "players": label(one),
            **_named("distance", one.fairness.change),
            **_named("winner_changed", one.winner_changed),
            "games": one.games,
        }
        for one in verdicts
    ]
    frame = pl.DataFrame(numbers)
    changes = [one.fairness.change for one in verdicts]
    winners = [one.winner_changed for one in verdicts]
    shares = [format_estimate(one, percent=True, with_n=False) for one in winners]
    return Table(
        f"{on_page.prefix}verdicts",
        "All verdicts",
        frame,
        [
            words("Players", [label(one) for one in verdicts]),
            counts("Table of", [one.players for one in verdicts]),
            ordered("Distance", [in_points(one) for one in changes], [one.value for one in changes]),
            ordered("Somebody else wins", shares, [one.value for one in winners]),
            counts("Games", [one.games for one in verdicts]),
        ],
        note=f"Distance: change of a city's typical distance from the fair share, in {POINTS}.",
        open=True,
    )


def _named(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
