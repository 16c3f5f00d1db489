"""Tables of a what-if: both sides, what changes between them, and all verdicts side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from khora_sim.questions.what_if_answer import Variant, Verdict, WhatIf
from khora_sim.report import what_if_words as say
from khora_sim.report.phrases import Row, p_text, percent, rows_of, stands
from khora_sim.report.shapes import Column, Table, counts, estimated, ordered, words
from khora_sim.report.what_if_players import label, who


@dataclass(frozen=True)
class Told:
    """A variant of an answer as it is told on the page."""

    answer: WhatIf
    variant: Variant
    prefix: str  # of ids and files, where several variants are told
    file: str | None  # that holds the change, for replays

    @property
    def names(self) -> dict[str, str]:
        """The cities by their ids."""
        return say.city_names(self.answer.base, self.variant.rules)

    def among(self, whom: str) -> str:
        """Games, players, or a city by its name."""
        return self.names.get(whom, whom)


def before_after(table: pl.DataFrame, *, share: bool) -> list[Column]:
    """Both sides as plain numbers; their change has the interval."""
    return [
        ordered(title, [percent(x, 1) if share else f"{x:.2f}" for x in table[side]], table[side].to_list())
        for title, side in (("Before", "first"), ("After", "second"))
    ]


def exposed(told: Told, table: pl.DataFrame, name: str, title: str, shown: bool) -> Table:
    """How often things came up."""
    rows = rows_of(table)
    return Table(
        f"{told.prefix}{name}",
        title,
        table,
        [
            words("Thing", [row["thing"] for row in rows]),
            words("Came up", [row["stage"] for row in rows]),
            words("Among", [told.among(row["among"]) for row in rows]),
            *before_after(table, share=True),
            estimated("Change", table, percent=True, signed=True),
            counts("n", table["n"].to_list()),
        ],
        note=f"With {who(told.variant.main)}. Among games: for anybody at the table.",
        open=shown,
    )


def effect_sides(title: str, rows: Sequence[Row], side: str) -> Column:
    """Estimates of one side, each in its own unit."""
    texts = [say.one_side(row, side) for row in rows]
    keys = [float("-inf") if row[side] is None else row[side] for row in rows]
    return ordered(title, texts, keys)


def compared(
    told: Told, name: str, title: str, table: pl.DataFrame, first: Column, *, share: bool, shown: bool = True
) -> Table:
    """Both sides, the change with its interval and corrected p-value, and what pairing was worth."""
    gains = [x if x is not None else float("nan") for x in table["pairing_gain"]]
    return Table(
        f"{told.prefix}{name}",
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
        open=shown,
    )


def shares_by_side(told: Told, verdict: Verdict) -> Table:
    """The win share of every city on each side, with an interval of its own."""
    table = verdict.tables.standing
    rows = rows_of(table)
    return Table(
        f"{told.prefix}standing",
        "Win share of each city, each side by itself",
        table,
        [
            words("Side", [row["side"] for row in rows]),
            words("City", [told.names[row["city"]] for row in rows]),
            estimated("Win share", table, percent=True),
            counts("n", table["n"].to_list()),
        ],
        note="The luck that both sides share is in these intervals: changes are known better.",
    )


def side_by_side(told: Told) -> Table:
    """Win shares of the cities in all verdicts: of other players, and at other tables."""
    verdicts = told.variant.verdicts
    table = pl.concat(
        [
            verdict.tables.city_wins.select(
                pl.lit(verdict.players).alias("table"), pl.lit(label(verdict)).alias("players"), pl.all()
            )
            for verdict in verdicts
        ]
    )
    rows = rows_of(table)
    several = len({verdict.players for verdict in verdicts}) > 1
    return Table(
        f"{told.prefix}skills",
        "Win shares by players and tables" if several else "Win shares by players",
        table,
        [
            *([counts("Table of", table["table"].to_list())] if several else []),
            words("Players", [row["players"] for row in rows]),
            words("City", [told.names[row["city"]] for row in rows]),
            *before_after(table, share=True),
            estimated("Change", table, percent=True, signed=True),
            words("Stands", ["yes" if stands(row["p_holm"]) else "no" for row in rows]),
            counts("n", table["n"].to_list()),
        ],
        note="Verdicts stand side by side: what differs between them is not tested." if several else "",
        open=True,
    )
