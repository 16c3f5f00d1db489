"""Analyses: one module or folder each, and the list of them, which loads none.

Commands that make players (`learn`, `tune`) are listed too: they write a file in place of an answer.
To add an analysis, write its module, one line here, its test and its page of docs: see CONTRIBUTING.md.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """An analysis as it is known before it is loaded."""

    name: str  # the Python function; the command has hyphens
    module: str
    summary: str
    example: str
    group: str = ""  # of commands that it belongs to, such as "strategies"
    panel: str = "Studies"  # of the list of commands
    object: str = "ANALYSIS"  # its name in the module; MAKER where a command makes a player

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
            "learn",
            "khora_sim.training.learn",
            "Learn by self-play what positions are worth, and write it as data that says how it was made.",
            "khora learn --budget 25min --out value.npz",
            panel="The game",
            object="MAKER",
        ),
        Entry(
            "tune",
            "khora_sim.training.tune",
            "Tune the weights of the evaluator by playing, and write a strategy that says how it was made.",
            "khora tune --budget 10min --out my_player.toml",
            panel="The game",
            object="MAKER",
        ),
    )
}
