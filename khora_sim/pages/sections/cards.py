"""Cards: how often they are played, when, what they bring, and what being dealt one is worth."""

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import (
    Figure,
    Section,
    Table,
    aligned,
    counts,
    estimated,
    filled,
    ordered,
    words,
)
from khora_sim.pages.plots import FEW
from khora_sim.pages.sections.points import members
from khora_sim.pages.study_data import StudyData, success_title
from khora_sim.pages.wording import (
    ALPHA,
    Row,
    about,
    effect,
    estimate_of,
    is_significant,
    largest,
    overstates,
    p_text,
    rows_of,
    with_shrunken,
)
from khora_sim.stats import flag_table, format_estimate
from khora_sim.stats.ratios import means, shares
from khora_sim.stats.sums import sums_of

KINDS = ("cards",)
ASSOCIATION = (
    "Played against not played is association: players who do well can afford more cards, and each "
    "strategy picks "
    "the cards it likes. Dealt against not dealt is fair chance, so it shows what the card is worth "
    "to the seat it "
    "is dealt to (where hands are drafted, mostly that it can be kept from the others)."
)


def section(data: StudyData) -> Section:
    """Cards."""
    columns = members(data, "card_round_")
    ids = data.manifest.enums.cards
    lacking = [card for card in ids if card.replace("-", "_") not in columns]
    if lacking or data.lacks("dealt", "drafted"):
        why = "This dataset does not say which cards were dealt and played."
        return Section("cards", "Cards", why, missing={"cards": why})
    dealt, played = contrasts(data, ids)
    use = usage(data, ids)
    return Section(
        "cards",
        "Cards",
        _lead(data, dealt, use),
        [_figure(data, dealt, played)],
        [_table(data, dealt, played, use)],
        [ASSOCIATION],
    )


