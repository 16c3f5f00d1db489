"""Win share of every city along a ladder of players: which cities are strong depends on who plays.

Each player sits in every seat of a study of its own, with all sets of cities equally often, the cities
moving around the table. A player, or a size of table, is a study apart, so that one more costs no more than
its own games. The studies are kept: studies/sage-4-players-1f2e3d4c/ has one player in every seat,
studies/sage-vs-adept-4-players-5a6b7c8d/ the strongest player at a table of the next one.

A city is *above* or *below* its fair share with a player where the difference stands at the 5 % level,
corrected by Holm for all cities and players of a size of table; else it is *open*. The difference has to be
larger than the spread between a player and its peers, where there are any.

Levels of play are all players of the ladder but controls: random moves are no way to play. A player that
hardly ever unlocks the second development of a city does not know that city, and is left out of its words;
if that is the strongest player, nothing is settled. Then the strongest player decides, and the others say how
far down it holds:

    strongest   all levels   some other level   words
    above       above                           strong at all levels
    above       not                             strong in strong hands
    below       below                           weak at all levels
    below       not          above              strong for beginners only
    below       not          none above         weak in strong hands
    open                                        order not settled

A single level of play says nothing of others: then a city is above or below its fair share.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import polars as pl

from khora_sim import __version__
from khora_sim.analyses.analysis import NORMAL, SLACK, Analysis, AnalysisOptions, Games, Precision, Run
from khora_sim.common.command_options import SHOW, Flag, Names, Sizes, Texts
from khora_sim.common.commands import as_typed
from khora_sim.errors import UserError
from khora_sim.pages.page_model import Page
from khora_sim.pages.published_answers import (
    ABOVE,
    BELOW,
    CONTROL,
    FOR_BEGINNERS,
    IN_STRONG_HANDS,
    OPEN,
    STRONG,
    WEAK,
    WEAK_IN_STRONG_HANDS,
    Against,
    BetterPlayer,
    CitiesAnswer,
    CityShare,
    GameFacts,
    SelfPlay,
    TableVerdict,
    hardly_ever,
    levels_of_play,
    peers_by_player,
    published_at,
)
from khora_sim.pages.table import Table
from khora_sim.rules import Rules, load_rules
from khora_sim.rules.terms import DEVELOPMENTS
from khora_sim.simulation.dataset import STUDIES, study_folder
from khora_sim.simulation.experiment import CHUNKS, Arm, Design, city_choices, resolve_study
from khora_sim.simulation.game_facts import facts_of
from khora_sim.simulation.result import RulesPlayed
from khora_sim.simulation.sinks import Folders, FoldersAndSums, InMemory, Sink
from khora_sim.simulation.study import OpenStudy, open_study
from khora_sim.simulation.study_file import Study, study_of
from khora_sim.simulation.summing import SUMMING as BY_SLOT
from khora_sim.simulation.summing import Summing, one_against, share_won
from khora_sim.stats import Estimate, Sums, estimates, holm, shares, sums_of
from khora_sim.stats.estimate import Array
from khora_sim.stats.intervals import share_p_value
from khora_sim.stats.ratios import spread
from khora_sim.strategy import load

LADDER = ("random", "merchant", "steward", "expert", "adept", "sage")  # weakest first
SIZES = (2, 3, 4)
SUMMING = Summing(("city",), ("win_share",))
WORST = 0.5  # the share whose interval is widest
CONTEST_GAMES = 1200  # of the strongest against the next; they tell a share to ± 3 points
BESIDE_PUBLISHED = {"published", "players", "claims"}
ALPHA = 0.05
FIRST_UNLOCKED = 2  # the first development is there from the start
LATER = range(FIRST_UNLOCKED, DEVELOPMENTS + 1)


class CitiesOptions(AnalysisOptions):
    """Each strategy of a ladder plays against itself: which cities are strong depends on who plays.

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
            "Other players of the kinds on the ladder, trained independently: how far they differ is how far "
            "to trust the verdict. Such as sage:learned=a.npz,adept:learned=b.npz.",
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

    def check(self) -> None:
        """Refuse who is named twice, sizes of table that there are not, and what --published leaves out."""
        if self.published and self.model_fields_set - BESIDE_PUBLISHED:
            raise UserError("--published plays nothing; beside it only --players, --claims and --json count")
        everyone = (*self.strategies, *self.peers)
        twice = sorted({name for name in everyone if everyone.count(name) > 1})
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
    """Strength of each city with each player of a ladder."""

    Options = CitiesOptions
    own = (STUDIES,)

    def run(self, options: CitiesOptions, run: Run) -> CitiesAnswer:
        """Play what is missing, player by player, each into a study of its own, and evaluate the cities."""
        if options.published:
            return published_at(options.players if "players" in options.model_fields_set else ())
        arms, contests = arms_of(options), contests_of(options)
        with run.folder(STUDIES) as home:
            for arm in arms.values():
                _played(arm, home, run, SUMMING, options.precision)
            better = {}
            for players, arm in contests.items():
                share = share_won(_played(arm, home, run, BY_SLOT), players)
                one, other = arm.study.strategies[:2]
                better[players] = BetterPlayer(strategy=one, against=other, share=share)
            found = {place: measured(arm, open_study(study_folder(home, arm))) for place, arm in arms.items()}
        return evaluated(options, found, better)

    def brief(self, result: CitiesAnswer, *, full: bool = False) -> Sequence[str | Table]:
        """Words, shares, what is unlocked, and how games go, at every size of table."""
        from khora_sim.analyses.cities.page import brief

        return brief(result, full=full)

    def printed(self, result: CitiesAnswer, options: CitiesOptions, *, full: bool) -> Sequence[str | Table]:
        """The claims of people where they are asked for; the published answer with what could be gained."""
        from khora_sim.analyses.cities.page import brief, claims

        if options.claims:
            return claims(result)
        return brief(result, published=options.published, kept=options.out is not None, full=full)

    def page(self, result: CitiesAnswer, options: CitiesOptions) -> Page:
        """A section for every size of table."""
        from khora_sim.analyses.cities.page import page_of

        return page_of(result)


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
    learned = {name: load(name).learned for name in options.peers}
    return tuple(name for name, one in learned.items() if one is None or players in one.weights)


