"""Small sets of changes that bring the win shares of the cities to a target.

Sets are searched on choosing seeds (see `balance_search`). The best of each size is confirmed on judging
seeds, with the players that searched and with players of another skill.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from khora_sim import __version__
from khora_sim.analyses.balance_answer import LIKELY, NOT, SURE, Balance, Confirmed, Proposal
from khora_sim.analyses.balance_numbers import numbers_in, usual_numbers
from khora_sim.analyses.balance_search import Search, Searching
from khora_sim.analyses.sweep import check_options, judged_sums
from khora_sim.analyses.sweep_tables import city_table
from khora_sim.analyses.targets import Target, target_of
from khora_sim.analyses.variant_games import VariantGames, cache_in
from khora_sim.common.command_options import NOBODY
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.errors import UserError
from khora_sim.rules import Rules, load_rules, variant_data
from khora_sim.rules.ranges import Number, numbers_of
from khora_sim.stats import Sums, measured
from khora_sim.stats.dispersion import spreads

STRATEGIES, BESIDE, PLAYERS, GAMES = ("expert",), "steward", 4, 14_000
WITHIN = 0.02  # of the fair share, where no target is given
MOST_CHANGES, LIMIT = 4, 8


class Plan(NamedTuple):
    """What is asked."""

    vary: tuple[str, ...] = ()  # numbers that may change, with their values, as typed
    numbers: str | None = None  # a file that lists them; neither: costs and amounts of all developments
    target: tuple[str, ...] = ()  # win shares in per cent, as typed; none: the fair share ± 2 for every city
    changes: int = MOST_CHANGES  # numbers that a proposal changes at most
    strategies: tuple[str, ...] = STRATEGIES
    beside: str = BESIDE  # players of another skill, with whom proposals are confirmed too
    players: int = PLAYERS
    games: int | None = GAMES  # that a proposal is confirmed with
    precision: float | None = None  # percentage points, in place of a number of games
    rules: str | None = None  # the file of the variant that is changed; None: the base game
    seed: int = 0  # a number, of which all seeds follow


class Asked(NamedTuple):
    """All that a search is about, checked."""

    base: Rules
    numbers: tuple[Number, ...]
    target: Target


def asked_of(plan: Plan) -> Asked:
    """The numbers and the target, or one error."""
    check_options(plan, () if plan.beside == NOBODY else (plan.beside,))
    if not 1 <= plan.changes <= LIMIT:
        raise UserError(f"--changes {plan.changes}: should be 1 to {LIMIT}")
    if plan.vary and plan.numbers:
        raise UserError("--vary and --numbers: give one of them")
    base = load_rules(plan.rules)
    numbers = numbers_in(plan.numbers, base) if plan.numbers else numbers_of(plan.vary, base)
    numbers = numbers or usual_numbers(base)
    if not any(value != number.base for number in numbers for value in number.values):
        raise UserError("--vary: every number keeps its value; give values that differ from the base game")
    return Asked(base, numbers, target_of(plan.target, base, plan.players, WITHIN))


def balance(
    plan: Plan,
    asked: Asked | None = None,
    *,
    workers: int | None = None,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> Balance:
    """Search small sets of changes and confirm them; `folder` keeps sums of games."""
    base, numbers, target = asked or asked_of(plan)
    progress = progress or Progress()
    line_ups = [plan.strategies]
    if plan.beside != NOBODY and (plan.beside,) != plan.strategies:
        line_ups.append((plan.beside,))
    by_line_up = [
        VariantGames(who, plan.players, base, workers, cache_in(folder), progress) for who in line_ups
    ]
    work = Searching(by_line_up[0], variant_data(plan.rules), target, plan.games or GAMES, plan.seed)
    search = work.search(numbers, plan.changes)
    seed = seed_in(JUDGING, plan.seed)
    confirmed = [confirmations(games, search, target, plan, seed) for games in by_line_up]
    sets = [((), base), *((one.changes, one.rules) for one in search.found)]
    return Balance(
        khora=__version__,
        rules=base,
        rules_file=plan.rules,
        strategies=plan.strategies,
        lineup=by_line_up[0].lineup,
        players=plan.players,
        seed=plan.seed,
        judging_seed=seed,
        games=plan.games,
        precision=plan.precision,
        target=target,
        numbers=numbers,
        typed=plan.vary,
        numbers_file=plan.numbers,
        most=plan.changes,
        screened=search.screened,
        effects=effects_table(search, target),
        stages=search.stages,
        proposals=tuple(
            Proposal(changes, rules, tuple(found[place] for found in confirmed))
            for place, (changes, rules) in enumerate(sets)
        ),
    )


def effects_table(search: Search, target: Target) -> pl.DataFrame:
    """What every single change does by the games that chose, the nearest to the target first."""
    rows = [
        {
            **single.change._asdict(),
            "distance": float(np.sqrt(((search.base + single.moved - target.shares) ** 2).mean())),
            **{city: float(moved) for city, moved in zip(target.cities, single.moved, strict=True)},
        }
        for single in search.singles
    ]
    return pl.DataFrame(rows).sort("distance", maintain_order=True)


def confirmations(
    games: VariantGames, search: Search, target: Target, plan: Plan, seed: int
) -> list[Confirmed]:
    """What the base game and every proposal do on judging seeds, with one line-up."""
    rules = [one.rules for one in search.found]
    games.progress.step(f"confirming with {', '.join(games.strategies)}")
    sums, played = judged_sums(games, rules, plan.games, plan.precision, seed)
    found = games.compared(sums, target)
    spread = spreads([measured(one, "city", "win_share") for one in sums])
    return [
        Confirmed(
            games.strategies,
            games.lineup,
            played,
            found.distance(place),
            found.change(0, place),
            *spread[place],
            _cities(games, sums[0], own, target),
        )
        for place, own in enumerate(sums)
    ]


def _cities(games: VariantGames, base: Sums, own: Sums, target: Target) -> pl.DataFrame:
    """Shares of the cities that something is wanted of, and whether they are near enough."""
    table = city_table(games, base, own).filter(pl.col("city").is_in(list(target.cities)))
    wanted = {city: one.share for city, one in target.cities.items()}
    met = []
    for row in table.to_dicts():
        one = target.cities[row["city"]]
        sure = one.holds(row["low"]) and one.holds(row["high"])
        met.append(SURE if sure else LIKELY if one.holds(row["value"]) else NOT)
    return table.with_columns(
        pl.col("city").replace_strict(wanted, return_dtype=pl.Float64).alias("wanted"), pl.Series("met", met)
    )
