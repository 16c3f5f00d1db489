"""The 18 levels of the progress tracks: what each costs and gives, however it is entered."""

import pytest

from tests.engine.covering import each
from tests.engine.scene import TRACKS, Scene

# level, cost, gain
LEVELS = [
    ("economy 2", 2, {"citizens": 3}),
    ("economy 3", 2, {"citizens": 3}),
    ("economy 4", 3, {"vp": 5}),
    ("economy 5", 3, {"citizens": 5}),
    ("economy 6", 4, {}),
    ("economy 7", 4, {"vp": 10}),
    ("culture 2", 1, {}),
    ("culture 3", 4, {"tax": 1}),
    ("culture 4", 6, {"dice": 1}),
    ("culture 5", 6, {"tax": 1}),
    ("culture 6", 7, {"tax": 1}),
    ("culture 7", 7, {"tax": 2}),
    ("military 2", 2, {"glory": 1}),
    ("military 3", 3, {}),
    ("military 4", 4, {"glory": 1}),
    ("military 5", 5, {}),
    ("military 6", 7, {"glory": 1}),
    ("military 7", 9, {"glory": 2}),
]


def on_the_way_to(level, drachmas):
    """A player on the level below, with the other tracks at their end."""
    track, number = level.split()
    levels = dict.fromkeys(TRACKS, 7) | {track: int(number) - 1}
    return track, Scene().give(0, drachmas=drachmas, **levels)


@each("level", "level, cost, gain", LEVELS)
def test_level_gives_its_gain_for_its_cost(level, cost, gain):
    track, scene = on_the_way_to(level, cost)
    assert scene.progress().options == [track, "none"]
    assert scene.choose(track).changes(0) == {"drachmas": -cost, track: 1} | gain


@each("level", "level, cost, gain", LEVELS)
def test_level_is_out_of_reach_with_a_drachma_less(level, cost, gain):
    _, scene = on_the_way_to(level, cost - 1)
    assert scene.progress().asked is None


@pytest.mark.parametrize("track", TRACKS)
def test_no_track_goes_past_level_7(track):
    scene = Scene().give(0, drachmas=50, **{track: 7})
    assert track not in scene.progress().options
