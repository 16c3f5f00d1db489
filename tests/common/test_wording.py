"""How names are listed and things are counted."""

import ast

import pytest

from khora_sim.common.wording import counted, listed
from tests.common.sources import SOURCES


@pytest.mark.parametrize(
    ("names", "said"), [((), ""), (("a",), "a"), (("a", "b"), "a and b"), (("a", "b", "c"), "a, b and c")]
)
def test_names_are_listed(names, said):
    assert listed(names) == said
    assert listed(names, "or") == said.replace("and", "or")


def test_things_are_counted():
    assert counted(0, "game") == "0 games"
    assert counted(1, "game") == "1 game"
    assert counted(1200, "die", "dice") == "1,200 dice"


def test_lists_and_counts_are_worded_in_one_place():
    words = {"listed", "counted", "plural"}
    found = {
        name
        for name, tree in SOURCES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.lstrip("_") in words
    }
    assert found == {"common/wording.py"}
