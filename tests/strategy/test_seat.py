"""What a player has beside the decision at hand: weights, memory, spare games, others to ask."""

import numpy as np
import pytest

from khora_sim.engine.kernels import kernels
from khora_sim.engine.match import Match
from khora_sim.engine.record import SEATS
from khora_sim.engine.seat import Seats
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.strategy import load
from khora_sim.strategy.games import play_set_ups
from khora_sim.strategy.table import Table
from tests.strategy.plug_ins import set_ups, write_plug_in

RULES = load_rules()


def play(path, count=3):
    return play_set_ups(RULES, set_ups(count), [load(str(path))])[0]


def failure_of(path) -> str:
    with pytest.raises(UserError) as problem:
        play(path)
    return str(problem.value)


def test_memory_lasts_as_long_as_a_game_and_is_each_players_own(tmp_path):
    body = """
    @rule
    def rate(view, options, scores):
        kept = memory(view)
        if kept[0] == 0.0:
            kept[0] = 1.0 + view.me
            kept[1] = seen_cards(view)
        known = kept[0] == 1.0 + view.me and seen_cards(view) >= kept[1] and len(kept) == 3
        kept[1] = seen_cards(view)
        scores[:] = 0.0 if known else np.nan


    @rule
    def seen_cards(view):
        return 100.0 * view.game.round_number
    """
    games = play(write_plug_in(tmp_path, "elephant", body, "memory=3"))
    assert (games.agenda_size == 0).all()


@pytest.mark.parametrize("index", [3, -4, 100_000])
def test_an_index_past_the_declared_memory_is_an_error(tmp_path, index):
    body = f"""
    @rule
    def score(view, option):
        memory(view)[{index}] = 1.0
        return 0.0
    """
    text = failure_of(write_plug_in(tmp_path, "greedy", body, "memory=3"))
    assert "raised IndexError" in text


def test_as_many_spare_games_as_are_declared(tmp_path):
    body = """
    @rule
    def rate(view, options, scores):
        for place in range(1, 41):
            determinize(view, place, place % 3)
        same = in_spare(view, 1).game.seed == in_spare(view, 40).game.seed
        other = in_spare(view, 2).game.seed != in_spare(view, 40).game.seed
        scores[:] = 0.0 if same and other else np.nan
    """
    assert (play(write_plug_in(tmp_path, "worlds", body, "spares=40")).agenda_size == 0).all()
    text = failure_of(write_plug_in(tmp_path, "fewer", body, "spares=39"))
    assert "asked for a spare game it does not have; its traits declare spares=39" in text


@pytest.mark.parametrize("place", [0, -1, 10])
def test_looking_ahead_into_no_spare_game_is_an_error(tmp_path, place):
    body = f"""
    @rule
    def score(view, option):
        return drachmas(look_ahead(view, option, {place}))
    """
    assert "asked for a spare game it does not have; its traits declare spares=9" in failure_of(
        write_plug_in(tmp_path, "lost", body)
    )


ROLLS = """
    @rule
    def score(view, option):
        before = drachmas(view)
        determinize(view, 1, 7)
        look_ahead(in_spare(view, 1), option, 2)
        play_on(view, 2, 0, 0, End.{until})
        after = in_spare(view, 2).game
        expected = {expected}
        if drachmas(view) != before or not expected:
            return np.nan
        return points_if_over(in_spare(view, 2))
"""


@pytest.mark.parametrize(
    ("until", "expected"),
    [
        ("GAME", "after.agenda_size == 0"),
        ("ROUND", "after.agenda_size == 0 or after.round_number == view.game.round_number + 1"),
    ],
)
@pytest.mark.parametrize("policy", ["steward", "merchant", "random"])
def test_a_spare_game_is_played_on_by_a_policy(tmp_path, until, expected, policy):
    body = ROLLS.format(until=until, expected=expected)
    path = write_plug_in(tmp_path, f"roller-{policy}", body, f'policies=("{policy}",)')
    games = play(path, 1)
    assert (games.agenda_size == 0).all()
    again = play(path, 1)
    assert np.array_equal(games, again)