def contrasts(data: StudyData, ids: list[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Success with each card dealt against not, and with it played against not."""
    dealt = {card: (pl.col("dealt") & (1 << place)) != 0 for place, card in enumerate(ids)}
    played = {card: pl.col(f"card_round_{card.replace('-', '_')}") > 0 for card in ids}
    scaled = pl.col("with", "without", "value", "low", "high") * data.scale
    one, two = (
        flag_table(data.wide, flags, value="success").with_columns(scaled) for flags in (dealt, played)
    )
    return with_shrunken(one), two


def usage(data: StudyData, ids: list[str]) -> pl.DataFrame:
    """How often each card is played, also when kept, in which round, and for how many points."""
    summed: dict[str, pl.Expr] = {}
    for place, card in enumerate(ids):
        column = card.replace("-", "_")
        played = pl.col(f"card_round_{column}") > 0
        kept = (pl.col("drafted") & (1 << place)) != 0
        summed[f"played {card}"] = played.cast(pl.UInt32)
        summed[f"round {card}"] = pl.col(f"card_round_{column}").cast(pl.Int32)
        summed[f"points {card}"] = pl.col(f"card_points_{column}").cast(pl.Int32)
        summed[f"kept {card}"] = kept.cast(pl.UInt32)
        summed[f"kept_played {card}"] = (kept & played).cast(pl.UInt32)
    sums = sums_of(data.wide, [], summed)
    parts = []
    for card in ids:
        for measure, found in (
            ("played", shares(sums, [], f"played {card}", rows_per_group=data.rows_per_group)),
            (
                "when_kept",
                shares(sums, [], f"kept_played {card}", f"kept {card}", rows_per_group=data.rows_per_group),
            ),
            ("round", means(sums, [], f"round {card}", f"played {card}")),
            ("points", means(sums, [], f"points {card}", f"played {card}")),
        ):
            parts.append(found.select(pl.lit(card).alias("card"), pl.lit(measure).alias("measure"), pl.all()))
    return pl.concat(parts)


def _lead(data: StudyData, dealt: pl.DataFrame, use: pl.DataFrame) -> str:
    names = data.names["cards"]
    sure = dealt.filter(pl.col("p_holm") < ALPHA).sort("value", descending=True)
    better = rows_of(sure.filter(pl.col("value") > 0))
    worse = rows_of(sure.filter(pl.col("value") < 0).reverse())
    often = rows_of(use.filter(measure="played").sort("value"))
    parts: list[str] = []
    for rows, word in ((better, "helps"), (worse, "hurts")):
        if rows:
            first, *others = (names[row["name"]] for row in rows[:3])
            parts.append(
                f"{'being' if parts else 'Being'} dealt {first} {word} most ({_worth(data, rows[0])})"
                + (f", followed by {listed(others)}" if others else "")
            )
    start = (
        f"{', and '.join(parts)}; {overstates(len(dealt))}."
        if parts
        else f"Of {len(dealt)} cards, being dealt none makes a difference that can be seen."
    )
    if not often:
        return start
    most, least = often[-1], often[0]
    return (
        f"{start} {names[most['card']]} is played most, by {about(most['value'])} of players, "
        f"{names[least['card']]} least, by {about(least['value'])}."
    )


def _worth(data: StudyData, row: Row) -> str:
    """The effect of a card, shrunken and as measured."""
    percent = data.scale == 1
    measured = format_estimate(
        estimate_of(row | {"n": row["n_with"]}), percent=percent, signed=True, with_n=False
    )
    left = effect(row["shrunken"], row["high"] - row["low"], as_percent=percent)
    return f"{success_title(data).lower()} {left}, measured {measured}"


def _figure(data: StudyData, dealt: pl.DataFrame, played: pl.DataFrame) -> Figure:
    names = data.names["cards"]
    order = dealt.sort("value", descending=True, nulls_last=True)["name"].to_list()
    found = [{row["name"]: row for row in rows_of(table)} for table in (dealt, played)]

    def dot(row: Row, colour: str) -> plots.Dot:
        value = row["value"] if row["value"] is not None and row["n_with"] else float("nan")
        return plots.Dot(
            names[row["name"]],
            value,
            row["low"],
            row["high"],
            colour,
            faint=not is_significant(row["p_holm"]),
        )

    def draw(canvas: Canvas) -> None:
        panels = canvas.subplots(1, 2, sharey=True)
        titles = ("when dealt:\nfair chance", "when played:\nassociation")
        for axes, rows, colour, title in zip(panels, found, FEW, titles, strict=False):
            plots.dots(axes, [dot(rows[card], colour) for card in order], null=0.0)
            axes.set_title(title, fontsize=8)
            axes.tick_params(axis="y", labelsize=7)
            if data.scale == 1:
                plots.as_percent(axes.xaxis, most=4)
        panels[1].tick_params(axis="y", labelleft=False)
        canvas.supxlabel(f"difference in {success_title(data).lower()}", fontsize=8.5)

    clear = int((dealt["p_holm"] < ALPHA).sum())
    return Figure(
        "cards",
        "Win share with a card minus without it",
        f"Filled dots are significant after correction for {len(order)} cards: {clear} on the left. Only the "
        "left side is a fair "
        "comparison; the right mixes in who plays cards at all.",
        draw,
        height=max(len(order) * 0.165, 1.0) + 0.75,
        counted=f"n {largest(dealt['n_with'] + dealt['n_without']):,.0f} players; bars are 95 % intervals",
    )


def _table(data: StudyData, dealt: pl.DataFrame, played: pl.DataFrame, use: pl.DataFrame) -> Table:
    names, percent = data.names["cards"], data.scale == 1
    rows = dealt.select(pl.col("name").alias("card"))

    def own(measure: str) -> pl.DataFrame:
        return aligned(rows, ["card"], use.filter(measure=measure))

    n = ("value", "low", "high", "n_with")
    raw = dealt.select("name", pl.exclude("name").name.prefix("dealt_")).join(
        played.select("name", pl.exclude("name").name.prefix("played_")), on="name"
    )
    return filled(
        "cards",
        "Every card in numbers",
        raw.join(_across(use), left_on="name", right_on="card", how="left"),
        [
            words("Card", [names[card] for card in rows["card"]]),
            estimated("Played by", own("played"), percent=True),
            estimated("Played when kept in the draft", own("when_kept"), percent=True),
            estimated("Round", own("round")),
            estimated("Points when played", own("points")),
            estimated("Dealt: win share", dealt, percent=percent, signed=True, columns=n),
            ordered(
                "shrunken",
                [
                    effect(x, high - low, as_percent=percent)
                    for x, low, high in dealt.select("shrunken", "low", "high").iter_rows()
                ],
                dealt["shrunken"].to_list(),
            ),
            ordered("p (Holm), dealt", [p_text(p) for p in dealt["p_holm"]], dealt["p_holm"].to_list()),
            estimated("Played: win share", played, percent=percent, signed=True, columns=n),
            counts("Dealt", dealt["n_with"].to_list()),
            counts("Played", played["n_with"].to_list()),
        ],
        note="Dealt and played: success with the card minus success without it, in percentage points. "
        "Shrunken: moved towards the mean of all cards by the part that chance explains.",
    )


def _across(use: pl.DataFrame) -> pl.DataFrame:
    """One row per card, one column per measure."""
    return use.pivot("measure", index="card", values=["value", "low", "high", "n"])
