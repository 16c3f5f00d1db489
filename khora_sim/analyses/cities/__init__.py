"""Which cities are strong depends on who plays: every city's win share along a ladder of players.

Each player sits in every seat of a study of its own, with all sets of cities equally often, the cities
moving around the table. A player, or a size of table, is a study apart, so that one more costs no more than
its own games. The studies are kept: studies/sage-4-players-1f2e3d4c/ has one player in every seat,
studies/sage-vs-expert-4-players-5a6b7c8d/ the strongest player at a table of the next one.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from khora_sim import __version__
from khora_sim.analyses.analysis import NORMAL, SLACK, Analysis, AnalysisOptions, Games, Precision, Run
from khora_sim.analyses.cities.judging import Measured, measured, table_verdict
from khora_sim.common.command_options import SHOW, Flag, Names, Sizes, Texts
from khora_sim.common.commands import as_typed
from khora_sim.errors import UserError
from khora_sim.pages.city_verdict import CONTROL, BetterPlayer, CitiesAnswer, Number, published_at
from khora_sim.rules import Rules, load_rules
from khora_sim.simulation.dataset import STUDIES, study_folder
from khora_sim.simulation.experiment import CHUNKS, Arm, Design, city_choices, resolve_study
from khora_sim.simulation.result import RulesPlayed
from khora_sim.simulation.run import Until
from khora_sim.simulation.sinks import Folders, FoldersAndSums, InMemory, Sink
from khora_sim.simulation.study import open_study
from khora_sim.simulation.study_file import Study, study_of
from khora_sim.simulation.summing import SUMMING as BY_SLOT
from khora_sim.simulation.summing import Summing, one_against, share_won
from khora_sim.stats import Sums, estimates, shares
from khora_sim.strategy import load
from khora_sim.strategy.contract import Strategy

if TYPE_CHECKING:
    from khora_sim.pages.page_model import Page, Table

LADDER = ("random", "merchant", "steward", "expert", "sage")  # weakest first
SIZES = (2, 3, 4)
SUMMING = Summing(("city",), ("win_share",))
WORST = 0.5  # the share whose interval is widest
CONTEST_GAMES = 1200  # of the strongest against the next; they tell a share to ± 3 points
BESIDE_PUBLISHED = {"published", "players", "claims"}


class CitiesOptions(AnalysisOptions):
    """Which cities are strong depends on who plays: each strategy of a ladder plays against itself.

    All sets of cities are played equally often, every city from every seat with the same dice and deals.
    """

    command = "cities"
    usual_games: ClassVar[int] = 2800

    strategies: Annotated[
        Texts,
        Flag(
            f"The ladder, weakest first: names, name:parameter=value, ./file.py. Usually {' '.join(LADDER)}. "
            "With --resume, in addition to those there.",
            metavar="NAME",
            argument=True,
            strategies=True,
            grows=True,
        ),
    ] = LADDER
    peers: Annotated[
        Names,
        Flag(
            "Other players of the strongest kind, trained independently: how far they differ is how far to "
            "trust the verdict. Such as sage:learned=a.npz,sage:learned=b.npz.",
            metavar="NAMES",
            strategies=True,
            grows=True,
        ),
    ] = ()
    players: Annotated[
        Sizes, Flag("Players at the table: a number, or several such as 4,3,2.", metavar="N", grows=True)
    ] = (4,)  # type: ignore[assignment]  # several, where other commands take one
    games: Annotated[
        Games,
        Flag(
            "Games of each strategy at each size of table, rounded up to whole turns of all sets of cities. "
            "2,800 tell win rates to about ± 2.5 pp.",
            metavar="N",
        ),
    ] = None
    precision: Annotated[
        Precision,
        Flag(
            "Play until every win rate is known to ± this many pp, in place of --games. 1 takes about 17,000 "
            "games of 4 players.",
            metavar="PP",
        ),
    ] = None
    published: Annotated[
        bool,
        Flag(
            "Play nothing: print the verdict that comes with khora; --players takes some of it.",
            SHOW,
            planned=False,
        ),
    ] = False
    claims: Annotated[
        bool, Flag("Print what people say of the game beside the numbers, instead.", SHOW, planned=False)
    ] = False

    @property
    def everyone(self) -> tuple[str, ...]:
        """All players, each once."""
        return (*self.strategies, *self.peers)

    def check(self) -> None:
        """Refuse who is named twice, sizes of table that there are not, and what --published leaves out."""
        if self.published and self.model_fields_set - BESIDE_PUBLISHED:
            raise UserError("--published plays nothing; beside it only --players, --claims and --json count")
        twice = sorted({name for name in self.everyone if self.everyone.count(name) > 1})
        if twice:
            raise UserError(f"{twice[0]}: named twice; name every player once, on the ladder or in --peers")
        if not self.strategies:
            raise UserError("a ladder needs a player; name some, weakest first, or none for the usual ones")
        if len(set(self.players)) < len(self.players):
            raise UserError(f"--players {as_typed(self.players)}: name every size of table once")
        if not self.published and not (self.players and set(self.players) <= set(SIZES)):
            raise UserError(f"--players {as_typed(self.players)}: expected 2, 3 or 4, or several of them")
        load_rules(self.rules)


class CitiesAnalysis(Analysis[CitiesOptions, CitiesAnswer]):
    """How strong each city is with each player of a ladder."""

    Options = CitiesOptions
    own = (STUDIES,)

    def run(self, options: CitiesOptions, run: Run) -> CitiesAnswer:
        """Play what is missing, player by player, each into a study of its own, and judge the cities."""
        if options.published:
            return published_at(options.players if "players" in options.model_fields_set else ())
        arms = arms_of(options)
        contests = contests_of(options)
        with run.folder(STUDIES) as home:
            for arm in arms.values():
                _play(arm, home, run, options.precision)
            better = {players: _better_player(arm, home, run) for players, arm in contests.items()}
            found = {place: measured(arm, open_study(study_folder(home, arm))) for place, arm in arms.items()}
        return judged(options, found, better)

    def brief(self, result: CitiesAnswer, *, full: bool = False) -> "Sequence[str | Table]":
        """Words, shares, what is unlocked, and how games go, at every size of table."""
        from khora_sim.analyses.cities.page import brief

        return brief(result)

    def printed(self, result: CitiesAnswer, options: CitiesOptions, *, full: bool) -> "Sequence[str | Table]":
        """The claims of people where they are asked for; the published answer with what could be gained."""
        from khora_sim.analyses.cities.page import brief, claims

        if options.claims:
            return claims(result)
        return brief(result, published=options.published, kept=options.out is not None)

    def page(self, result: CitiesAnswer, options: CitiesOptions) -> "Page":
        """A section for every size of table."""
        from khora_sim.analyses.cities.page import page_of

        return page_of(result, options)


def arms_of(options: CitiesOptions) -> dict[tuple[int, str], Arm]:
    """A study for every size of table and player."""
    _refuse_copies(options)
    rules = load_rules(options.rules)
    return {
        (players, strategy): resolve_study(_study(options, strategy, players, rules), rules, options.rules)
        for players in options.players
        for strategy in (*options.strategies, *peers_at(options, players))
    }


def peers_at(options: CitiesOptions, players: int) -> tuple[str, ...]:
    """The peers at tables of one size: without those whose learned value was not made for it."""
    return tuple(name for name in options.peers if _knows(load(name), players))


def _knows(strategy: Strategy, players: int) -> bool:
    return strategy.learned is None or players in strategy.learned.weights


def _refuse_copies(options: CitiesOptions) -> None:
    """Refuse a peer that plays the same games as another player: their spread would say nothing."""
    known: dict[str, str] = {}
    for name in (options.strategies[-1], *options.peers):
        digest = load(name).digest
        if digest in known:
            raise UserError(
                f"--peers: {name} is the same player as {known[digest]}; name players that were trained "
                "independently, such as sage:learned=FILE.npz"
            )
        known[digest] = name


def _study(options: CitiesOptions, strategy: str, players: int, rules: Rules) -> Study:
    study = study_of(
        {
            "strategies": (strategy,),
            "players": players,
            "games": options.games_wanted or 1,
            "cities": "all",
            "lineup": "same",
            "rotate": "cities",
            "seed": options.judging_seed,
        }
    )
    if options.precision is None:
        return study
    return study.model_copy(update={"games": most_games(study, options.precision, len(rules.city_ids))})


def most_games(study: Study, precision: float, cities: int) -> int:
    """Games after which every share is known to a precision, whatever it is.

    As many as can be cut into equal parts of whole turns of all sets of cities: wherever the stopping rule
    ends the study, every set was played equally often.
    """
    (players,) = study.players
    of_a_city = WORST * (1 - WORST) * (100 * NORMAL / precision) ** 2 * SLACK
    turns = city_choices(study, cities, players) * players * CHUNKS
    return turns * math.ceil(of_a_city * cities / players / turns)


def precise_enough(precision: float, rows_per_group: int) -> Until:
    """A stopping rule: the share of every city is known to so many percentage points."""

    def reached(sink: Sink) -> bool:
        assert isinstance(sink, FoldersAndSums)
        return widest(sink.sums[0], rows_per_group) <= precision / 100

    return reached


def widest(sums: Sums, rows_per_group: int) -> float:
    """The widest margin of all cities."""
    table = estimates(shares(sums, ["city"], "win_share", rows_per_group=rows_per_group))
    return max(one.margin for one in table)


def _play(arm: Arm, home: Path, run: Run, precision: float | None) -> None:
    """Play what the study of an arm still lacks."""
    (section,) = arm.sections
    until = None if precision is None else precise_enough(precision, section.group_size * section.players)
    run.play(Design((arm,)), _study_and_sums(home, arm, SUMMING), until)


def _study_and_sums(home: Path, arm: Arm, summing: Summing) -> FoldersAndSums:
    return FoldersAndSums(Folders([study_folder(home, arm)], resume=True), InMemory(summing))


def contests_of(options: CitiesOptions) -> dict[int, Arm]:
    """The strongest player of the ladder at a table of the next one, by size of table.

    In self-play nobody is better, and what is left is the city and chance. This is the measurement beside it.
    There is none where fewer than two players have a plan.
    """
    levels = [name for name in options.strategies if load(name).family != CONTROL]
    if len(levels) < 2:
        return {}
    rules = load_rules(options.rules)
    games = min(options.games_wanted or CONTEST_GAMES, CONTEST_GAMES)
    seed = options.judging_seed
    return {
        players: one_against(levels[-1], levels[-2], players, games, seed, rules, options.rules)
        for players in options.players
    }


def _better_player(arm: Arm, home: Path, run: Run) -> BetterPlayer:
    """Play what a contest still lacks, and say what the one wins."""
    sink = _study_and_sums(home, arm, BY_SLOT)
    run.play(Design((arm,)), sink)
    one, other = arm.study.strategies[:2]
    share = share_won(sink.sums[0], arm.sections[0].players)
    return BetterPlayer(strategy=one, against=other, share=Number.of(share))


def judged(
    options: CitiesOptions, found: Mapping[tuple[int, str], Measured], better: Mapping[int, BetterPlayer]
) -> CitiesAnswer:
    """The answer from what was measured."""
    rules = next(iter(found.values())).arm.rules
    return CitiesAnswer(
        khora=__version__,
        rules=RulesPlayed.of(rules),
        seed=options.judging_seed,
        games=options.games_wanted,
        precision=options.precision,
        names=dict(zip(rules.city_ids, rules.city_names, strict=True)),
        tables=tuple(
            table_verdict(
                players,
                [found[players, one] for one in options.strategies],
                [found[players, one] for one in peers_at(options, players)],
                better.get(players),
            )
            for players in options.players
        ),
    )


COMMAND = CitiesAnalysis()
