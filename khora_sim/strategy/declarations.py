"""Declarations of strategies, read as text: nothing of a file is run, so that any file can be listed."""

import ast
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from khora_sim.common.commands import showing_strategy
from khora_sim.errors import UserError
from khora_sim.strategy.contract import Traits, check_traits
from khora_sim.strategy.finding import text_of
from khora_sim.strategy.weights import read_data, traits_of

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
    """Declaration of a file, with its fault in `problem`."""
    kind = "weights" if path.suffix == ".toml" else "compiled"
    try:
        if kind == "weights":
            traits = traits_of(read_data(path), path)
        else:
            tree = _parsed(path)
            classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
            kind = "python" if "Player" in classes else "compiled"
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
