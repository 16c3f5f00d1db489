"""One number of the rules or several over ranges: every combination is a variant on the same luck.

Few variants are all judged with as many games. Many are ranked by stages on choosing seeds first (see
`racing`), and the leaders are judged on luck that had no part in choosing them.
"""

import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from khora_sim import __version__
from khora_sim.analyses.cities import most_games
from khora_sim.analyses.games_asked import check_games
from khora_sim.analyses.racing import Race, race
from khora_sim.analyses.sweep_answer import Sweep
from khora_sim.analyses.sweep_tables import (
    Combination,
    Grid,
    dropped_variants,
    judged_variants,
    ordered,
    tables,
)
from khora_sim.analyses.targets import target_of
from khora_sim.analyses.variant_games import VariantGames, cache_in
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.errors import UserError
from khora_sim.rules import Rules, load_rules, set_rules, variant_data
from khora_sim.rules.ranges import SHAPE, Number, numbers_of
from khora_sim.rules.terms import MAX_PLAYERS
from khora_sim.simulation.run import Until
from khora_sim.simulation.sinks import ArmSums, Sink
from khora_sim.stats import Sums
from khora_sim.stats.paired import share_changes
from khora_sim.strategy import load

STRATEGIES, PLAYERS, GAMES = ("expert",), 4, 14_000
ALL_JUDGED = 30  # variants; more than that are ranked by stages first
LEADERS = 12  # variants that the stages leave to be judged
STAGE = 15  # times the games of a judged variant has a stage for all of its variants
MOST_VARIANTS = 1000


class Plan(NamedTuple):
    """What is asked."""

    vary: tuple[str, ...] = ()  # numbers of the rules with their values, as typed
    target: tuple[str, ...] = ()  # win shares in per cent, as typed; none: the fair share for every city
    strategies: tuple[str, ...] = STRATEGIES
    players: int = PLAYERS
    games: int | None = GAMES  # of each variant that is judged
    precision: float | None = None  # percentage points, in place of a number of games
    rules: str | None = None  # the file of the variant that is changed; None: the base game
    seed: int = 0  # a number, of which all seeds follow


def check_options(plan: Any, more: Sequence[str] = ()) -> None:
    """Refuse what cannot be played, before a folder is made for it."""
    if not plan.strategies:
        raise UserError("--strategies: nobody is named; say who plays, such as expert")
    for strategy in (*plan.strategies, *more):
        load(strategy)
    if not 2 <= plan.players <= MAX_PLAYERS:
        raise UserError(f"--players {plan.players}: should be 2 to {MAX_PLAYERS}")
    check_games(plan.games, plan.precision)
    if plan.seed < 0:
        raise UserError(f"--seed {plan.seed}: should be 0 or more")


def grid_of(plan: Plan) -> Grid:
    """The numbers, the target and the rules of every combination, or one error."""
    check_options(plan)
    if not plan.vary:
        raise UserError(f"no number is named; give --vary, such as {SHAPE}")
    base, start = load_rules(plan.rules), variant_data(plan.rules)
    numbers = numbers_of(plan.vary, base)
    many = math.prod(len(number.values) for number in numbers)
    if many > MOST_VARIANTS:
        raise UserError(
            f"--vary: {many:,} variants; at most {MOST_VARIANTS:,} are played, so take fewer values"
        )
    target = target_of(plan.target, base, plan.players)
    unchanged = tuple(number.base for number in numbers)
    found = [
        Combination(values, changed(numbers, values, start))
        for values in product(*(number.values for number in numbers))
        if values != unchanged
    ]
    return Grid(base, numbers, target, tuple(found))


def changed(numbers: Sequence[Number], values: Sequence[int], start: dict[str, Any] | None) -> Rules:
    """The rules with a value for each number."""
    typed = [
        number.typed(value) for number, value in zip(numbers, values, strict=True) if value != number.base
    ]
    return set_rules(typed, start, f"--vary {' '.join(typed)}")


def sweep(
    plan: Plan,
    grid: Grid | None = None,
    *,
    workers: int | None = None,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Play every combination, and tell which come nearest to the target; `folder` keeps sums of games."""
    grid = grid or grid_of(plan)
    games = VariantGames(
        plan.strategies, plan.players, grid.base, workers, cache_in(folder), progress or Progress()
    )
    every = [one.rules for one in grid.combinations]
    run = Race((), ())
    judged = list(range(len(every)))
    if len(every) > ALL_JUDGED:
        run = race(games, every, grid.target, STAGE * (plan.games or GAMES), LEADERS, plan.seed)
        judged = run.leaders
    games.progress.step(f"judging {len(judged)} variants")
    seed = seed_in(JUDGING, plan.seed)
    sums, played = judged_sums(games, [every[place] for place in judged], plan.games, plan.precision, seed)
    found = ordered([*judged_variants(games, grid, judged, sums), *dropped_variants(games, grid, run)])
    variants, cities = tables(games, grid, found)
    return Sweep(
        khora=__version__,
        rules=grid.base,
        rules_file=plan.rules,
        strategies=plan.strategies,
        lineup=games.lineup,
        players=plan.players,
        seed=plan.seed,
        judging_seed=seed,
        games=played,
        precision=plan.precision,
        target=grid.target,
        numbers=grid.numbers,
        stages=run.stages,
        variants=variants,
        cities=cities,
    )


def judged_sums(
    games: VariantGames, variants: Sequence[Rules], count: int | None, precision: float | None, seed: int
) -> tuple[list[Sums], int]:
    """Play the base game and some variants with so many games, or until changes are known so precisely."""
    study, until = games.study(max(count or 1, games.least_games()), seed), None
    if precision is not None:
        most = most_games(study, precision / math.sqrt(2), len(games.rules.city_ids))
        study = study.model_copy(update={"games": most})
        until = precise_enough(precision, games.rows_per_group)
    return games.played(variants, study, until)


def precise_enough(precision: float, rows_per_group: int) -> Until:
    """A stopping rule: the change of every city's win share is known to so many percentage points."""

    def reached(sink: Sink) -> bool:
        assert isinstance(sink, ArmSums)
        if not sink.sums:
            return False  # it goes on within the first row
        base, *others = (sink.sums[place] for place in sorted(sink.sums))
        tables = [share_changes(base, one, "win_share", rows_per_group, ["city"]) for one in others]
        return all(((table["high"] - table["low"]) / 2 <= precision / 100).all() for table in tables)

    return reached
