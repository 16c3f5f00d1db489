"""The sources of the package as trees, for tests of what may stand in one place only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import khora_sim

PACKAGE = Path(khora_sim.__file__).parent
SOURCES = {
    path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
    if "builtin_strategies" not in path.parts
}


def texts(tree: ast.AST) -> Iterator[str]:
    """All texts of a source but docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """All calls of a source by the last word of what is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "attr", getattr(node.func, "id", "")), node
