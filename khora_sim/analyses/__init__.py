"""Analyses: one module or folder each, and the list of them, which loads none.

To add one, write its module, one line here, its test and its page of docs: see CONTRIBUTING.md.
"""

from typing import NamedTuple

STUDY, GAME, MACHINE = "Studies", "The game", "This machine"  # panels of the list of commands


class Entry(NamedTuple):
    """An analysis as it is known before it is loaded."""

    name: str  # the Python function; the command has hyphens
    module: str
    summary: str
    example: str
    group: str = ""  # of commands that it belongs to, such as "strategies"
    panel: str = STUDY  # of the list of commands

    @property
    def command(self) -> str:
        """The command as it is typed after `khora`."""
        return f"{self.group} {self.name}".strip().replace("_", "-")


REGISTRY = {
    one.name: one
    for one in (
        Entry(
            "simulate",
            "khora_sim.simulation.simulate",
            "Play thousands to millions of games and keep every result.",
            "khora simulate --games 20000 --strategies random --cities all --out runs/first",
        ),
        Entry(
            "report",
            "khora_sim.pages.study_report",
            "Write a study up as one page: which cities win most, how sure that is, and why.",
            "khora report runs/first --out reports/first",
        ),
        Entry(
            "plot",
            "khora_sim.pages.plot_command",
            "Draw one figure of a study's report.",
            "khora plot runs/first city-win-share --out cities.png",
        ),
        Entry(
            "replay",
            "khora_sim.cli.replay",
            "Print a game in words, round by round.",
            "khora replay --seed 7 --players 4 --record game.json",
            panel=GAME,
        ),
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
        Entry(
            "bench",
            "khora_sim.analyses.bench",
            "Measure how fast games are played.",
            "khora bench",
            panel=MACHINE,
        ),
    )
}
