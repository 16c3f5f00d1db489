"""Players that know a changed rule: the player asked for, tuned or taught under the rules of the variant.

A player made of weights is tuned against a table of itself, as `tune` does: in the cities that the change
touches where it touches cities only, else everywhere. A player with a learned value goes on learning, from
its own games under the changed rules.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.common.writing import told_if_not_written
from khora_sim.errors import UserError
from khora_sim.lab.crew import Crew
from khora_sim.questions.answer_folder import OTHER_OUT
from khora_sim.questions.best_response import GAMES, POPULATION
from khora_sim.questions.what_if_answer import Adapted, Variant
from khora_sim.questions.what_if_folder import TYPED
from khora_sim.questions.what_if_plan import Plan, variants_of
from khora_sim.questions.what_if_things import Thing
from khora_sim.rules import Rules, load_rules
from khora_sim.stats import Estimate
from khora_sim.strategy import load
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.loading import LEARNED
from khora_sim.strategy.parameters import split_spec
from khora_sim.training.ask import Asked, command_for, settled, tune
from khora_sim.training.ask_learn import BUILT_IN, AskedOfLearning, command_of_learning, learn
from khora_sim.training.budget import budget_of
from khora_sim.training.display import TuningWatch
from khora_sim.training.learn import LearnWatch
from khora_sim.training.stages import Stage
from khora_sim.training.trial import shares_won, table_of

SEED = 0  # of tuning and learning: their seeds are apart from those that judge
CONFIRMING = {"tuned": 2000, "learned": 200}  # games that measure the result; those of a searcher are slow


class Adapting(NamedTuple):
    """What is to be learned: by whom, for which variant, at tables of which size, within what."""

    strategy: str
    variant: Variant
    rules_file: str | None  # that holds the change, for the command that does the same again
    players: int
    budget: str
    file: Path  # for the result, without its ending
    kept: bool  # whether the file lasts

    @property
    def taught(self) -> bool:
        """Whether a learned value goes on learning; else weights are tuned."""
        return load(self.strategy).kind != "weights"


def cities_of(things: Sequence[Thing], strategy: Strategy, rules: Rules) -> tuple[str, ...]:
    """The cities whose weights are tuned; none where one general vector is.

    Weights of a city override general ones: a player that has them is tuned city by city.
    """
    touched = {thing.key.split(".")[1] for thing in things if thing.kind in ("city", "development")}
    if touched and all(thing.kind in ("city", "development") for thing in things):
        return tuple(city for city in rules.city_ids if city in touched)
    return tuple(rules.city_ids) if any(layer.city for layer in strategy.layers) else ()


def check_adapting(asked: Adapting) -> None:
    """Refuse a player that cannot learn, and a budget that is too small, before anything is played."""
    strategy = load(asked.strategy)
    if strategy.kind == "weights":
        tuning, budget = settled(_tuning(asked, strategy), asked.variant.rules), budget_of(asked.budget)
        if budget.games is not None and budget.games < tuning.games_of_all:
            raise UserError(
                f"--adapt {asked.budget}: {len(tuning.stages)} sets of weights of {asked.strategy} are tuned "
                f"for {asked.variant.label}, which takes {tuning.games_of_all:,} games or more"
            )
    elif strategy.learned is None or _parent(asked.strategy) is None:
        raise UserError(
            f"--adapt: {asked.strategy} can be neither tuned nor taught; name a player made of weights, such "
            "as steward or expert, or sage"
        )


def all_to_adapt(plan: Plan, home: Path, out: Path | None) -> dict[tuple[int, int], Adapting]:
    """What is to be learned, by size of table and variant, checked; results lie in a folder of their own.

    `out` is the folder of the answer, if it is kept.
    """
    assert plan.adapt is not None
    variants = variants_of(plan, load_rules())
    (strategy,) = plan.strategies
    found = {}
    for players in plan.players:
        for place, variant in enumerate(variants):
            name = file_name(strategy, players, place + 1 if len(variants) > 1 else None)
            typed = TYPED if out is None else str(out / TYPED)
            file = variant.file or (typed if variant.assignments else None)
            asked = Adapting(strategy, variant, file, players, plan.adapt, home / name, out is not None)
            check_adapting(asked)
            found[players, place] = asked
    return found


def adapted(
    asked: Adapting, workers: int, tuning: TuningWatch | None = None, learning: LearnWatch | None = None
) -> Adapted:
    """Make the player; what is done already, or half done, is taken up."""
    with told_if_not_written(asked.file.parent, OTHER_OUT):
        asked.file.parent.mkdir(parents=True, exist_ok=True)
    if asked.taught:
        return _taught(asked, workers, learning or LearnWatch())
    return _tuned(asked, workers, tuning or TuningWatch())


def _tuning(asked: Adapting, strategy: Strategy) -> Asked:
    cities = cities_of(asked.variant.things, strategy, asked.variant.rules)
    thirds = any(layer.part for layer in strategy.layers)
    numbers = (asked.budget, GAMES, POPULATION, SEED)
    name = asked.strategy
    return Asked(name, name, asked.players, cities or "none", *numbers, thirds=thirds)


def _tuned(asked: Adapting, workers: int, watch: TuningWatch) -> Adapted:
    start, path = load(asked.strategy), asked.file.with_suffix(".toml")
    options = _tuning(asked, start)
    if not path.exists():
        tune(options, asked.variant.rules, asked.rules_file, path, workers, resume=True, watch=watch)
    spec = _as_typed(path)
    step = load(spec).made.steps[-1]
    won = _won(asked, spec, CONFIRMING["tuned"], workers, watch)
    cities = () if isinstance(options.cities, str) else tuple(options.cities)
    command = command_for(options, step.games, asked.rules_file, _shown(asked, path))
    return Adapted(spec, asked.strategy, "tuned", cities, asked.budget, step.games, command, won)


def _taught(asked: Adapting, workers: int, watch: LearnWatch) -> Adapted:
    path = asked.file.with_suffix(".npz")
    options = AskedOfLearning(asked.players, _parent(asked.strategy), asked.budget, SEED)
    if not path.exists():
        learn(options, asked.variant.rules, path, workers, resume=True, watch=watch)
    name, settings = split_spec(asked.strategy)
    kept = {LEARNED: str(path)} | {key: value for key, value in settings.items() if key != LEARNED}
    spec = ":".join([name, *(f"{key}={value}" for key, value in kept.items())])
    learned = load(spec).learned
    assert learned is not None
    games = sum(int(lesson["games"]) for lesson in learned.origin["lessons"])
    command = command_of_learning(options, asked.rules_file, _shown(asked, path))
    won = _won(asked, spec, CONFIRMING["learned"], workers, None)
    return Adapted(spec, asked.strategy, "learned", (), asked.budget, games, command, won)


def _parent(spec: str) -> str | None:
    """The file of a player's learned value, as learning takes it."""
    name, settings = split_spec(spec)
    return settings.get(LEARNED, BUILT_IN if name == BUILT_IN else None)


def _won(asked: Adapting, spec: str, games: int, workers: int, watch: TuningWatch | None) -> Estimate:
    """What one of them wins at a table of the player they start from, under the changed rules."""
    crew = Crew("threads", workers)
    table = table_of(Stage(asked.players), asked.variant.rules, (asked.strategy,), crew, watch)
    (won,) = shares_won(table, load(spec), games, seed_in(JUDGING, SEED))
    return won


def _shown(asked: Adapting, path: Path) -> Path:
    """The file as a command names it: where it is kept, else in the folder at hand."""
    return path if asked.kept else Path(path.name)


def _as_typed(path: Path) -> str:
    """A file in a way that is never taken for the name of a built-in player."""
    return str(path) if len(path.parts) > 1 else f"./{path}"


def file_name(strategy: str, players: int, variant: int | None) -> str:
    """`expert_adapted_4_players`, with the number of the variant where there are several."""
    kind = re.sub(r"[^a-z0-9]+", "_", Path(strategy).name.lower()).strip("_")
    return f"{kind}_adapted_{players}_players" + ("" if variant is None else f"_{variant}")
