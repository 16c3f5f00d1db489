"""The report in a page of Markdown, for a mail or a pull request."""

from khora_sim.pages.page import Page


def summary(page: Page) -> str:
    """The verdict, its limits, and the main sentence of every section."""
    lines = [f"# {page.title}", "", " · ".join(page.facts), "", f"**{page.headline}** {page.detail}", ""]
    if page.ladder:
        places = range(2, 2 + len(page.ladder[0][0].unlocked))
        titles = ["tier", "city", "result", *(f"development {place}" for place in places)]
        lines += [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
        lines += [
            f"| {' | '.join([str(tier), rung.name, rung.text, *rung.unlocked])} |"
            for tier, rungs in enumerate(page.ladder, 1)
            for rung in rungs
        ]
        unlocked = " Developments: share of a city's games in which each is unlocked." if places else ""
        lines += ["", f"{page.ladder_note}{unlocked}", ""]
    lines += [f"- {line}" for line in page.habits] + [""] * bool(page.habits)
    lines += [f"- {line}" for line in page.by_table] + [""] * bool(page.by_table)
    for title, lines_below in (("How sure that is", page.sure), (page.limits_title, page.limits)):
        if lines_below:
            lines += [f"## {title}", "", *(f"- {line}" for line in lines_below), ""]
    for section in page.sections:
        lines += [f"## {section.title}", "", section.lead, ""]
        for figure in section.figures:
            lines += [f"- [{figure.title}](figures/{figure.kind}.png): {figure.sentence} ({figure.counted})"]
        lines += [f"- {line}" for line in section.unknown if line != section.lead]
        lines += [f"- {note}" for note in section.notes]
        lines += [""] if section.figures or section.notes or section.unknown else []
    lines += ["## Where this comes from", "", *page.origin, ""]
    lines = [line.replace("<", "&lt;") for line in lines]  # a name in a stranger's study may hold HTML
    lines += ["```console", *(f"$ {command}" for command in page.commands), "```", ""]
    return "\n".join(lines)
