"""A number is right, or the game stops with one line: no counter of a checked variant ever wraps around."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from khora_sim.common.options import Setting
from khora_sim.engine.match import GameBatch
from khora_sim.engine.record import MOST, MOST_TOKENS, Fault, why_stopped
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.rules.describe import toml_text
from khora_sim.rules.terms import Action
from tests.engine import wide_games
from tests.engine.scene import BASE, Scene
from tests.rules.hostile_variants import forty_traders

#: Numbers of hostile variants: among them points that would wrap, sums of the ledger and discounts that
#: would, too much to do at once, and games that end well with scores in the thousands.
VARIANTS = (0, 2, 12, 13, 20, 23, 24)


@pytest.fixture(scope="module")
def variant(tmp_path_factory):
    """Loads the data of a variant."""

    def load(**data):
        path = tmp_path_factory.mktemp("variant") / "variant.toml"
        path.write_text(toml_text({"name": "for a test", **data}), encoding="utf-8")
        return load_rules(path)

    return load


@pytest.fixture(scope="module")
def forty(variant):
    """Forty cards that each pay 30 drachmas, and 3 points for each drachma, in a trade."""
    return variant(**forty_traders())


def ongoing(*effects):
    return {"kind": "ongoing", "cost": 0, "needs": {}, "effects": list(effects)}


# forty cards that each pay 30 drachmas and 3 points per drachma


@pytest.mark.scenario
def test_a_few_of_forty_traders_are_counted_exactly(forty):
    scene = Scene(rules=forty).give(0, in_play=" ".join(forty.card_ids[:10]))
    scene.action("trade")
    paid = [2 + 30 * number for number in range(1, 11)]  # economy 1 and 1 for the action; then card by card
    assert scene.changes(0) == {"drachmas": 302, "vp": 3 * sum(paid)}
    assert scene.match.ledger.points[0][:11].tolist() == [3 * drachmas for drachmas in paid] + [0]


@pytest.mark.scenario
def test_all_forty_traders_stop_the_game_with_one_line(forty):
    scene = Scene(rules=forty).give(0, in_play=" ".join(forty.card_ids))
    with pytest.raises(UserError) as error:
        scene.action("trade")  # 74,040 points; 16 bits would make 8,504 of them
    assert str(error.value) == (
        "forty-traders: the rules give a player more than 32,767 victory points, and no game counts further; "
        "let effects give fewer"
    )


# every counter at its limit, and one past it


def explores(space):
    return lambda scene: scene.action("military").choose(space)


def plays(card, *choices):
    return lambda scene: scene.play(card, *choices)


#: What comes in: the field of the record, how much, what the player has, what is done, and why games stop.
WAYS = {
    "points of a culture action": ("vp", 1, {}, lambda scene: scene.action("culture"), Fault.VP),
    "points of glory": ("vp", 3, {"glory": 3, "tokens": "R"}, lambda scene: scene.end_of_game(), Fault.VP),
    "drachmas of a trade": ("drachmas", 2, {}, lambda scene: scene.action("trade"), Fault.DRACHMAS),
    "taxes": ("drachmas", 3, {"tax": 3}, lambda scene: scene.tax_phase(), Fault.DRACHMAS),
    "drachmas found": ("drachmas", 1, {"troops": 9}, explores("minor-red-3"), Fault.DRACHMAS),
    "drachmas of a card": (
        "drachmas",
        4,
        {"tokens": "bbbb", "hand": "contribution"},
        plays("contribution"),
        Fault.DRACHMAS,
    ),
    "a philosophy token": ("philosophy", 1, {}, lambda scene: scene.action("philosophy"), Fault.PHILOSOPHY),
    "philosophy tokens of a card": (
        "philosophy",
        3,
        {"hand": "archives", "drachmas": 2},
        plays("archives"),
        Fault.PHILOSOPHY,
    ),
    "a token found": ("minor", 1, {"troops": 9}, explores("minor-red-1"), Fault.TOKENS),
    "a token bought": (
        "minor",
        1,
        {"drachmas": 5},
        lambda scene: scene.action("trade").choose("red"),
        Fault.TOKENS,
    ),
    "a token of a card": (
        "minor",
        1,
        {"hand": "scholarly-welcome", "drachmas": 2},
        plays("scholarly-welcome", "red"),
        Fault.TOKENS,
    ),
}
ways = pytest.mark.parametrize("way", WAYS)


def nearly(way, missing):
    """A scene in which so many are missing to the most there can be, and what to do there."""
    field, _, given, do, fault = WAYS[way]
    scene = Scene(players=2).give(0, **given)
    most = MOST_TOKENS if field == "minor" else MOST
    scene.game[field][0] = most - missing
    return scene, most, do, fault


@pytest.mark.scenario
@ways
def test_the_most_there_can_be_is_counted(way):
    field, amount = WAYS[way][:2]
    scene, most, do, _ = nearly(way, missing=amount)
    do(scene)
    assert scene.game[field][0].max() == most


@pytest.mark.scenario
@ways
def test_one_more_stops_the_game_with_its_reason(way):
    amount = WAYS[way][1]
    scene, most, do, fault = nearly(way, missing=amount - 1)
    with pytest.raises(UserError) as error:
        do(scene)
    assert str(error.value) == why_stopped("base", fault)
    assert f"more than {most:,} " in str(error.value)


@pytest.mark.parametrize("fault", Fault)
def test_every_reason_is_one_line(fault):
    line = why_stopped("my-variant", fault)
    assert line.startswith("my-variant: the rules give ")
    assert "\n" not in line


@pytest.mark.scenario
def test_a_loss_of_more_than_16_bits_stops_at_0(variant):
    effect = {"on": "trade", "gain": {"vp": -3}, "per": "drachmas"}
    scene = Scene(rules=variant(cards={"quarry": ongoing(effect)})).give(0, in_play="quarry", vp=MOST)
    scene.give(0, drachmas=30_000).action("trade")  # 90,006 points are to be lost
    assert scene.changes(0) == {"drachmas": 2, "vp": -MOST}


# what adds up over many cards and many actions


@pytest.fixture(scope="module")
def sparing(variant):
    """Forty cards that each make levels 9 drachmas cheaper and exploring 9 troops cheaper, or give levels."""
    numbers = {"cheaper-levels": 9, "cheaper-progress": 9, "spares-troops": 9}
    effects = [{"on": "always", "special": name, "number": number} for name, number in numbers.items()]
    levels = {"on": "always", "special": "progress-levels", "number": 9}
    cards = {card: ongoing(*effects) for card in BASE.card_ids[:20]}
    return variant(cards=cards | {card: ongoing(levels) for card in BASE.card_ids[20:]})


@pytest.mark.scenario
def test_discounts_of_twenty_cards_add_up(sparing):
    scene = Scene(rules=sparing).give(0, in_play=" ".join(sparing.card_ids[:20]), drachmas=1, troops=9)
    assert scene.game.discount[0] == scene.game.progress_discount[0] == scene.game.spared_troops[0] == 180
    scene.progress().choose("military")  # 8 bits would make -76 of 180, and nobody could pay
    assert scene.changes(0) == {"military": 1, "glory": 1}
    scene.action("military").choose("major-red-5")
    assert scene.changes(0) == {"troops": 2, "major red": 1, "drachmas": 6}


@pytest.mark.scenario
def test_levels_of_twenty_cards_add_up_and_all_tracks_can_be_climbed(sparing):
    settings = Setting.DRAFT | Setting.PROGRESS_BONUSES_STACK
    scene = Scene(rules=sparing, settings=settings).give(0, in_play=" ".join(sparing.card_ids[20:]))
    assert scene.game.progress_levels[0] == 1 + 20 * 8
    scene.give(0, drachmas=999).progress()
    for track in ("economy", "culture", "military"):
        scene.choose(*[track] * 6)
    assert scene.game.level[0].tolist() == [7, 7, 7]


@pytest.mark.scenario
def test_more_actions_than_8_bits_hold_are_counted():
    scene = Scene()
    for _ in range(130):
        scene.action("culture")
    assert scene.match.ledger.actions[0, Action.CULTURE] == 130


@pytest.mark.scenario
def test_what_comes_and_goes_adds_up_past_16_bits(forty):
    scene = Scene(rules=forty).give(0, in_play=" ".join(forty.card_ids[:10]))
    for _ in range(110):
        scene.give(0, vp=0, drachmas=500).action("trade")
    ledger = scene.match.ledger
    assert ledger.points[0, 9] == 110 * 3 * (500 + 302) == 264_660  # of the tenth card
    assert ledger.returns[0, Action.TRADE] == 110 * 302 == 33_220
    assert scene.game.vp[0] == sum(ledger.points[0].tolist()) // 110


# whole games


def play_first_options(batch):
    """Take the first option in every game until all are over."""
    while not batch.over.all():
        batch.choose(batch.options[:, 0])


def test_a_batch_stops_with_the_reason_too():
    batch = GameBatch(BASE, np.arange(2), players=2)
    batch.games.drachmas[1], batch.games.tax[1] = MOST, 1  # the draft comes first, and then the taxes
    with pytest.raises(UserError, match=r"^base: the rules give a player more than 32,767 drachmas, "):
        play_first_options(batch)


@pytest.fixture(scope="module")
def reference():
    """How games of hostile variants end where no number can wrap, played by a process of its own."""
    command = [sys.executable, "-m", "tests.engine.wide_games", *map(str, VARIANTS)]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    process = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return dict(zip(VARIANTS, map(json.loads, process.stdout.splitlines()), strict=True))


@pytest.mark.slow
def test_games_of_hostile_variants_are_right_or_stop_for_a_reason_that_holds(reference):
    ends = {number: wide_games.play(number) for number in VARIANTS}
    for number, (faults, numbers) in reference.items():
        assert ends[number].digest == numbers, number
        assert set(ends[number].faults) <= set(faults), number
        assert bool(ends[number].faults) == bool(faults), number
    assert {True, False} == {bool(faults) for faults, _ in reference.values()}
