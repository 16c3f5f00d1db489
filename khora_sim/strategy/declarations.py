"""What a strategy's file declares of itself, and what is refused."""

import ast
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from khora_sim.common.commands import showing_strategy
from khora_sim.errors import UserError, nearest
from khora_sim.strategy.finding import text_of
from khora_sim.strategy.weights import read_data, traits_of

#: The families a strategy may declare.
FAMILIES = ("control", "archetype", "balanced", "specialist", "example", "wrapper", "own")
SUMMARY_LENGTH = 100
MAX_MEMORY = 1_000_000
MAX_SPARES = 10_000


@dataclass(frozen=True)
class Traits:
    """What a plug-in declares of itself."""

    name: str  # the file's name, with - for _
    family: str  # one of FAMILIES
    summary: str  # one line
    deterministic: bool  # equal ratings: True takes the first of them, False lets the player's luck decide
    source: str  # where the idea comes from
    memory: int = 0  # numbers that it keeps from one decision to the next of a game
    spares: int = 9  # games beside the one at hand, for looking ahead
    policies: tuple[str, ...] = ()  # other strategies that it asks, by name or path
    learned: str = ""  # the file of its learned value, beside its own


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
    if not isinstance(traits.deterministic, bool):
        raise UserError(f"{path.name}: trait deterministic should be True or False")
    for one, most in (("memory", MAX_MEMORY), ("spares", MAX_SPARES)):
        value = getattr(traits, one)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise UserError(
                f"{path.name}: trait {one} is {value!r}; it should be a whole number, 0 to {most:,}"
            )
    if not isinstance(traits.learned, str):
        raise UserError(f'{path.name}: trait learned should be the name of a file: learned="sage.npz"')
    policies = traits.policies
    if not isinstance(policies, (tuple, list)) or not all(isinstance(one, str) and one for one in policies):
        raise UserError(f'{path.name}: trait policies should be names of strategies: policies=("steward",)')


# What a strategy's file declares, read as text: nothing of it is run, so that any file can be listed.


#: What Python's own parser raises for text that it cannot take.
NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)


class Declaration(NamedTuple):
    """A strategy as its file declares it; `problem` says why that cannot be read without running it."""

    name: str  # as it is asked for
    kind: str  # compiled, weights or python
    family: str = ""
    deterministic: bool | None = None
    summary: str = ""
    source: str = ""
    problem: str = ""


def declaration(name: str, path: Path) -> Declaration:
    """What a file declares, or in `problem` what is wrong with it."""
    kind = "weights" if path.suffix == ".toml" else "compiled"
    try:
        if kind == "weights":
            traits = traits_of(read_data(path), path)
        else:
            tree = _parsed(path)
            kind = "python" if _has_player(tree) else "compiled"
            traits = _traits_in(tree, path)
    except UserError as problem:
        return Declaration(name, kind, problem=str(problem))
    return Declaration(name, kind, traits.family, traits.deterministic, traits.summary, traits.source)


def _parsed(path: Path) -> ast.Module:
    """The file as a tree; parsing runs nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of how the file is written, which is not asked here
        try:
            return ast.parse(text_of(path))
        except NOT_PYTHON as problem:
            reason = problem.msg if isinstance(problem, SyntaxError) else str(problem)
            raise UserError(f"{path.name}: is not valid Python: {reason or type(problem).__name__}") from None


def _has_player(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.ClassDef) and node.name == "Player" for node in tree.body)


def _traits_in(tree: ast.Module, path: Path) -> Traits:
    """`TRAITS = Traits(name="…", …)`, where all that is given is written out."""
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if any(isinstance(target, ast.Name) and target.id == "TRAITS" for target in node.targets):
            traits = _called_with(node.value, path)
            check_traits(traits, path)
            return traits
    raise UserError(f"{path.name}: declares no traits; add TRAITS = Traits(name=…, family=…, summary=…, …)")


def _called_with(call: ast.Call, path: Path) -> Traits:
    names = Traits.__dataclass_fields__
    try:
        given: dict[str, Any] = {word.arg or "": ast.literal_eval(word.value) for word in call.keywords}
        given |= dict(zip(names, map(ast.literal_eval, call.args), strict=False))
        return Traits(**given)
    except (*NOT_PYTHON, TypeError):
        raise UserError(
            f"{path.name}: its traits are not written out as plain values; {showing_strategy()} runs the "
            "file to read them"
        ) from None
