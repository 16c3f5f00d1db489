"""Phases A and B: the event is announced, taxes come in."""

from tests.engine.covering import covers
from tests.engine.scene import Scene


@covers("tax phase", "drachmas")
def test_everyone_gets_drachmas_equal_to_the_tax_level():
    scene = Scene().give(0, tax=3).give(1, tax=10, drachmas=5)
    scene.tax_phase()
    assert [scene.changes(seat) for seat in range(3)] == [{"drachmas": 3}, {"drachmas": 10}, {}]


@covers("tax phase", "cards")
def test_tax_phase_cards_pay_besides():
    scene = Scene().give(0, tax=2, in_play="stadion power public-market")
    assert scene.tax_phase().changes(0) == {"drachmas": 2, "troops": 2, "vp": 4 + 3}


@covers("tax phase", "announced")
def test_an_event_has_no_effect_when_it_is_announced():
    scene = Scene().give(0, drachmas=5, tax=1).event("drought", 3)
    scene.end_of_round(2)
    assert scene.game.round_number == 3
    assert scene.changes(0) == {"drachmas": 1}
