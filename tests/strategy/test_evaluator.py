"""The evaluator plays sensibly, and its weights move it the way their names say."""

import numpy as np
import pytest

from khora_sim.engine.agenda import NONE, Task
from khora_sim.engine.ledger import Column
from khora_sim.engine.match import Match
from khora_sim.rules import load_rules
from khora_sim.rules.terms import Track
from khora_sim.strategy import load
from khora_sim.strategy.games import play_set_ups
from tests.strategy.plug_ins import one_against_three, set_ups, win_share
from tests.strategy.probe import ratings

RULES = load_rules()
PLAIN = "weights-example"


def after_last_round(ledgers, column):
    return ledgers.after_round[:, RULES.tables.rounds - 1, :, column].mean()


def test_it_wins_nearly_every_game_against_random():
    games, _ = play_set_ups(RULES, one_against_three(1200), [load("random"), load(PLAIN)])
    assert win_share(games) > 0.97


def test_it_scores_as_a_thinking_player_does():
    games, _ = play_set_ups(RULES, set_ups(400), [load(PLAIN)])
    assert games.vp.mean() > 45
    assert games.vp.max(axis=1).mean() > 60


def test_the_same_seed_is_the_same_game():
    first, _ = play_set_ups(RULES, set_ups(20), [load(PLAIN)])
    again, _ = play_set_ups(RULES, set_ups(20), [load(PLAIN)])
    assert np.array_equal(first, again)


@pytest.mark.parametrize(
    ("weight", "column"),
    [
        ("economy=3", Column.ECONOMY),
        ("culture=3", Column.CULTURE),
        ("military=3", Column.MILITARY),
        ("glory=4", Column.GLORY),
        ("tax=4", Column.TAX),
        ("philosophy=9", Column.PHILOSOPHY),
        ("minors=9", Column.MINOR_TOKENS),
    ],
)
def test_a_greater_weight_brings_more_of_its_thing(weight, column):
    _, usual = play_set_ups(RULES, set_ups(60), [load(PLAIN)])
    _, keen = play_set_ups(RULES, set_ups(60), [load(f"{PLAIN}:{weight}")])
    assert after_last_round(keen, column) > after_last_round(usual, column) + 0.4


@pytest.fixture
def climber(tmp_path):
    """A weights file that plays for military in Sparta, and like its base elsewhere."""
    head = (
        '[traits]\nname = "climber"\nfamily = "own"\nsummary = "x"\ndeterministic = true\nsource = "a test"\n'
    )
    path = tmp_path / "climber.toml"
    path.write_text('text = "x"\nbase = "weights-example"\n' + head + "[cities.sparta]\nmilitary = 5\n")
    return load(str(path))


def test_in_other_cities_it_plays_the_same_games_as_its_base(climber):
    games = set_ups(20, players=3)
    games.cities[:, :3] = [city for city in range(4) if RULES.city_ids[city] != "sparta"][:3]
    own, _ = play_set_ups(RULES, games, [climber])
    base, _ = play_set_ups(RULES, games, [load(PLAIN)])
    assert np.array_equal(own, base)


def test_weights_of_a_city_hold_in_that_city_only(climber):
    games = set_ups(60, players=2)
    sparta, miletus = RULES.city_ids.index("sparta"), RULES.city_ids.index("miletus")
    games.cities[:, :2] = [sparta, miletus]
    _, ledgers = play_set_ups(RULES, games, [climber])
    _, usual = play_set_ups(RULES, games, [load(PLAIN)])
    levels = ledgers.after_round[:, RULES.tables.rounds - 1, :2, Column.MILITARY].mean(axis=0)
    before = usual.after_round[:, RULES.tables.rounds - 1, :2, Column.MILITARY].mean(axis=0)
    assert levels[0] > before[0] + 1
    assert levels[1] < before[1] + 0.5


def decision(task: Task, seat: int = 0):
    """A game of two, played with the first options up to a decision."""
    match = Match(RULES, players=2, seed=3, cities=[0, 1], first_player=0)
    options = match.advance()
    while match.task != task or match.seat != seat:
        options = match.choose(options[0])
    return match


def test_points_at_once_decide_in_the_last_round():
    match = decision(Task.CLIMB)
    game = match.game
    game.round_number = RULES.tables.rounds
    game.level[0], game.drachmas[0] = [3, 3, 3], 9  # economy 4 gives 5 points
    options = match.options()
    rated = dict(zip(options, ratings(load(PLAIN), match, options), strict=True))
    assert max(rated, key=rated.__getitem__) == Track.ECONOMY
    assert rated[Track.ECONOMY] - rated[NONE] > 3


@pytest.mark.parametrize(("round_number", "late"), [(1, False), (6, False), (7, True), (9, True)])
def test_weights_of_the_last_third_hold_from_round_seven_on(tmp_path, round_number, late):
    path = tmp_path / "climber.toml"
    head = '[traits]\nname = "climber"\nfamily = "own"\nsummary = "x"\ndeterministic = true\nsource = "x"\n'
    path.write_text('text = "x"\nbase = "weights-example"\n' + head + "[weights.late]\npoints = 9\n")
    match = decision(Task.CLIMB)
    match.game.round_number = round_number
    match.game.level[0], match.game.drachmas[0] = [3, 3, 3], 9
    options = match.options()
    rated, usual = (ratings(one, match, options) for one in (load(str(path)), load(PLAIN)))
    assert (not np.array_equal(rated, usual)) == late


def test_the_third_die_is_worth_more_the_earlier_it_comes():
    def lead(round_number):
        match = decision(Task.CLIMB)
        match.game.round_number = round_number
        match.game.level[0], match.game.drachmas[0] = [1, 3, 1], 6
        options = match.options()
        rated = dict(zip(options, ratings(load(PLAIN), match, options), strict=True))
        return rated[Track.CULTURE] - rated[NONE]

    assert lead(2) > lead(5) > lead(8)
