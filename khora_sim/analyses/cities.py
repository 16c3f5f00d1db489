"""Which cities are strong depends on who plays: every city's win share along a ladder of players.

Each player sits in every seat of a study of its own, with all sets of cities equally often, the cities
moving around the table. A player, or a size of table, is a study apart, so that one more costs no more than
its own games.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from khora_sim import __version__
from khora_sim.analyses.better_player import GAMES as CONTEST_GAMES
from khora_sim.analyses.better_player import better_player, contest
from khora_sim.analyses.cities_answer import BetterPlayer, CitiesAnswer, RulesPlayed
from khora_sim.analyses.cities_judging import Measured, measured, table_verdict
from khora_sim.analyses.games_asked import check_precision
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.errors import UserError
from khora_sim.rules import Rules, load_rules
from khora_sim.simulation.backend import crew_for
from khora_sim.simulation.experiment import CHUNKS, Arm, Design, city_choices, settled_plan
from khora_sim.simulation.run import Until, play
from khora_sim.simulation.sinks import Folders, FoldersAndSums, InMemory, Sink
from khora_sim.simulation.study import open_study
from khora_sim.simulation.study_file import Study, study_of
from khora_sim.simulation.summing import Summing, one_against
from khora_sim.stats import Sums, estimates, shares
from khora_sim.strategy import load
from khora_sim.strategy.contract import Strategy

LADDER = ("random", "merchant", "steward", "expert", "sage")  # weakest first
PLAYERS, GAMES, SEED = (4,), 2800, seed_in(JUDGING, 0)
SUMMING = Summing(("city",), ("win_share",))
WORST, SLACK = 0.5, 1.1  # the share whose interval is widest; what rotation groups may cost beyond that
NORMAL = 1.96


class Plan(NamedTuple):
    """What is asked: who plays, at which sizes of table, and how many games or how precisely."""

    strategies: tuple[str, ...] = LADDER  # weakest first
    peers: tuple[str, ...] = ()  # others of the strongest kind, trained independently
    players: tuple[int, ...] = PLAYERS
    games: int | None = GAMES  # of each player at each size of table
    precision: float | None = None  # percentage points, in place of a number of games
    seed: int = SEED
    rules: str | None = None  # the file of a variant

    @property
    def everyone(self) -> tuple[str, ...]:
        """All players, each once."""
        return (*self.strategies, *self.peers)


def check_plan(plan: Plan) -> None:
    """Refuse a plan that names someone twice or nobody, or asks for the impossible."""
    twice = sorted({name for name in plan.everyone if plan.everyone.count(name) > 1})
    if twice:
        raise UserError(f"{twice[0]}: named twice; name every player once, on the ladder or in --peers")
    if not plan.strategies:
        raise UserError("a ladder needs a player; name some, weakest first, or none for the usual ones")
    if len(set(plan.players)) < len(plan.players):
        raise UserError(f"--players {','.join(map(str, plan.players))}: name every size of table once")
    check_precision(plan.precision)


def arms_of(plan: Plan) -> dict[tuple[int, str], Arm]:
    """A study for every size of table and player."""
    check_plan(plan)
    _refuse_copies(plan)
    rules = load_rules(plan.rules)
    return {
        (players, strategy): settled_plan(_study(plan, strategy, players, rules), rules, plan.rules)
        for players in plan.players
        for strategy in (*plan.strategies, *peers_at(plan, players))
    }


def peers_at(plan: Plan, players: int) -> tuple[str, ...]:
    """The peers at tables of one size: without those whose learned value was not made for it."""
    return tuple(name for name in plan.peers if _knows(load(name), players))


def _knows(strategy: Strategy, players: int) -> bool:
    return strategy.learned is None or players in strategy.learned.weights


def _refuse_copies(plan: Plan) -> None:
    """Refuse a peer that plays the same games as another player: their spread would say nothing."""
    known: dict[str, str] = {}
    for name in (plan.strategies[-1], *plan.peers):
        digest = load(name).digest
        if digest in known:
            raise UserError(
                f"--peers: {name} is the same player as {known[digest]}; name players that were trained "
                "independently, such as sage:learned=FILE.npz"
            )
        known[digest] = name


def _study(plan: Plan, strategy: str, players: int, rules: Rules) -> Study:
    fixed = {"cities": "all", "lineup": "same", "rotate": "cities", "seed": plan.seed}
    study = study_of(
        {
            **fixed,
            "strategies": (strategy,),
            "players": players,
            "games": 1 if plan.games is None else plan.games,
        }
    )
    if plan.precision is None:
        return study
    return study.model_copy(update={"games": most_games(study, plan.precision, len(rules.city_ids))})


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


def played(
    plan: Plan,
    folder_of: Callable[[Arm], Path],
    workers: int | None = None,
    progress: Progress | None = None,
) -> CitiesAnswer:
    """Play what is missing, player by player, each into a study of its own, and judge the cities."""
    arms = arms_of(plan)
    for arm in arms.values():
        folder = folder_of(arm)
        sink = FoldersAndSums(Folders([folder], resume=True), InMemory(SUMMING))
        (section,) = arm.sections
        until = None
        if plan.precision is not None:
            until = precise_enough(plan.precision, section.group_size * section.players)
        play(Design((arm,)), sink, crew_for(arm, workers), until, progress=progress)
    found = {place: measured(arm, open_study(folder_of(arm))) for place, arm in arms.items()}
    return judged(plan, found, _better_players(plan, folder_of, workers, progress))


def _better_players(
    plan: Plan, folder_of: Callable[[Arm], Path], workers: int | None, progress: Progress | None
) -> dict[int, BetterPlayer]:
    """How often the strongest player beats a table of the next one, by size of table."""
    names = contest(plan.strategies)
    if names is None:
        return {}
    rules = load_rules(plan.rules)
    games = min(plan.games or CONTEST_GAMES, CONTEST_GAMES)
    arms = [one_against(*names, players, games, plan.seed, rules) for players in plan.players]
    return {arm.sections[0].players: better_player(arm, folder_of(arm), workers, progress) for arm in arms}


def judged(
    plan: Plan, found: dict[tuple[int, str], Measured], better: dict[int, BetterPlayer]
) -> CitiesAnswer:
    """The answer from what was measured."""
    rules = next(iter(found.values())).arm.rules
    return CitiesAnswer(
        khora=__version__,
        rules=RulesPlayed.of(rules),
        seed=plan.seed,
        games=plan.games if plan.precision is None else None,
        precision=plan.precision,
        names=dict(zip(rules.city_ids, rules.city_names, strict=True)),
        tables=tuple(
            table_verdict(
                players,
                [found[players, one] for one in plan.strategies],
                [found[players, one] for one in peers_at(plan, players)],
                better.get(players),
            )
            for players in plan.players
        ),
    )
