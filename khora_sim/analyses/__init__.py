"""Analyses: one module or folder each, and the list of them, which loads none.

Commands that make players (`learn`, `tune`) are listed too: they write a file in place of an answer.
To add an analysis, write its module, one line here, its test and its page of docs: see CONTRIBUTING.md.
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
            "what_if",
            "khora_sim.analyses.what_if",
            "Measure the effect of a rule change, of an option of the game or of other players.",
            "khora what-if --set cards.lighthouse.cost=2",
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
            "Make a panel: frozen decisions with the value of every option.",
            "khora strategies panel --out panel.npz",
            "strategies",
        ),
        Entry(
            "gate",
            "khora_sim.analyses.gate",
            "Compare the game as it is now with a stored baseline.",
            "khora gate baseline.json --city-share 10..55",
        ),
        Entry(
            "learn",
            "khora_sim.training.learn",
            "Learn by self-play what positions are worth, and write it as data that says how it was made.",
            "khora learn --budget 25min --out value.npz",
            panel=GAME,
        ),
        Entry(
            "tune",
            "khora_sim.training.tune",
            "Tune the weights of the evaluator by playing, and write a strategy that says how it was made.",
            "khora tune --budget 10min --out my_player.toml",
            panel=GAME,
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
        Entry(
            "bench",
            "khora_sim.analyses.bench",
            "Measure how fast games are played.",
            "khora bench",
            panel=MACHINE,
        ),
    )
}
