"""The page of a sweep, and what is written into its folder.

index.html       the page, with figures/, tables/ (CSV and Parquet) and summary.md
answer.json      the answer, for scripts
best.toml        the variant nearest to the target, where that is not the game that was changed
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from khora_sim.analyses.answer_folder import OTHER_OUT, write_json
from khora_sim.analyses.sweep_answer import Row, Sweep, values_of
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.pages import sweep_words as say
from khora_sim.pages.page_model import Column, Page, Section, Table, counts, ordered, sentences, words
from khora_sim.pages.publish import Written, write_page
from khora_sim.pages.sweep_figures import figures
from khora_sim.pages.wording import INTERVALS, SHOWN_UNKNOWN, estimate_of, in_points, p_text, share
from khora_sim.rules import variant_data
from khora_sim.rules.assignments import variant_of
from khora_sim.rules.describe import toml_text
from khora_sim.rules.schema import MAX_TEXT
from khora_sim.stats import Estimate, format_estimate

ANSWER, BEST = "answer.json", "best.toml"
SHOWN = 30  # variants whose cities the page shows; the files have all


def write(answer: Sweep, out: Path, progress: Callable[[str], None] = lambda _: None) -> Written:
    """Write the page, its tables and figures, the answer and the best variant."""
    with explain_write_errors(out, OTHER_OUT):
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / ANSWER, answer.data())
        typed = answer.assignments(answer.best)
        if typed:
            made = variant_of(typed, variant_data(answer.rules_file)) | {
                "text": say.headline(answer)[:MAX_TEXT]
            }
            write_atomically(out / BEST, toml_text(made).encode())
    return write_page(page_of(answer, out), out, progress)


def page_of(answer: Sweep, out: Path) -> Page:
    """The page: the verdict, pictures, the ranking, every city, and how the ranking came about."""
    made_by = say.command(answer, str(out))
    return Page(
        kind="Sweep",
        title=" · ".join(number.path for number in answer.numbers),
        facts=say.facts(answer),
        headline=say.headline(answer),
        detail=say.detail(answer),
        sections=[_response(answer), _ranking(answer), _cities(answer)],
        sure=_sure(answer),
        limits=[
            say.NOT_ADAPTED,
            "Only these players played: others may lie nearer or farther at other values.",
        ],
        limits_title="For whom it holds",
        made_by=made_by,
        origin=[INTERVALS],
        commands=[made_by],
    )


def _response(answer: Sweep) -> Section:
    base = ", ".join(f"{number.path} {number.base}" for number in answer.numbers)
    lead = f"{say.judged_in_words(answer)} In the base game: {base}."
    return Section("response", "What every value does", lead, figures(answer))


def _values(answer: Sweep, rows: Sequence[Row]) -> Column:
    """The value of a single number, or what differs from the base game."""
    texts = [say.values_in_words(answer, row) for row in rows]
    if len(answer.numbers) > 1:
        return sentences("Variant", texts)
    return ordered("Value", texts, [answer.values(row)[0] for row in rows])


def _ranking(answer: Sweep) -> Section:
    rows = answer.variants.to_dicts()
    columns = [
        counts("Rank", [row["rank"] for row in rows]),
        _values(answer, rows),
        words("Against best", ["base game" if answer.is_base(row) else say.status(row) for row in rows]),
        _points("Distance", [say.distance(row) for row in rows], signed=False),
        _points("Change", [None if answer.is_base(row) else say.change(row) for row in rows], signed=True),
        counts("Games", [row["games"] for row in rows]),
    ]
    note = f"Distance from the target and its change from the base game in {say.POINTS}."
    table = Table(
        "variants", "Every variant, the nearest to the target first", answer.variants, columns, note, True
    )
    lines = [say.stage_in_words(stage) for stage in answer.stages]
    return Section("ranking", "The ranking", " ".join([*lines, say.judged_in_words(answer)]), tables=[table])


def _points(title: str, found: Sequence[Estimate | None], *, signed: bool) -> Column:
    """Percentage points; nothing where something is compared with itself."""
    texts = [SHOWN_UNKNOWN if one is None else in_points(one, signed=signed) for one in found]
    return ordered(title, texts, [0.0 if one is None else one.value for one in found])


def _cities(answer: Sweep) -> Section:
    order = {city: place for place, city in enumerate(answer.concerned)}
    ranks = answer.variants.head(SHOWN)
    cities = answer.cities.filter(pl.col("rank") <= len(ranks))
    rows = sorted(cities.to_dicts(), key=lambda row: (row["rank"], order[row["city"]]))
    of = {row["rank"]: row for row in ranks.to_dicts()}
    shares = [format_estimate(estimate_of(row), percent=True, with_n=False) for row in rows]
    changes = [None if row["p_holm"] is None else values_of(row, "change", row["n"]) for row in rows]
    columns = [
        counts("Rank", [row["rank"] for row in rows]),
        sentences("Variant", [say.values_in_words(answer, of[row["rank"]]) for row in rows]),
        words("City", [answer.names[row["city"]] for row in rows]),
        ordered("Win share", shares, [row["value"] for row in rows]),
        _points("Change", changes, signed=True),
        ordered(
            "p (Holm)",
            [p_text(_known(row["p_holm"])) for row in rows],
            [_known(row["p_holm"]) for row in rows],
        ),
        counts("n", [row["n"] for row in rows]),
    ]
    first = answer.concerned[0]
    before, best = (share(estimate_of(answer.share(row, first))) for row in (answer.base, answer.best))
    lead = (
        f"{answer.names[first]} wins {before} in the base game and {best} in the "
        "variant nearest to the target. Changes are paired with the base game."
    )
    table = Table("cities", "Win share of every city", answer.cities, columns, open=len(ranks) <= 10)
    return Section("cities", "Every city", lead, tables=[table])


def _known(p: float | None) -> float:
    return float("nan") if p is None else p


def _sure(answer: Sweep) -> list[str]:
    """What luck is shared, and how variants are compared with the best one."""
    compared = len(answer.cities) - len(answer.names)
    lines = [
        "All variants met the same luck, game by game: dice by seat and round, hands, the order of the deck, "
        "events, cities and seats. Who draws which card depends on how many were drawn before.",
        "Variants are compared with the best one by the paired difference of their mean squared distances "
        "from the target, without what chance adds to them, after Holm's correction over all variants (5 %; "
        "1 % in a stage).",
        f"p (Holm) is corrected for all {compared:,} comparisons of cities together.",
    ]
    return [*lines, say.FRESH] if answer.stages else lines
