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
            "ladder",
            "khora_sim.analyses.ladder",
            "Play strategies against each other, one against all others of another, and rate them.",
            "khora ladder steward merchant random --out ladders/first",
        ),
        Entry(
            "cities",
            "khora_sim.analyses.cities",
            "Measure how strong each city is with each strategy of a ladder.",
            "khora cities --precision 1 --out cities/first",
        ),
        Entry(
            "power",
            "khora_sim.analyses.power",
            "Measure what cards, events, developments, actions, tracks or spaces are worth.",
            "khora power cards --precision 1 --out power/cards",
        ),
    )
}
