"""The page of a what-if, and the folder it is written into.

index.html       the page, with figures/, tables/ (CSV and Parquet) and summary.md
answer.json      the answer, for scripts
variant.toml     the change as a file, where it was typed with --set
"""

from collections.abc import Callable
from pathlib import Path

from khora_sim.common.writing import told_if_not_written, write_whole
from khora_sim.errors import UserError
from khora_sim.questions.answer_folder import OTHER_OUT, write_json
from khora_sim.questions.what_if_answer import WhatIf
from khora_sim.report import what_if_words as say
from khora_sim.report.compose import INTERVALS
from khora_sim.report.luck import luck_of_rules
from khora_sim.report.page import Page
from khora_sim.report.publish import Written, write_page
from khora_sim.report.what_if_sections import facts, sections
from khora_sim.report.what_if_tables import Told
from khora_sim.rules.assignments import variant_text

ANSWER, TYPED = "answer.json", "variant.toml"


def check_out(out: Path) -> None:
    """Refuse a folder that holds something else, before anything is played."""
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: is a file; --out should name a folder")
    if out.exists() and any(out.iterdir()) and not (out / ANSWER).exists():
        raise UserError(f"{out}: is not empty and holds no answer; {OTHER_OUT}")


def write(answer: WhatIf, out: Path, progress: Callable[[str], None] = lambda _: None) -> Written:
    """Write the page, its tables and figures, the answer, and the change itself where it was typed."""
    with told_if_not_written(out, OTHER_OUT):
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / ANSWER, answer.data())
        for variant in answer.variants:
            if variant.assignments:
                write_whole(out / TYPED, variant_text(variant.assignments).encode())
    return write_page(page_of(answer, out), out, progress)


def page_of(answer: WhatIf, out: Path) -> Page:
    """The page of all variants, the first one's verdict on top."""
    several = len(answer.variants) > 1
    told = [
        Told(answer, one, f"v{place}-" if several else "", one.file or str(out / TYPED))
        for place, one in enumerate(answer.variants, 1)
    ]
    first = answer.variants[0]
    made_by = say.command(answer, str(out))
    verdicts = [f"{one.label}: {say.headline(answer, one, one.main)}" for one in answer.variants[1:]]
    return Page(
        kind="What if",
        title=" · ".join(one.label for one in answer.variants),
        facts=facts(told[0]),
        headline=(f"{first.label}: " if several else "") + say.headline(answer, first, first.main),
        detail=say.detail(answer, first, first.main),
        by_table=verdicts,
        by_table_title="The other changes",
        sure=_sure(answer),
        limits=[say.ADAPTED, *_beside(answer)],
        limits_title="For whom it holds",
        sections=[section for one in told for section in sections(one)],
        made_by=made_by,
        origin=[INTERVALS],
        commands=[made_by],
    )


def _sure(answer: WhatIf) -> list[str]:
    """What luck the sides share, and how comparisons were corrected."""
    lines = []
    for variant in answer.variants:
        head = f"{variant.label}: " if len(answer.variants) > 1 else ""
        lines += [f"{head}{line}" for line in luck_of_rules(answer.base, variant.rules)]
    lines.append(
        "What is the same stays so to the end of a game, whatever is decided: dice by seat and round, events "
        "by round, the order of the deck. Who draws which card depends on how many were drawn before."
    )
    count = answer.variants[0].main.comparisons
    lines.append(
        f"p (Holm) is corrected for all {count} comparisons of one variant with one line-up of players "
        "together; an interval is for its own number alone, so some leave out zero by chance."
    )
    return lines


def _beside(answer: WhatIf) -> list[str]:
    return [
        say.headline(answer, variant, verdict)
        for variant in answer.variants
        for verdict in variant.verdicts[1:]
    ]