def test_a_policy_may_have_a_policy_of_its_own_and_disturbs_nobody(tmp_path):
    body = """
    @rule
    def rate(view, options, scores):
        seen = np.zeros(len(options))
        for number in range(len(options)):
            seen[number] = options[number]
        determinize(view, 1, 0)
        play_on(view, 1, 0, 0, End.ROUND)
        for number in range(len(options)):
            scores[number] = 0.0 if options[number] == seen[number] else np.nan
        memory(view)[0] += 1.0
        scores[0] = scores[0] if memory(view)[0] < 1000.0 else np.nan
    """
    write_plug_in(tmp_path, "inner", body, 'memory=1, spares=1, policies=("random",)')
    path = write_plug_in(tmp_path, "outer", body, 'memory=1, spares=1, policies=("./inner.py",)')
    assert (play(path, 1).agenda_size == 0).all()


def test_a_policy_that_is_asked_for_advice_remembers_nothing_of_games_before(tmp_path):
    counts = """
    @rule
    def rate(view, options, scores):
        memory(view)[0] += 1.0
        for number in range(len(options)):
            scores[number] = (7 * memory(view)[0] + 3 * number) % 5
    """
    counter = write_plug_in(tmp_path, "counter", counts, "memory=1")
    alone = play(counter, 2)
    assert np.array_equal(play(f"restricted:base={counter}", 2).vp, alone.vp)
    assert np.array_equal(play(f"restricted:base=restricted:base={counter}", 2).vp, alone.vp)


def test_a_policy_that_fails_or_is_not_there_is_reported(tmp_path):
    body = ROLLS.format(until="GAME", expected="True")
    write_plug_in(tmp_path, "silent", "def score(view, option):\n    return np.nan\n")
    path = write_plug_in(tmp_path, "asker", body, 'policies=("./silent.py",)')
    assert "asked a policy that failed, or one that it did not declare" in failure_of(path)
    path = write_plug_in(tmp_path, "without", body)
    assert "asked a policy that failed, or one that it did not declare" in failure_of(path)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ('policies=("nobody",)', "policy nobody: there is no strategy 'nobody'"),
        ('policies=("plain-example",)', "policy plain-example is plain Python"),
        ('policies=("./ring.py",)', "asks itself as a policy"),
        ('policies="steward"', "trait policies should be names of strategies"),
        ("memory=-1", "trait memory is -1; it should be a whole number, 0 to 1,000,000"),
        ("spares=2.5", "trait spares is 2.5; it should be a whole number, 0 to 10,000"),
    ],
)
def test_what_cannot_be_declared_is_refused(tmp_path, declared, message):
    path = write_plug_in(tmp_path, "ring", "def score(view, option):\n    return 0.0\n", declared)
    with pytest.raises(UserError) as problem:
        load(str(path))
    assert message in str(problem.value)


LOOKS = """
@rule
def score(view, option):
    return 1.0 * drachmas(look_ahead(view, option, 1))
"""


def wipes(*strategies) -> list[int]:
    """Whether each player wipes its scratch ledger, at a table of these."""
    players = [load(str(one)).player(RULES) for one in strategies]
    return Seats(players, kernels().run_address).records.wipes_ledger[::SEATS].tolist()


def test_scratch_ledgers_are_wiped_where_a_stranger_is_at_the_table(tmp_path):
    stranger = write_plug_in(tmp_path, "stranger", LOOKS)
    assert wipes("expert", "merchant", "random") == [0, 0, 0]
    assert wipes("expert", stranger, "merchant") == [1, 1, 1]
    assert wipes("plain-example") == [0]


def test_the_policies_of_a_stranger_wipe_their_scratch_ledgers_too(tmp_path):
    asker = write_plug_in(tmp_path, "asker", LOOKS, 'policies=("expert",)')
    seats = Seats([load(str(asker)).player(RULES)], kernels().run_address)
    assert seats.policies[0].records.wipes_ledger.tolist() == [1] * SEATS


def test_a_stranger_leaves_no_byte_in_the_scratch_ledger(tmp_path):
    looks = write_plug_in(tmp_path, "looks", LOOKS)
    match = Match(RULES, players=4, seed=3)
    options = match.advance()
    table = Table(RULES, [load(str(looks)), load("expert")])
    for number in (match.seat, SEATS + match.seat):
        table.out[: len(options)] = options
        table.ask_compiled(match._games, 0, match.tables, len(options), number)
        assert not table.seats.ledger.view(np.uint8).any()
        assert not table.seats.spares.view(np.uint8).any()
