"""Folders import only from what is left of them in the flow of data, and no module imports itself in a ring.

Imports inside functions count as well. Left out are the package itself, which offers everything lazily, and
`errors`, which all may use.
"""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "khora_sim"
FLOW = (
    *("common", "rules", "engine", "strategy", "records", "stats", "simulation", "training"),
    *("pages", "analyses", "cli"),
)
#: What draws and prints is used by pages and the command line only.
FOR_PAGES = {"rich", "typer", "jinja2", "matplotlib"}
OUTSIDE = {"khora_sim", "khora_sim.__main__", "khora_sim.errors"}


def name_of(path: Path) -> str:
    """The name of a module by its file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = {
    name_of(path): path
    for path in PACKAGE.rglob("*.py")
    if not {"builtin_strategies", "machine_code"} & set(path.relative_to(PACKAGE).parts)
}


def imported_by(name: str) -> set[str]:
    """The modules of the package that a module imports, wherever in its text."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{one.name}" for one in node.names}
            found |= {one if one in MODULES else node.module for one in inner}
    return {one for one in found if one in MODULES} - OUTSIDE - {name}


EDGES = {name: imported_by(name) for name in MODULES if name not in OUTSIDE}


def folder(name: str) -> str:
    return name.split(".")[1]


def test_every_module_lies_in_a_folder_of_the_flow():
    assert {folder(name) for name in EDGES} <= set(FLOW)


@pytest.mark.parametrize("name", sorted(EDGES))
def test_no_import_goes_against_the_flow(name):
    place = FLOW.index(folder(name))
    assert [one for one in EDGES[name] if FLOW.index(folder(one)) > place] == []


def test_nothing_imports_itself_by_way_of_others():
    left = {name: set(edges) for name, edges in EDGES.items()}
    while free := [name for name, edges in left.items() if not edges & left.keys()]:
        for name in free:
            del left[name]
    assert sorted(left) == []


def outside_of(name: str) -> set[str]:
    """The packages outside this project that a module imports, wherever in its text."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {one.name.split(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("name", sorted(name for name in EDGES if folder(name) not in ("pages", "cli")))
def test_only_pages_and_the_command_line_draw_and_print(name):
    assert outside_of(name) & FOR_PAGES == set()
