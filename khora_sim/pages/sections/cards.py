"""Cards: use, return, and the worth of being dealt one."""

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.sections.points import members
from khora_sim.pages.study_data import StudyData, labelled, success, success_column, success_title
from khora_sim.pages.table import Table, amount, count, nested, p_value, share, shrunken, text
from khora_sim.pages.wording import (
    ALPHA,
    BARS,
    Row,
    about,
    effect,
    estimate_of,
    largest,
    overstates,
    rests_on,
    rows_of,
    with_shrunken,
)
from khora_sim.stats import flag_table
from khora_sim.stats.ratios import means, shares
from khora_sim.stats.sums import sums_of

KINDS = ("cards",)
ASSOCIATION = (
    "Played against not played is association: players who do well can afford more cards, and each strategy "
    "picks the cards it likes. Dealt against not dealt is fair chance, so it shows what the card is worth to "
    "the seat it is dealt to (where hands are drafted, mostly that it can be kept from the others)."
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
    figures, tables = [_figure(data, dealt, played)], [_table(data, dealt, played, use)]
    return Section("cards", "Cards", _lead(data, dealt, use), figures, tables, [ASSOCIATION])


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
    """Share of players who play each card, also of those who kept it; the round, and the points."""
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
    sums, parts, most = sums_of(data.wide, [], summed), [], data.rows_per_group
    for card in ids:
        measures = {
            "played": shares(sums, [], f"played {card}", rows_per_group=most),
            "when_kept": shares(sums, [], f"kept_played {card}", f"kept {card}", rows_per_group=most),
            "round": means(sums, [], f"round {card}", f"played {card}"),
            "points": means(sums, [], f"points {card}", f"played {card}"),
        }
        parts += [labelled(found, card=card, measure=one) for one, found in measures.items()]
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
    measured = success(data, estimate_of(row | {"n": row["n_with"]}), signed=True)
    left = effect(row["shrunken"], row["high"] - row["low"], as_percent=data.scale == 1)
    return f"{success_title(data).lower()} {left}, measured {measured}"


def _figure(data: StudyData, dealt: pl.DataFrame, played: pl.DataFrame) -> Figure:
    order = dealt.sort("value", descending=True, nulls_last=True)["name"].to_list()
    left, right = ({row["name"]: row for row in rows_of(table)} for table in (dealt, played))

    def draw(canvas: Canvas) -> None:
        panels = [
            ("when dealt:\nfair chance", [left[card] for card in order], data.scale == 1),
            ("when played:\nassociation", [right[card] for card in order], data.scale == 1),
        ]
        plots.effect_panels(canvas, [data.names["cards"][card] for card in order], panels)
        canvas.supxlabel(f"difference in {success_title(data).lower()}", fontsize=8.5)

    clear = int((dealt["p_holm"] < ALPHA).sum())
    return Figure(
        "cards",
        "Win share with a card minus without it",
        f"Filled dots are significant after correction for {len(order)} cards: {clear} on the left. Only the "
        "left side is a fair comparison; the right mixes in who plays cards at all.",
        draw,
        height=max(len(order) * 0.165, 1.0) + 0.75,
        counted=rests_on(round(largest(dealt["n_with"] + dealt["n_without"])), "players", BARS),
    )


def _table(data: StudyData, dealt: pl.DataFrame, played: pl.DataFrame, use: pl.DataFrame) -> Table:
    both = dealt.select("name", pl.exclude("name").name.prefix("dealt_")).join(
        played.select("name", pl.exclude("name").name.prefix("played_")), on="name"
    )
    across = use.pivot("measure", index="card", values=["value", "low", "high", "n"])
    frame = both.join(across, left_on="name", right_on="card", how="left")
    dealt, played = (table.rename({"name": "card", "n_with": "n"}) for table in (dealt, played))
    measures = {measure: use.filter(measure=measure) for measure in use["measure"].unique()}
    rows = nested({"if_dealt": dealt, "if_played": played, **measures}, ["card"])
    columns = [
        text("Card", "card", data.names["cards"]),
        share("Played by", "played"),
        share("Played when kept in the draft", "when_kept"),
        amount("Round", "round"),
        amount("Points when played", "points"),
        success_column(data, "Dealt: win share", "if_dealt", signed=True),
        shrunken("if_dealt", percent=data.scale == 1),
        p_value("p (Holm), dealt", lambda row: row["if_dealt"]["p_holm"]),
        success_column(data, "Played: win share", "if_played", signed=True),
        count("Dealt", lambda row: row["if_dealt"]["n"]),
        count("Played", lambda row: row["if_played"]["n"]),
    ]
    note = (
        "Dealt and played: success with the card minus success without it, in percentage points. Shrunken: "
        "moved towards the mean of all cards by the part that chance explains."
    )
    return Table.of("cards", "Every card in numbers", rows, columns, note=note, frame=frame)
