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
            "sweep",
            "khora_sim.analyses.sweep",
            "Play numbers of the rules over ranges, and find the value nearest to a target.",
            "khora sweep --vary cities.argos.developments.4.cost=0..4",
        ),
        Entry(
            "balance",
            "khora_sim.analyses.balance",
            "Find the fewest and smallest changes of numbers that bring the cities' win rates to a target.",
            "khora balance --target 25+-2 --out balance/first",
        ),
    )
}
