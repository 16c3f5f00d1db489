"""Every built-in strategy passes the conformance suite and says how it plays."""

import pytest

from khora_sim.analyses.check import check_strategy
from khora_sim.strategy.finding import available, built_in_folder
from khora_sim.strategy.loading import describe
from tests.strategy.test_conformance import CLAIMS

BUILT_IN = sorted(name for name, path in available().items() if path.parent == built_in_folder())
ARCHETYPES = (
    "conqueror",
    "developer",
    "explorer",
    "merchant",
    "patron",
    "philosopher",
    "politician",
    "treasurer",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_strategy_holds_to_every_line_of_the_conformance_suite(name):
    assert [(one.claim, one.problem) for one in check_strategy(name)] == [(claim, None) for claim in CLAIMS]


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_strategy_says_how_it_plays_and_why(name):
    strategy = describe(available()[name])
    assert len(strategy.text.split()) >= 30
    assert strategy.summary.endswith(".")


def test_there_are_eight_archetypes_and_all_are_compiled():
    found = {name: describe(available()[name]) for name in BUILT_IN}
    archetypes = [name for name, strategy in found.items() if strategy.family == "archetype"]
    assert tuple(archetypes) == ARCHETYPES
    assert {found[name].kind for name in archetypes} == {"compiled"}


def test_archetypes_do_not_all_play_alike():
    summaries = {describe(available()[name]).summary for name in ARCHETYPES}
    assert len(summaries) == len(ARCHETYPES)
