"""Players that know the rules they play: the player asked for, tuned or taught under those of each side.

A player made of weights is tuned against a table of itself, as `tune` does: in the cities that the change
touches where it touches cities only, else everywhere. A player with a learned value goes on learning from its
own games. Both are done under the changed rules and under those of the base game, within the same budget:
training alone makes a better player, which would look like an effect of the change.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from khora_sim.analyses.exploit import GAMES, POPULATION
from khora_sim.analyses.what_if.measure import Adapted, Trained
from khora_sim.analyses.what_if.options import WhatIfOptions
from khora_sim.analyses.what_if.things import Thing
from khora_sim.common.files import explain_write_errors
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.common.wording import counted
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.simulation.backend import Backend
from khora_sim.simulation.run_dir import OTHER_OUT
from khora_sim.stats import Estimate
from khora_sim.strategy import load
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.loading import LEARNED
from khora_sim.strategy.parameters import split_spec
from khora_sim.training import learn, tune
from khora_sim.training.learn import BUILT_IN, OWN_GAMES, WARM_GAMES, LearnOptions
from khora_sim.training.making import budget_of
from khora_sim.training.trial import Stage, shares_won, table_of
from khora_sim.training.tune import TuneOptions, command_for, resolved

SEED = 0  # of tuning and learning: their seeds are apart from those that judge
CONFIRMING = {"tuned": 2000, "learned": 200}  # games that measure the result; those of a searcher are slow


class Adapting(NamedTuple):
    """What is to be learned: by whom, under which rules, at tables of which size, within what."""

    strategy: str
    rules: Rules
    rules_file: str | None  # that holds them, for the command that does the same again
    cities: tuple[str, ...]  # whose weights are tuned; none: general ones
    players: int
    budget: str
    file: Path  # for the result, without its ending
    kept: bool  # whether the file lasts

    @property
    def taught(self) -> bool:
        """Whether a learned value goes on learning; else weights are tuned."""
        return load(self.strategy).kind != "weights"


class Sides(NamedTuple):
    """The same training for both sides."""

    before: Adapting
    after: Adapting


def cities_of(things: Sequence[Thing], strategy: Strategy, rules: Rules) -> tuple[str, ...]:
    """The cities whose weights are tuned; none where one general vector is.

    Weights of a city override general ones: a player that has them is tuned city by city.
    """
    touched = {thing.key.split(".")[1] for thing in things if thing.kind in ("city", "development")}
    if touched and all(thing.kind in ("city", "development") for thing in things):
        return tuple(city for city in rules.city_ids if city in touched)
    return tuple(rules.city_ids) if any(layer.city for layer in strategy.layers) else ()


def all_to_adapt(options: WhatIfOptions, home: Path) -> dict[tuple[int, int], Sides]:
    """What is to be learned, by size of table and variant; results are kept in a folder of their own."""
    (strategy,) = options.strategies
    kept, budget = options.out is not None, str(options.adapt)
    found = {}
    for players in options.players:
        for place, variant in enumerate(options.changed):
            cities = cities_of(variant.things, load(strategy), variant.rules)
            number = place + 1 if len(options.changed) > 1 else None
            sides = []
            for side, rules, file in (
                ("base", options.base, options.rules),
                ("changed", variant.rules, options.file_of(variant)),
            ):
                known = tuple(city for city in cities if city in rules.city_ids)
                path = home / file_name(strategy, side, players, number)
                sides.append(Adapting(strategy, rules, file, known, players, budget, path, kept))
            found[players, place] = Sides(*sides)
    return found


def check_adapting(options: WhatIfOptions) -> None:
    """Refuse a player that cannot learn, and a budget that is too small, before anything is played."""
    for sides in all_to_adapt(options, Path()).values():
        _check(sides.after)


def _check(asked: Adapting) -> None:
    strategy, budget = load(asked.strategy), budget_of(asked.budget)
    if strategy.kind == "weights":
        tuning = resolved(_tuning(asked), asked.rules)
        if budget.games is not None and budget.games < tuning.games_of_all:
            raise UserError(
                f"--adapt {asked.budget}: tuning {counted(len(tuning.stages), 'set')} of weights of "
                f"{asked.strategy} takes {tuning.games_of_all:,} games or more for each side"
            )
    elif strategy.learned is None or _parent(asked.strategy) is None:
        raise UserError(
            f"--adapt: {asked.strategy} can be neither tuned nor taught; name a player made of weights, such "
            "as steward or expert, or sage"
        )
    elif budget.games is not None and budget.games <= WARM_GAMES:
        raise UserError(
            f"--adapt {asked.budget}: {asked.strategy} learns from its own games after {WARM_GAMES:,} of "
            f"other players; allow {WARM_GAMES + OWN_GAMES:,} or more"
        )


def trained(asked: Adapting, workers: int, progress: Progress | None = None) -> Trained:
    """Make the player; what is done already, or half done, is taken up."""
    with explain_write_errors(asked.file.parent, OTHER_OUT):
        asked.file.parent.mkdir(parents=True, exist_ok=True)
    make = _taught if asked.taught else _tuned
    return make(asked, workers, progress or Progress())


def adapted(asked: Sides, before: Trained, after: Trained) -> Adapted:
    """How both sides came to know their rules."""
    how = "learned" if asked.after.taught else "tuned"
    return Adapted(asked.after.strategy, how, asked.after.budget, before, after)


def _tuning(asked: Adapting) -> TuneOptions:
    return TuneOptions(
        start=(asked.strategy,),
        against=(asked.strategy,),
        players=(asked.players,),
        cities=asked.cities or ("none",),
        budget=asked.budget,
        games=GAMES,
        population=POPULATION,
        seed=SEED,
        thirds=any(layer.part for layer in load(asked.strategy).layers),
        rules=asked.rules_file,
        out=asked.file.with_suffix(TuneOptions.ending),
        resume=True,
    )


def _tuned(asked: Adapting, workers: int, progress: Progress) -> Trained:
    options = _tuning(asked)
    if not options.out.exists():
        tune.COMMAND.made(options, asked.rules, Backend("threads", workers), progress)
    spec = _as_typed(options.out)
    games = load(spec).made.steps[-1].games
    command = command_for(options, games, _shown(asked, options.out))
    return Trained(spec, asked.cities, games, command, _won(asked, spec, workers, progress))


def _taught(asked: Adapting, workers: int, progress: Progress) -> Trained:
    path = asked.file.with_suffix(LearnOptions.ending)
    options = LearnOptions(
        players=(asked.players,),
        start=_parent(asked.strategy),
        budget=asked.budget,
        seed=SEED,
        rules=asked.rules_file,
        out=path,
        resume=True,
    )
    if not path.exists():
        learn.COMMAND.made(options, asked.rules, Backend("threads", workers), progress)
    name, settings = split_spec(asked.strategy)
    kept = {LEARNED: str(path)} | {key: value for key, value in settings.items() if key != LEARNED}
    spec = ":".join([name, *(f"{key}={value}" for key, value in kept.items())])
    learned = load(spec).learned
    assert learned is not None
    games = sum(int(lesson["games"]) for lesson in learned.origin["lessons"])
    command = options.repeated(out=_shown(asked, path))
    return Trained(spec, (), games, command, _won(asked, spec, workers, None))


def _parent(spec: str) -> str | None:
    """The file of a player's learned value, as learning takes it."""
    name, settings = split_spec(spec)
    return settings.get(LEARNED, BUILT_IN if name == BUILT_IN else None)


def _won(asked: Adapting, spec: str, workers: int, progress: Progress | None) -> Estimate:
    """What one of them wins at a table of the player they start from, under the same rules."""
    backend, games = Backend("threads", workers), CONFIRMING["learned" if asked.taught else "tuned"]
    table = table_of(Stage(asked.players), asked.rules, (asked.strategy,), backend, progress)
    (won,) = shares_won(table, load(spec), games, seed_in(JUDGING, SEED))
    return won


def _shown(asked: Adapting, path: Path) -> Path:
    """The file as a command names it: where it is kept, else in the folder at hand."""
    return path if asked.kept else Path(path.name)


def _as_typed(path: Path) -> str:
    """A file in a way that is never taken for the name of a built-in player."""
    return str(path) if len(path.parts) > 1 else f"./{path}"


def file_name(strategy: str, side: str, players: int, variant: int | None) -> str:
    """`expert_changed_4_players`, with the number of the variant where there are several."""
    kind = re.sub(r"[^a-z0-9]+", "_", Path(strategy).name.lower()).strip("_")
    return f"{kind}_{side}_{players}_players" + ("" if variant is None else f"_{variant}")
