"""Measure how often the first player wins: a whole analysis in one file, as CONTRIBUTING.md shows it."""

from collections.abc import Sequence
from typing import Annotated

from khora_sim.analyses.analysis import Analysis, AnalysisOptions, Run
from khora_sim.common.command_options import Flag
from khora_sim.errors import UserError, nearest
from khora_sim.pages.page_model import Page, Section
from khora_sim.pages.table import Table, count, share
from khora_sim.rules import load_rules
from khora_sim.simulation.experiment import Design, resolve_study
from khora_sim.simulation.result import EstimateJson, Result
from khora_sim.simulation.sinks import ArmSums
from khora_sim.simulation.study_file import study_of
from khora_sim.simulation.summing import Summing
from khora_sim.stats import estimates, format_estimate, shares


class FirstPlayerOptions(AnalysisOptions):
    """The first player is drawn in every game."""

    command = "first-player"
    usual_games = 1_400
    city: Annotated[str | None, Flag("Count only games in which the first player has this city.")] = None

    def check(self) -> None:
        """Refuse a city that is not in the game."""
        known = load_rules(self.rules).city_ids
        if self.city is not None and self.city not in known:
            raise UserError(f"--city {self.city}: unknown city; {nearest(self.city, known)}")


class FirstPlayer(Result):
    """The answer: its fields are the keys of answer.json."""

    strategies: tuple[str, ...]
    games: int
    fair: float
    wins: EstimateJson


class FirstPlayerAnalysis(Analysis[FirstPlayerOptions, FirstPlayer]):
    """How often the first player wins."""

    Options = FirstPlayerOptions

    def run(self, options: FirstPlayerOptions, run: Run) -> FirstPlayer:
        """Play the games that are missing, and estimate the win rate."""
        study = study_of(
            {
                "strategies": options.strategies,
                "players": options.players,
                "games": options.games_wanted or options.usual_games,
                "seed": options.judging_seed,
                "cities": "all",
            }
        )
        design = Design((resolve_study(study, load_rules(options.rules), options.rules),))
        sink = ArmSums(Summing(("is_first", "city"), ("win_share",)), run.chunks)
        outcome = run.play(design, sink)
        won = sink.sums[0].only(is_first=True)
        if options.city is not None:
            won = won.only(city=options.city)
        (wins,) = estimates(shares(won, ["is_first"], "win_share"))
        fair = 1 / options.players
        return FirstPlayer(strategies=options.strategies, games=outcome.games, fair=fair, wins=wins)

    def brief(self, result: FirstPlayer, *, full: bool = False) -> Sequence[str | Table]:
        """The headline and a table."""
        return [headline(result), table(result)]

    def page(self, result: FirstPlayer, options: FirstPlayerOptions) -> Page:
        """The same as a page."""
        section = Section("first", "The first player", headline(result), tables=[table(result)])
        return Page("First player", "The first player", [], headline(result), "", [section])


def headline(result: FirstPlayer) -> str:
    """The answer in a sentence."""
    return f"The first player wins {format_estimate(result.wins, percent=True)}; fair is {result.fair:.0%}."


def table(result: FirstPlayer) -> Table:
    """Games and wins."""
    columns = [count("Games", "games"), share("Win rate", "wins")]
    return Table.of("first-player", "The first player", [result], columns)


COMMAND = FirstPlayerAnalysis()
