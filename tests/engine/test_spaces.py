"""The 34 exploration spaces: troops needed, troops lost, token and bonus."""

from tests.engine.covering import covers, each
from tests.engine.scene import BASE, Scene

# space, needed, lost, drachmas, VP
SPACES = [
    ("minor-red-1", 2, 1, 0, 0),
    ("minor-red-2", 3, 0, 0, 0),
    ("minor-red-3", 2, 2, 1, 0),
    ("minor-red-4", 3, 1, 1, 0),
    ("minor-red-5", 4, 2, 2, 0),
    ("minor-red-6", 5, 1, 2, 0),
    ("major-red-1", 5, 4, 2, 0),
    ("major-red-2", 6, 3, 2, 0),
    ("major-red-3", 7, 5, 3, 0),
    ("major-red-4", 8, 6, 4, 0),
    ("major-red-5", 9, 8, 6, 0),
    ("minor-blue-1", 2, 2, 0, 0),
    ("minor-blue-2", 3, 1, 0, 0),
    ("minor-blue-3", 3, 3, 1, 1),
    ("minor-blue-4", 4, 2, 1, 1),
    ("major-blue-1", 4, 4, 1, 1),
    ("major-blue-2", 5, 3, 1, 1),
    ("major-blue-3", 6, 5, 2, 1),
    ("major-blue-4", 6, 5, 1, 2),
    ("major-blue-5", 7, 6, 2, 2),
    ("major-blue-6", 8, 7, 3, 3),
    ("major-blue-7", 9, 9, 4, 4),
    ("minor-green-1", 2, 1, 0, 0),
    ("minor-green-2", 3, 0, 0, 0),
    ("minor-green-3", 2, 2, 0, 1),
    ("minor-green-4", 3, 1, 0, 1),
    ("minor-green-5", 4, 2, 0, 2),
    ("minor-green-6", 5, 1, 0, 2),
    ("major-green-1", 5, 4, 0, 2),
    ("major-green-2", 6, 3, 0, 2),
    ("major-green-3", 7, 5, 0, 3),
    ("major-green-4", 8, 6, 0, 4),
    ("major-green-5", 9, 8, 0, 6),
    ("persepolis", 15, 15, 0, 0),
]


def tokens_of(space):
    """The tokens lying on a space, as changes."""
    if space == "persepolis":
        return {"major red": 1, "major blue": 1, "major green": 1}
    size, colour, _ = space.split("-")
    return {f"{size} {colour}": 1}


@each("space", "space, needed, lost, drachmas, vp", SPACES)
def test_space_gives_its_token_and_bonus_for_its_troops(space, needed, lost, drachmas, vp):
    scene = Scene().give(0, troops=needed - 1)  # military level 1 makes it enough
    scene.action("military").choose(space)
    gains = {"troops": 1 - lost, "drachmas": drachmas, "vp": vp} | tokens_of(space)
    assert scene.changes(0) == {name: change for name, change in gains.items() if change}
    assert scene.asked is None


@each("space", "space, needed, lost, drachmas, vp", SPACES)
def test_space_is_out_of_reach_with_a_troop_less(space, needed, lost, drachmas, vp):
    scene = Scene().give(0, troops=needed - 2)
    assert space not in scene.action("military").options


@each("space", "space, needed, lost, drachmas, vp", SPACES)
def test_space_costs_the_same_with_troops_to_spare_and_is_gone_then(space, needed, lost, drachmas, vp):
    scene = Scene().give(0, troops=15).give(1, troops=15)
    scene.action("military").choose(space)
    assert scene.player(0).troops == min(15 + 1 - lost, 15)
    scene.action("military", seat=1)
    assert sorted(scene.options) == sorted({*BASE.space_ids, "none"} - {space})


@covers("space", "persepolis")
def test_all_spaces_together_hold_16_minor_and_20_major_tokens():
    scene = Scene()
    for space in BASE.space_ids:
        scene.give(0, troops=15).action("military").choose(space)
    player = vars(scene.player(0))
    assert [player[f"minor {colour}"] for colour in ("red", "blue", "green")] == [6, 4, 6]
    assert [player[f"major {colour}"] for colour in ("red", "blue", "green")] == [6, 8, 6]
    assert scene.give(0, troops=15).action("military").asked is None  # nothing is left