def _refuse_copies(options: CitiesOptions) -> None:
    """Refuse a peer that plays the same games as another player: their spread would say nothing."""
    known = {load(name).digest: name for name in options.strategies}
    for name in options.peers:
        digest = load(name).digest
        if digest in known:
            raise UserError(
                f"--peers: {name} is the same player as {known[digest]}; name players that were trained "
                "independently, such as sage:learned=FILE.npz"
            )
        known[digest] = name


def _study(options: CitiesOptions, strategy: str, players: int, rules: Rules) -> Study:
    given = {"strategies": (strategy,), "players": players, "seed": options.judging_seed}
    fixed = {"cities": "all", "lineup": "same", "rotate": "cities"}
    study = study_of({**given, **fixed, "games": options.games_wanted or 1})
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


def widest(sums: Sums, rows_per_group: int) -> float:
    """The widest margin of all cities."""
    table = estimates(shares(sums, ["city"], "win_share", rows_per_group=rows_per_group))
    return max(one.margin for one in table)


def _played(arm: Arm, home: Path, run: Run, summing: Summing, precision: float | None = None) -> Sums:
    """Play what the study of an arm still lacks, to a precision of every city's share where there is one."""
    (section,) = arm.sections

    def precise_enough(sink: Sink) -> bool:
        assert isinstance(sink, FoldersAndSums)
        assert precision is not None
        return widest(sink.sums[0], section.group_size * section.players) <= precision / 100

    sink = FoldersAndSums(Folders([study_folder(home, arm)], resume=True), InMemory(summing))
    run.play(Design((arm,)), sink, None if precision is None else precise_enough)
    return sink.sums[0]


def contests_of(options: CitiesOptions) -> dict[int, Arm]:
    """The strongest player of the ladder at a table of the next one, by size of table.

    In self-play nobody is better, and what is left is the city and chance. This is the measurement beside it.
    There is none where fewer than two players have a plan.
    """
    levels = [name for name in options.strategies if load(name).family != CONTROL]
    if len(levels) < 2:
        return {}
    games = min(options.games_wanted or CONTEST_GAMES, CONTEST_GAMES)
    given = (games, options.judging_seed, load_rules(options.rules), options.rules)
    return {players: one_against(levels[-1], levels[-2], players, *given) for players in options.players}


class Measured(NamedTuple):
    """One player at one size of table before its shares are tested, and what they are tested with."""

    play: SelfPlay
    shares: pl.DataFrame  # city, value, variance, units, n


def measured(arm: Arm, study: OpenStudy) -> Measured:
    """The shares of the cities in a study of one player, and how its games go."""
    players = study.players.with_columns(pl.col("city").cast(pl.String))
    counts = {f"unlocked_{place}": (pl.col("development") >= place).cast(pl.UInt32) for place in LATER}
    sums = sums_of(players, ["city"], {"win_share": pl.col("win_share"), **counts})
    rows = study.rows_per_group

    def by_city(column: str) -> dict[str, Estimate]:
        table = shares(sums, ["city"], column, rows_per_group=rows)
        return dict(zip(table["city"], estimates(table), strict=True))

    unlocked = {place: by_city(f"unlocked_{place}") for place in LATER}
    facts = facts_of(arm.rules, study.games, study.players, rows)._asdict()
    (strategy,) = arm.strategies
    play = SelfPlay(
        strategy=arm.study.strategies[0],
        digest=strategy.digest,
        family=strategy.family,
        games=study.game_count,
        cities={
            city: CityShare(
                share=share,
                p_holm=None,
                against_fair="open",
                unlocked={place: rates[city] for place, rates in unlocked.items()},
            )
            for city, share in by_city("win_share").items()
        },
        facts=GameFacts(**facts),
    )
    return Measured(play, spread(sums, ["city"], "win_share"))


