"""Blind spots: what counts as one, and how it is reported."""

import polars as pl

from khora_sim.analyses.habits import Names, RatesOfKind, blind_spots, undecided
from khora_sim.common.wording import RARE

NAMES = Names(
    cities={"sparta": "Sparta", "argos": "Argos", "thebes": "Thebes"},
    cards={"bank": "Bank"},
    spaces={"persepolis": "Persepolis"},
)


def rates(*rows: tuple, keys: tuple[str, ...] = ("city", "development")) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=[*keys, "value", "low", "high", "n"], orient="row")


def sentences(*looked: RatesOfKind) -> list[str]:
    return [spot.sentence for spot in blind_spots(looked, NAMES)]


def test_only_an_upper_end_below_the_limit_counts():
    found = rates(("sparta", 2, 0.0, 0.0, 0.019, 400), ("argos", 2, 0.0, 0.0, 0.02, 390))
    looked = RatesOfKind("development", found, ("development",))
    (spot,) = blind_spots([looked], NAMES)
    assert (spot.kind, spot.what, spot.cities) == ("development", "2", ("sparta",))
    assert (spot.sentence, spot.share.n) == ("never unlocks Sparta 2", 400)
    assert undecided([looked]) == 1  # Argos
    assert RARE == 0.02


def test_several_cities_are_reported_together_by_the_highest_of_them():
    found = rates(("sparta", 2, 0.0, 0.0, 0.01, 400), ("argos", 2, 0.01, 0.005, 0.018, 401))
    (spot,) = blind_spots([RatesOfKind("development", found, ("development",))], NAMES)
    assert spot.sentence == "hardly ever unlocks development 2 in Sparta or Argos"
    assert spot.share.n == 401


def test_all_cities_are_any_city():
    found = rates(*((city, "trade", 0.0, 0.0, 0.01, 9) for city in NAMES.cities), keys=("city", "action"))
    assert sentences(RatesOfKind("action", found, ("action",))) == [
        "never takes the trade action in any city"
    ]


def test_levels_cards_and_spaces_have_words_of_their_own():
    low = (0.001, 0.0, 0.01, 900)
    level = RatesOfKind(
        "level", rates(("argos", "culture", 4, *low), keys=("city", "track", "level")), ("track", "level")
    )
    card = RatesOfKind("card", rates(("bank", *low), keys=("card",)), ("card",))
    space = RatesOfKind("space", rates(("persepolis", *low), keys=("space",)), ("space",))
    assert sentences(level, card, space) == [
        "hardly ever climbs culture to level 4 in Argos",
        "hardly ever plays Bank when it begins with it in hand",
        "hardly ever explores Persepolis",
    ]
    assert blind_spots([level], NAMES)[0].what == "culture 4"
