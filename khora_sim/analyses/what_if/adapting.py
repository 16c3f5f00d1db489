"""Players that know the rules they play: the given player, tuned or taught under those of each side.

A player made of weights is tuned against a table of itself, as `tune` does: in the cities that the change
touches where it touches cities only, else everywhere. A player with a learned value continues to learn from
its own games, one with a learned policy from the decisions of sage. Both sides are trained within the same
budget: training alone makes a better player, which would look like an effect of the change.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from khora_sim.analyses.exploit import GAMES, POPULATION
from khora_sim.analyses.what_if.measure import Adapted, Trained, Variant
from khora_sim.analyses.what_if.things import Thing
from khora_sim.common.files import explain_write_errors
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.common.wording import counted
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.simulation.backend import Backend
from khora_sim.simulation.run_dir import OTHER_OUT
from khora_sim.strategy import load
from khora_sim.strategy.learned.policy import LearnedPolicy
from khora_sim.strategy.learned.value import LearnedValue
from khora_sim.strategy.loading import LEARNED
from khora_sim.strategy.parameters import split_spec
from khora_sim.training import learn, tune
from khora_sim.training.learn import BUILT_IN, OWN_GAMES, WARM_GAMES, LearnOptions
from khora_sim.training.learn_policy import ADEPT
from khora_sim.training.making import budget_of
from khora_sim.training.trial import Stage, shares_won, table_of
from khora_sim.training.tune import TuneOptions, command_for, resolved

SEED = 0  # of tuning and learning: their seeds are apart from those that judge
# Games that measure the result; those of a searcher are slow.
CONFIRMING = {"tuned": 2000, "learned": 200, "taught": 4000}


class Adapting(NamedTuple):
    """A player to train under the rules of one side, at tables of one size."""

    strategy: str
    rules: Rules
    rules_file: str | None  # that holds them, for the command that does the same again
    cities: tuple[str, ...]  # whose weights are tuned; none: general ones
    players: int
    budget: str
    file: Path  # for the result, without its ending

    @property
    def how(self) -> str:
        """Weights are tuned, a value is learned from own games, a policy is taught."""
        strategy = load(self.strategy)
        if strategy.kind == "weights":
            return "tuned"
        return "taught" if isinstance(strategy.learned, LearnedPolicy) else "learned"


def cities_of(things: Sequence[Thing], strategy: str, rules: Rules) -> tuple[str, ...]:
    """The cities whose weights are tuned; none where one general vector is.

    Weights of a city override general ones: a player that has them is tuned city by city.
    """
    touched = {thing.key.split(".")[1] for thing in things if thing.kind in ("city", "development")}
    if touched and all(thing.kind in ("city", "development") for thing in things):
        return tuple(city for city in rules.city_ids if city in touched)
    return tuple(rules.city_ids) if any(layer.city for layer in load(strategy).layers) else ()


def check_adapting(player: Adapting) -> None:
    """Refuse a player that cannot learn, and a budget that is too small, before anything is played."""
    strategy, games = load(player.strategy), budget_of(player.budget).games
    if player.how == "tuned":
        tuning = resolved(_tuning(player), player.rules)
        if games is not None and games < tuning.games_of_all:
            raise UserError(
                f"--adapt {player.budget}: tuning {counted(len(tuning.stages), 'set')} of weights of "
                f"{player.strategy} takes {tuning.games_of_all:,} games or more for each side"
            )
    elif strategy.learned is None or _parent(player.strategy) is None:
        raise UserError(
            f"--adapt: {player.strategy} can be neither tuned nor taught; name a player made of weights, "
            "such as steward or expert, or adept or sage"
        )
    elif isinstance(strategy.learned, LearnedValue) and games is not None and games <= WARM_GAMES:
        raise UserError(
            f"--adapt {player.budget}: {player.strategy} learns from its own games after {WARM_GAMES:,} of "
            f"other players; allow {WARM_GAMES + OWN_GAMES:,} or more"
        )


def adapted(before: Adapting, after: Adapting, backend: Backend, progress: Progress) -> Adapted:
    """Train the players of both sides; what is trained already, or half trained, is taken up."""
    made = [trained(player, backend, progress) for player in (before, after)]
    return Adapted(after.strategy, after.how, after.budget, *made)


def trained(player: Adapting, backend: Backend, progress: Progress) -> Trained:
    """Train one player, and measure what one of it wins at a table of the player that it starts from."""
    with explain_write_errors(player.file.parent, OTHER_OUT):
        player.file.parent.mkdir(parents=True, exist_ok=True)
    make = _tuned if player.how == "tuned" else _learned
    spec, games, command = make(player, backend, progress)
    table = table_of(Stage(player.players), player.rules, (player.strategy,), backend, progress)
    (won,) = shares_won(table, load(spec), CONFIRMING[player.how], seed_in(JUDGING, SEED))
    cities = player.cities if player.how == "tuned" else ()
    return Trained(spec, cities, games, command, won)


def _tuning(player: Adapting) -> TuneOptions:
    return TuneOptions(
        start=(player.strategy,),
        against=(player.strategy,),
        players=(player.players,),
        cities=player.cities or ("none",),
        budget=player.budget,
        games=GAMES,
        population=POPULATION,
        seed=SEED,
        thirds=any(layer.part for layer in load(player.strategy).layers),
        rules=player.rules_file,
        out=player.file.with_suffix(TuneOptions.ending),
        resume=True,
    )


def _tuned(player: Adapting, backend: Backend, progress: Progress) -> tuple[str, int, str]:
    options = _tuning(player)
    path = options.out
    if not path.exists():
        tune.COMMAND.made(options, player.rules, backend, progress)
    spec = str(path) if len(path.parts) > 1 else f"./{path}"  # never taken for the name of a built-in player
    games = load(spec).made.steps[-1].games
    return spec, games, command_for(options, games)


def _learned(player: Adapting, backend: Backend, progress: Progress) -> tuple[str, int, str]:
    options = LearnOptions(
        players=(player.players,),
        start=_parent(player.strategy),
        policy=isinstance(load(player.strategy).learned, LearnedPolicy),
        budget=player.budget,
        seed=SEED,
        rules=player.rules_file,
        out=player.file.with_suffix(LearnOptions.ending),
        resume=True,
    )
    if not options.out.exists():
        learn.COMMAND.made(options, player.rules, backend, progress)
    name, settings = split_spec(player.strategy)
    kept = {LEARNED: str(options.out)} | {key: one for key, one in settings.items() if key != LEARNED}
    spec = ":".join([name, *(f"{key}={value}" for key, value in kept.items())])
    learned = load(spec).learned
    assert learned is not None
    games = sum(int(lesson["games"]) for lesson in learned.origin["lessons"])
    return spec, games, options.repeated()


def named_by_file(variant: Variant, home: Path) -> Variant:
    """Name players by their files alone, since the folder that holds these does not last.

    The commands that make them again write such files into the folder at hand.
    """

    def files(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(text.replace(f"{home}{os.sep}", "") for text in texts)

    def named(made: Trained) -> Trained:
        strategy, command = files((made.strategy, made.command))
        return replace(made, strategy=strategy, command=command)

    verdicts = []
    for one in variant.verdicts:
        made, games = one.adapted, one.changed_games
        changes = {
            "strategies": files(one.strategies),
            "after": files(one.after),
            "adapted": made and replace(made, before=named(made.before), after=named(made.after)),
            "changed_games": tuple(
                game.model_copy(update={"strategies": tuple(map(files, game.strategies))}) for game in games
            ),
        }
        verdicts.append(one.model_copy(update=changes))
    return variant.model_copy(update={"verdicts": tuple(verdicts)})


def _parent(spec: str) -> str | None:
    """The file of a player's learned value or policy, as learning takes it."""
    name, settings = split_spec(spec)
    return settings.get(LEARNED, name if name in (BUILT_IN, ADEPT) else None)