def evaluated(
    options: CitiesOptions, found: Mapping[tuple[int, str], Measured], better: Mapping[int, BetterPlayer]
) -> CitiesAnswer:
    """The answer from what was measured."""
    rules = load_rules(options.rules)
    tables = []
    for players in options.players:
        ladder = [found[players, one] for one in options.strategies]
        peers = [found[players, one] for one in peers_at(options, players)]
        tables.append(table_verdict(players, ladder, peers, better.get(players)))
    return CitiesAnswer(
        khora=__version__,
        rules=RulesPlayed.of(rules),
        seed=options.judging_seed,
        games=options.games_wanted,
        precision=options.precision,
        names=dict(zip(rules.city_ids, rules.city_names, strict=True)),
        tables=tuple(tables),
    )


def table_verdict(
    players: int, ladder: Sequence[Measured], peers: Sequence[Measured], better: BetterPlayer | None
) -> TableVerdict:
    """The verdict at one size of table."""
    fair = 1 / players
    by_player = peers_by_player([one.play.strategy for one in ladder], [one.play.strategy for one in peers])
    p_values: dict[tuple[str, str], float] = {}
    for one in ladder:
        numbers = one.shares.select("value", "variance", "units", "n")
        value, variance, clusters, n = (numbers[column].to_numpy() for column in numbers.columns)
        like = [peer for peer in peers if peer.play.strategy in by_player[one.play.strategy]]
        apart = np.ptp([each.shares["value"].to_numpy() for each in (one, *like)], axis=0)
        p = p_beyond(value, fair, apart, variance, clusters, n)
        names = [(one.play.strategy, city) for city in one.shares["city"]]
        p_values |= dict(zip(names, p.tolist(), strict=True))
    p_holm = corrected(p_values)
    tested = tuple(_tested(one.play, fair, p_holm) for one in ladder)
    return TableVerdict(
        players=players,
        ladder=tested,
        peers=tuple(one.play for one in peers),
        words=words_for(tested),
        better_player=better,
    )


def _tested(play: SelfPlay, fair: float, p_holm: Mapping[tuple[str, str], float]) -> SelfPlay:
    """A player with where each city stands."""
    cities = {}
    for city, own in play.cities.items():
        p = p_holm[play.strategy, city]
        stands = against_fair(own.share.value, fair, p)
        cities[city] = own.model_copy(update={"p_holm": p, "against_fair": stands})
    return play.model_copy(update={"cities": cities})


def word_for(levels: Sequence[Against]) -> str:
    """The words for a city from where it stands with each level of play, the strongest last."""
    strongest = levels[-1]
    if strongest == "open":
        return OPEN
    if strongest == "above":
        return STRONG if set(levels) == {"above"} else IN_STRONG_HANDS
    if set(levels) == {"below"}:
        return WEAK
    return FOR_BEGINNERS if "above" in levels else WEAK_IN_STRONG_HANDS


def p_beyond(share: Array, fair: float, spread: Array, variance: Array, clusters: Array, n: Array) -> Array:
    """P-values of shares against all that lies no farther from the fair share than a spread."""
    above = share > fair
    edge = np.where(above, fair + spread, fair - spread)
    inside = (np.abs(share - fair) <= spread) | (edge <= 0) | (edge >= 1)
    plain = share_p_value(
        share, np.where(spread > 0, np.clip(edge, 1e-9, 1 - 1e-9), fair), variance, clusters, n
    )
    return np.where(inside & (spread > 0), 1.0, plain)


def against_fair(share: float, fair: float, p_holm: float) -> Against:
    """Tell if a share is above or below the fair one, or if that is open."""
    if not p_holm < ALPHA:
        return "open"
    return "above" if share > fair else "below"


def corrected(p_values: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Holm's correction over all players and cities of one size of table."""
    return dict(zip(p_values, holm(list(p_values.values())).tolist(), strict=True))


def words_for(ladder: Sequence[SelfPlay]) -> dict[str, str]:
    """The words for every city."""
    levels = levels_of_play(ladder)
    words = {}
    for city in ladder[-1].cities:
        known = [one.cities[city] for one in levels if hardly_ever(one.cities[city]) != FIRST_UNLOCKED]
        sure = bool(known) and known[-1] is levels[-1].cities[city]
        words[city] = word_for([one.against_fair for one in known]) if sure else OPEN
        if len(levels) == 1:
            words[city] = {STRONG: ABOVE, WEAK: BELOW}.get(words[city], OPEN)
    return words


COMMAND = CitiesAnalysis()
