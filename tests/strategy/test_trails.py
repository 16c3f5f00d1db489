"""Trails: other policies play only what differs from the first, and come to the same ends as `play_on`."""

import pytest

from tests.strategy.plug_ins import write_plug_in
from tests.strategy.test_seat import failure_of, play

#: Compares the ends of a trail and of those who leave it with what `play_on` gives; nan if one differs.
COMPARES = """
    @rule
    def are_same(view, one, other):
        mine, its = in_spare(view, one).game, in_spare(view, other).game
        same = mine.step == its.step and mine.round_number == its.round_number
        same = same and mine.seed == its.seed and mine.agenda_size == its.agenda_size
        for seat in range(table_size(view)):
            same = same and mine.vp[seat] == its.vp[seat] and mine.decided[seat] == its.decided[seat]
            same = same and mine.hand[seat] == its.hand[seat] and mine.in_play[seat] == its.in_play[seat]
            same = same and mine.drachmas[seat] == its.drachmas[seat] and mine.city[seat] == its.city[seat]
        return same


    @rule
    def in_full(view, option, plan, number):
        look_ahead(in_spare(view, 1), option, number)
        play_on(view, number, plan, OTHERS, End.{until})


    @rule
    def rate(view, options, scores):
        choices = scratch(20)[:{room}]
        scores[:] = 0.0
        determinize(view, 1, 7)
        for place in range(min(len(options), 2)):
            option = np.int64(options[place])
            in_full(view, option, 0, 2)
            look_ahead(in_spare(view, 1), option, 3)
            made = keep_trail(view, 3, 0, OTHERS, End.{until}, 10, choices)
            good = are_same(view, 2, 3)
            for plan in range(3):
                left = leave_trail(view, 4, plan, OTHERS, End.{until}, 10, choices, made)
                memory(view)[int(left)] += 1.0
                in_full(view, option, plan, 2)
                good = good and are_same(view, 4 if left else 3, 2)
                good = good and (plan > 0 or {first_leaves} or not left or made > len(choices))
            scores[place] = 0.0 if good else np.nan
        if view.game.round_number == 9 and not ({seldom}):
            scores[:] = np.nan


    OTHERS = {others}
"""
DECLARED = 'spares=30, memory=2, policies=("merchant", "steward", {third})'
BOTH_HAPPENED = "memory(view)[0] > 0.0 and memory(view)[1] > 0.0"
COUNTS = """
    @rule
    def rate(view, options, scores):
        memory(view)[0] += 1.0
        for number in range(len(options)):
            scores[number] = (7 * memory(view)[0] + 3 * number) % 5
"""


def compares(folder, name, room, until="ROUND", others=0, third='"random"', first_leaves="False", **seldom):
    """A plug-in that fails if a trail leads anywhere else than playing on does."""
    body = COMPARES.format(
        room=room,
        until=until,
        others=others,
        first_leaves=first_leaves,
        seldom=seldom.get("seldom", BOTH_HAPPENED),
    )
    head, constant = body.split("\n\n\n    OTHERS")
    return write_plug_in(folder, name, f"    OTHERS{constant}\n{head}", DECLARED.format(third=third))


@pytest.mark.parametrize("room", [1, 3, 20])
def test_who_leaves_a_trail_comes_to_the_end_that_playing_on_gives(tmp_path, room):
    assert (play(compares(tmp_path, f"trails-{room}", room), 1).agenda_size == 0).all()


def test_a_trail_without_room_is_left_at_its_start(tmp_path):
    path = compares(tmp_path, "no-room", 0, first_leaves="made > 0")
    assert (play(path, 1).agenda_size == 0).all()


def test_policies_with_memory_are_played_in_full(tmp_path):
    """A policy that counts its decisions would count other ones if it were asked on the trail alone."""
    write_plug_in(tmp_path, "counts", COUNTS, "memory=1")
    for others in (0, 2):
        path = compares(
            tmp_path, f"counted-by-{others}", 20, others=others, third='"./counts.py"', first_leaves="True"
        )
        assert (play(path, 1).agenda_size == 0).all()


@pytest.mark.parametrize("trail", [0, -3, 26])
@pytest.mark.parametrize(
    "way",
    [
        "keep_trail(view, 1, 0, 0, End.ROUND, {}, choices)",
        "leave_trail(view, 1, 0, 0, End.ROUND, {}, choices, 2)",
    ],
)
def test_a_trail_beyond_the_spare_games_is_an_error(tmp_path, trail, way):
    body = f"""
    @rule
    def score(view, option):
        choices = scratch(5)
        determinize(view, 1, 0)
        return 1.0 * {way.format(trail)}
    """
    name = f"lost-{way[:5].strip('_')}-{trail}".replace("--", "-below-")
    path = write_plug_in(tmp_path, name, body, 'spares=30, policies=("random",)')
    assert "asked for a spare game it does not have; its traits declare spares=30" in failure_of(path)


@pytest.mark.parametrize("policies", ["0, 1", "1, 0", "-1, 0"])
def test_a_trail_of_a_policy_that_was_not_declared_is_an_error(tmp_path, policies):
    body = f"""
    @rule
    def score(view, option):
        choices = scratch(5)
        determinize(view, 1, 0)
        return 1.0 * keep_trail(view, 1, {policies}, End.ROUND, 2, choices)
    """
    path = write_plug_in(tmp_path, "unknown", body, 'spares=30, policies=("random",)')
    assert "asked a policy that failed, or one that it did not declare" in failure_of(path)
