"""A loaded strategy, however it was written: its traits, how it was made, and how it fails."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from khora_sim.common.checking import checked
from khora_sim.engine.seat import Player
from khora_sim.errors import UserError, nearest
from khora_sim.rules import Rules
from khora_sim.rules.terms import MAX_PLAYERS
from khora_sim.strategy.learned.policy import LearnedPolicy
from khora_sim.strategy.learned.value import LearnedValue
from khora_sim.strategy.parameters import NOWHERE, Parameter
from khora_sim.strategy.weight_layers import Layer, rows

#: The families a strategy may declare.
FAMILIES = ("control", "archetype", "balanced", "specialist", "example", "wrapper", "own")
SUMMARY_LENGTH = 100
MAX_MEMORY = 1_000_000
MAX_SPARES = 10_000
NOTHING = np.zeros(0)  # in place of nets that a strategy does not have


@dataclass(frozen=True)
class Traits:
    """Declaration of a plug-in."""

    name: str  # the file's name, with - for _
    family: str  # one of FAMILIES
    summary: str  # one line
    deterministic: bool  # equal ratings: True takes the first of them, False lets chance decide
    source: str  # where the idea comes from
    memory: int = 0  # numbers that it keeps from one decision to the next of a game
    spares: int = 9  # games beside the one at hand, for looking ahead
    policies: tuple[str, ...] = ()  # other strategies that it asks, by name or path
    learned: str = ""  # the file of its learned value, beside its own
    learned_policy: str = ""  # the file of its learned policy, beside its own
    indifferent: bool = False  # all options are alike to it: it has no function, and is never asked


def strategy_name(path: Path) -> str:
    """The name of the strategy in a file: `first_legal.py` holds `first-legal`."""
    return path.stem.replace("_", "-")


def check_traits(traits: Traits, path: Path) -> None:
    """Refuse traits that say nothing or the wrong thing."""
    for one in ("name", "family", "summary", "source"):
        value = getattr(traits, one)
        if not isinstance(value, str) or not value.strip():
            raise UserError(f"{path.name}: trait {one} should be a text that is not empty")
    if traits.name != strategy_name(path):
        raise UserError(
            f"{path.name}: trait name is {traits.name!r}; by its file it is {strategy_name(path)!r}"
        )
    if traits.family not in FAMILIES:
        raise UserError(
            f"{path.name}: there is no family {traits.family!r}; {nearest(traits.family, FAMILIES)}"
        )
    if "\n" in traits.summary or len(traits.summary) > SUMMARY_LENGTH:
        raise UserError(
            f"{path.name}: trait summary should be one line of at most {SUMMARY_LENGTH} characters"
        )
    for one in ("deterministic", "indifferent"):
        if not isinstance(getattr(traits, one), bool):
            raise UserError(f"{path.name}: trait {one} should be True or False")
    for one, most in (("memory", MAX_MEMORY), ("spares", MAX_SPARES)):
        value = getattr(traits, one)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise UserError(
                f"{path.name}: trait {one} is {value!r}; it should be a whole number, 0 to {most:,}"
            )
    for one in ("learned", "learned_policy"):
        if not isinstance(getattr(traits, one), str):
            raise UserError(f'{path.name}: trait {one} should be the name of a file: {one}="sage.npz"')
    if traits.learned and traits.learned_policy:
        raise UserError(f"{path.name}: has two learned files; a strategy has a learned value or policy")
    policies = traits.policies
    if not isinstance(policies, (tuple, list)) or not all(isinstance(one, str) and one for one in policies):
        raise UserError(f'{path.name}: trait policies should be names of strategies: policies=("steward",)')


Share = Annotated[float, Field(ge=0, le=1)]
Whole = Annotated[int, Field(ge=0)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Step(_Table):
    """One command that had a part in it."""

    command: str
    khora: str  # version
    rules: str  # hash
    parents: tuple[str, ...]  # what it started from, then whom it played against; each with its digest
    first_seed: Whole  # of training; every generation took the next one
    last_seed: Whole
    games: Whole  # of training
    generations: Whole  # of each stage
    chosen: Annotated[
        dict[str, Whole], Field(description="a table of whole numbers, the generation taken from each stage")
    ] = {}


class Strength(_Table):
    """Share that it won, one against all others of a kind, on seeds that had no part in making it."""

    players: Annotated[int, Field(ge=2, le=MAX_PLAYERS)]
    against: str
    won: Share
    low: Share  # of the 95 % interval
    high: Share
    games: Whole
    seed: Whole


class Made(_Table):
    """The table `[made]` of a weights file."""

    steps: tuple[Step, ...] = ()
    strength: tuple[Strength, ...] = ()

    def lines(self) -> list[str]:
        """For people."""
        made = [f"Made with: {step.command} ({step.games:,} games)" for step in self.steps]
        return made + [
            f"Measured: {one.won:.1%} ({one.low:.1%} to {one.high:.1%}) of {one.games:,} games won, "
            f"{one.players} players, all others {one.against}, seed {one.seed}"
            for one in self.strength
        ]


UNSAID = Made()  # of a file that says nothing of it


class _File(BaseModel):
    """A weights file as far as this module reads it, so that an error names the full key."""

    made: Made = UNSAID


def made_of(data: dict[str, Any], where: str) -> Made:
    """The table of a weights file that records how it was made: read, checked, shown, otherwise ignored."""
    return checked(_File, {"made": data.get("made", {})}, where).made


@dataclass(frozen=True)
class Strategy:
    """A player, ready to sit down: what it is called, what it declares, and how it decides."""

    name: str  # as asked for: `merchant` or `merchant:patience=3`
    kind: str  # compiled, weights or python
    family: str
    summary: str
    deterministic: bool
    source: str
    digest: str  # hash of its source and parameters
    text: str = ""  # how it plays and why
    path: Path | None = None
    declared: tuple[Parameter, ...] = ()
    values: dict[str, float | str] = field(default_factory=dict)  # of its parameters
    rate: Any = None  # compiled: the address of the function that rates all options of a decision
    chooser: Callable[[], Any] | None = None  # plain Python: makes a player with `choose(view, options)`
    memory: int = 0
    spares: int = Traits.spares
    policies: tuple["Strategy", ...] = ()
    base: str = ""  # the first of its policies as the file declares it; `base=NAME` names another
    learned: LearnedValue | LearnedPolicy | None = None
    indifferent: bool = False
    built_in: bool = False  # its code came with the project
    layers: tuple[Layer, ...] = ()  # weights: those that hold everywhere, in cities, at tables of so many
    made: Made = UNSAID  # weights: how they were found, as the file says

    def parameters(self, rules: Rules) -> np.ndarray:
        """The numbers compiled code reads; a city or space becomes its place among those of the rules."""
        if self.kind == "weights":
            return rows(self.layers, rules.city_ids)
        numbers = np.zeros(len(self.values))
        ids = {"city": rules.city_ids, "space": rules.space_ids}
        for index, (declared, value) in enumerate(zip(self.declared, self.values.values(), strict=True)):
            if isinstance(value, str):
                known = ids[declared.type]
                value = float(known.index(value)) if value in known else NOWHERE
            numbers[index] = value
        return numbers

    def player(self, rules: Rules) -> Player:
        """The player that takes a seat for this strategy."""
        nets = self.learned.nets(rules) if self.learned is not None else NOTHING
        is_policy = isinstance(self.learned, LearnedPolicy)
        return Player(
            self.rate,
            self.deterministic,
            self.parameters(rules),
            self.memory,
            self.spares,
            tuple(one.player(rules) for one in self.policies),
            NOTHING if is_policy else nets,
            nets if is_policy else NOTHING,
            built_in=self.built_in,
            indifferent=self.indifferent,
        )


class StrategyError(UserError):
    """A game could not be played on, because of a strategy or the rules; those before `place` ended well."""

    def __init__(self, message: str, index: int = -1):
        super().__init__(message)
        self.index = index
