"""The page of a what-if, and the folder it is written into.

index.html       the page, with figures/, tables/ (CSV and Parquet) and summary.md
answer.json      the answer, for scripts; `analyses/what_if_folder.py` says what else lies there
"""

from collections.abc import Callable
from pathlib import Path

from khora_sim.analyses.answer_folder import OTHER_OUT, write_json
from khora_sim.analyses.what_if_answer import Variant, WhatIf
from khora_sim.analyses.what_if_folder import ANSWER, TYPED
from khora_sim.common.files import explain_write_errors
from khora_sim.pages import what_if_words as say
from khora_sim.pages.page_model import Page
from khora_sim.pages.publish import Written, write_page
from khora_sim.pages.what_if_luck import in_short, streams
from khora_sim.pages.what_if_players import adapted_or_not
from khora_sim.pages.what_if_sections import facts, sections
from khora_sim.pages.what_if_tables import VariantOnPage
from khora_sim.pages.wording import INTERVALS


def write(answer: WhatIf, out: Path, progress: Callable[[str], None] = lambda _: None) -> Written:
    """Write the page, its tables and figures; last the answer, which says that the folder is complete."""
    written = write_page(page_of(answer, out), out, progress)
    with explain_write_errors(out, OTHER_OUT):
        write_json(out / ANSWER, answer.data())
    return written


def page_of(answer: WhatIf, out: Path) -> Page:
    """The page of all variants, the first one's verdict on top."""
    several = len(answer.variants) > 1
    shown = [
        VariantOnPage(answer, one, f"v{place}-" if several else "", _file(one, out))
        for place, one in enumerate(answer.variants, 1)
    ]
    first = answer.variants[0]
    made_by = say.command(answer, str(out))
    verdicts = [f"{one.label}: {say.headline(answer, one, one.main)}" for one in answer.variants[1:]]
    return Page(
        kind="What if",
        title=" · ".join(one.label for one in answer.variants),
        facts=facts(shown[0]),
        headline=(f"{first.label}: " if several else "") + say.headline(answer, first, first.main),
        detail=say.detail(answer, first, first.main),
        by_table=verdicts,
        by_table_title="The other changes",
        sure=_sure(answer),
        limits=_limits(answer),
        limits_title="For whom it holds",
        sections=[section for one in shown for section in sections(one)],
        made_by=made_by,
        origin=[INTERVALS],
        commands=[made_by],
    )


def _file(variant: Variant, out: Path) -> str | None:
    """The file that holds changed rules; None where they are the base game's."""
    return variant.file or (str(out / TYPED) if variant.assignments else None)


def _sure(answer: WhatIf) -> list[str]:
    """What luck the sides share, and how comparisons were corrected."""
    lines = []
    for variant in answer.variants:
        head = f"{variant.label}: " if len(answer.variants) > 1 else ""
        lines.append(f"{head}{in_short(streams(answer.base, variant.rules))}")
    count = answer.variants[0].main.comparisons
    lines.append(
        f"p (Holm) is corrected for all {count} comparisons of one variant with one line-up of players "
        "together; an interval is for its own number alone, so some leave out zero by chance."
    )
    return lines


def _limits(answer: WhatIf) -> list[str]:
    """Whether players know the change, and what others say of it."""
    adapted = [line for variant in answer.variants for line in adapted_or_not(answer, variant)]
    others = [
        say.headline(answer, variant, verdict)
        for variant in answer.variants
        for verdict in variant.verdicts[1:]
    ]
    return [*dict.fromkeys(adapted), *dict.fromkeys(others)]
