"""One value model: prices come from weights, and what it does not know gets a plain answer."""

import pytest

from khora_sim.engine.agenda import NONE, Task
from khora_sim.engine.match import Match
from khora_sim.rules import load_rules
from khora_sim.rules.terms import Action, Gain, Track
from khora_sim.strategy import load
from khora_sim.strategy.value.features import DEFAULTS, DESCRIBED, Feature
from tests.strategy.plug_ins import write_plug_in
from tests.strategy.probe import ratings, write_probe
from tests.strategy.test_weights import write

RULES = load_rules()
ROUNDS_LEFT = 8


@pytest.fixture
def climbing():
    """Round 1 of a game of two: seat 0 may pay for a level."""
    match = Match(RULES, players=2, seed=3, cities=[0, 1], first_player=0)
    options = match.advance()
    while match.task != Task.CLIMB or match.seat != 0:
        options = match.choose(options[0])
    match.game.drachmas[0] = 9
    return match


def test_weights_have_defaults_in_the_order_of_their_features():
    assert [name.upper() for name in DESCRIBED] == [feature.name for feature in Feature]
    assert DEFAULTS[Feature.TAX] == DESCRIBED["tax"].default


def test_sensible_prices_are_the_default_weights(climbing, tmp_path):
    game = climbing.game
    game.drachmas[0], game.citizens[0], game.level[0] = 9, 2, [1, 1, 1]
    questions = (
        f"sensible_prices(view).gain[{Gain.TAX}]",
        f"sensible_prices(view).gain[{Gain.DRACHMAS}]",
        f"sensible_prices(view).use[{Action.DEVELOPMENT}]",
    )
    found = ratings(write_probe(tmp_path, "prices", *questions), climbing, climbing.options())
    assert found[:3].tolist() == [
        ROUNDS_LEFT * DEFAULTS[Feature.TAX],
        DEFAULTS[Feature.DRACHMAS_BEYOND],
        DEFAULTS[Feature.DEVELOPMENT_USE],
    ]


def test_an_achievement_is_met_with_exactly_what_it_needs(climbing, tmp_path):
    climbing.game.level[0], climbing.game.philosophy[0] = [3, 1, 1], 0
    weights = "\n".join(f"{name} = {int(name == 'achievements_met')}" for name in DESCRIBED)
    path = write(tmp_path, "achiever", weights)
    options = climbing.options()
    found = dict(zip(options, ratings(load(str(path)), climbing, options), strict=True))
    assert found[Track.ECONOMY] > found[NONE] == found[Track.CULTURE]


def test_of_a_decision_that_prices_do_not_know_no_option_is_declined(climbing, tmp_path):
    body = """
    @rule
    def rate(view, options, scores):
        unknown = View(view.game, view.tables, view.me, 99, view.value, view.luck, view.seat)
        rate_by_prices(unknown, options, scores, sensible_prices(view))
    """
    options = climbing.options()
    assert NONE in options
    found = ratings(load(str(write_plug_in(tmp_path, "unknown", body))), climbing, options)
    assert len(set(found[:-1].tolist())) == 1
    assert found[0] > found[options.index(NONE)] == 0.0


@pytest.mark.slow
def test_a_decision_that_the_evaluator_does_not_know_is_rated_by_looking_ahead(climbing, tmp_path):
    """As paying for a level is, which has no line of its own there."""
    body = """
    from khora_sim.strategy.evaluator import rate_with
    from khora_sim.strategy.value.features import DEFAULTS

    @rule
    def rate(view, options, scores):
        unknown = View(view.game, view.tables, view.me, 99, view.value, view.luck, view.seat)
        rate_with(unknown, options, scores, DEFAULTS)
    """
    options = climbing.options()
    unknown = ratings(load(str(write_plug_in(tmp_path, "ahead", body))), climbing, options).tolist()
    settings = ":".join(
        f"{name}={DESCRIBED[name].default}" for name in ("culture", "third_die", "culture_use", "military")
    )
    assert unknown == ratings(load(f"weights-example:{settings}"), climbing, options).tolist()
