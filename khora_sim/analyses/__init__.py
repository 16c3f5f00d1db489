"""Analyses: one module or folder each, and the list of them, which loads none.

To add one, write its module, one line here, its test and its page of docs: see CONTRIBUTING.md.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """An analysis as it is known before it is loaded."""

    name: str  # the Python function; the command has hyphens
    module: str
    summary: str
    example: str
    group: str = ""  # of commands that it belongs to, such as "strategies"

    @property
    def command(self) -> str:
        """The command as it is typed after `khora`."""
        return f"{self.group} {self.name}".strip().replace("_", "-")


REGISTRY = {
    one.name: one
    for one in (
        Entry(
            "power",
            "khora_sim.analyses.power",
            "Measure what cards, events, developments, actions, tracks or spaces are worth.",
            "khora power cards --precision 1 --out power/cards",
        ),
        Entry(
            "habits",
            "khora_sim.analyses.habits",
            "Let a strategy play itself: what it does in each city, and what it never does.",
            "khora strategies habits steward",
            "strategies",
        ),
        Entry(
            "exploit",
            "khora_sim.analyses.exploit",
            "Let others play one city against a table of a strategy, and measure how much they gain there.",
            "khora strategies exploit steward --city sparta",
            "strategies",
        ),
        Entry(
            "grade",
            "khora_sim.analyses.grade",
            "Ask a strategy at frozen decisions, and sum up what its choices lose.",
            "khora strategies grade steward",
            "strategies",
        ),
        Entry(
            "panel",
            "khora_sim.analyses.grade.making",
            "Make a panel: frozen decisions with the value of every option by deep search.",
            "khora strategies panel --out panel.npz",
            "strategies",
        ),
    )
}
