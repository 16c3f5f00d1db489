"""Chance is addressed: the same luck whatever anyone decides, and fair dice."""

import random
from collections import Counter
from itertools import permutations

import pytest

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import Task
from khora_sim.engine.chance import Stream, shuffle
from khora_sim.engine.match import Match
from khora_sim.rules import load_rules
from khora_sim.rules.describe import toml_text
from khora_sim.rules.variant import base_data
from tests.engine.scene import BASE


def dice_by_round(players, seed, settings, luck):
    """All dice of a game played at random, as they are when tiles are placed."""
    match, rolled = Match(BASE, players, seed, settings), {}
    options = match.advance()
    while options:
        if match.task == Task.PLACE_TILES:
            rolled[int(match.game.round_number)] = match.game.dice[:players, :2].tolist()
        options = match.choose(luck.choice(options))
    return rolled


@pytest.mark.parametrize("settings", [Setting.DRAFT, Setting.SHARED_DICE])
def test_dice_are_what_they_are_whatever_was_decided(settings):
    for seed in range(10):
        games = [dice_by_round(3, seed, settings, random.Random(play)) for play in range(4)]
        assert len(games[0]) == 9
        assert all(game == games[0] for game in games)


def test_dice_of_a_seat_do_not_depend_on_how_many_play():
    for seed in range(10):
        two = dice_by_round(2, seed, 0, random.Random(1))
        four = dice_by_round(4, seed, 0, random.Random(2))
        assert all(two[number] == four[number][:2] for number in two)


def test_dice_are_fair():
    pips = Counter()
    for seed in range(300):
        for rolled in dice_by_round(2, seed, 0, random.Random(seed)).values():
            pips.update(pip for dice in rolled for pip in dice)
    expected = sum(pips.values()) / 6
    assert sorted(pips) == [1, 2, 3, 4, 5, 6]
    assert sum((count - expected) ** 2 / expected for count in pips.values()) < 20.5  # 99.9 % of fair dice


def test_a_shuffle_gives_every_order_equally_often():
    orders = Counter()
    for seed in range(3000):
        items = [0, 1, 2]
        shuffle(items, 3, seed, Stream.STUDY)
        orders[tuple(items)] += 1
    assert sorted(orders) == list(permutations(range(3)))
    assert sum((count - 500) ** 2 / 500 for count in orders.values()) < 20.5  # 99.9 % of fair shuffles


def test_the_same_seed_is_the_same_set_up_and_another_seed_another():
    def set_up(seed):
        game = Match(BASE, 4, seed).game
        return game.deck.tolist(), game.events.tolist(), game.city.tolist(), int(game.first_player)

    assert set_up(7) == set_up(7)
    assert len({str(set_up(seed)) for seed in range(100)}) == 100


def test_what_is_left_to_chance_does_not_hang_on_what_is_fixed():
    free, fixed = Match(BASE, 3, 9).game, Match(BASE, 3, 9, cities=[6, 5, 4], first_player=2).game
    assert free.deck.tolist() == fixed.deck.tolist()
    assert free.events.tolist() == fixed.events.tolist()


SETS = {"cards": ("deck", 40), "events": ("events", 9), "cities": ("city", 4)}


def variant_of(folder, text):
    """The base game with a variant laid over it."""
    path = folder / "variant.toml"
    path.write_text(text, encoding="utf-8")
    return load_rules(path)


def ids_of(rules, seed, kind):
    """What chance put where, by id: the deck, the events of the rounds, or the cities of the seats."""
    field, count = SETS[kind]
    ids = list(getattr(rules.model, kind))
    numbers = Match(rules, 4, seed).game[field].tolist()[:count]
    return [ids[number] for number in numbers if number >= 0]


def renamed(kind, old, new):
    """A variant in which a new card, event or city does what an old one does."""
    entry = dict(base_data()[kind][old], name=f"New {old}")
    return toml_text({"name": "more", kind: {new: entry}})


@pytest.mark.parametrize("kind", ["events", "cities"])
def test_what_is_removed_gives_its_place_to_the_first_that_did_not_come(tmp_path, kind):
    gone = {"events": "drought", "cities": "sparta"}[kind]
    fewer = variant_of(tmp_path, f'[remove]\n{kind} = ["{gone}"]')
    came = 0
    for seed in range(200):
        before, after = ids_of(BASE, seed, kind), ids_of(fewer, seed, kind)
        changed = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
        assert [one for one, _ in changed] == [gone] * (gone in before)
        assert all(other not in before for _, other in changed)
        came += gone in before
    assert 60 < came < 160


@pytest.mark.parametrize(("kind", "like"), [("events", "drought"), ("cities", "sparta")])
def test_what_is_new_takes_one_place_and_leaves_the_others_theirs(tmp_path, kind, like):
    more = variant_of(tmp_path, renamed(kind, like, "newcomer"))
    came = 0
    for seed in range(200):
        before, after = ids_of(BASE, seed, kind), ids_of(more, seed, kind)
        assert [other for one, other in zip(before, after, strict=True) if one != other] == ["newcomer"] * (
            "newcomer" in after
        )
        came += "newcomer" in after
    assert 60 < came < 160


def test_a_removed_card_closes_its_gap_and_a_new_one_opens_one(tmp_path):
    fewer = variant_of(tmp_path, '[remove]\ncards = ["bank", "oracle"]')
    more = variant_of(tmp_path, renamed("cards", "bank", "newcomer"))
    for seed in range(50):
        deck = ids_of(BASE, seed, "cards")
        assert ids_of(fewer, seed, "cards") == [card for card in deck if card not in ("bank", "oracle")]
        assert [card for card in ids_of_all(more, seed) if card != "newcomer"] == deck


def ids_of_all(rules, seed):
    """The whole deck of a variant by id."""
    game = Match(rules, 4, seed).game
    return [rules.card_ids[card] for card in game.deck.tolist() if card >= 0]


@pytest.mark.parametrize("change", ["none", "removed", "new", "both"])
def test_every_city_comes_to_every_seat_as_often(tmp_path, change):
    texts = {"none": "", "removed": '[remove]\ncities = ["sparta", "argos"]'}
    texts["new"] = renamed("cities", "thebes", "newcomer")
    texts["both"] = texts["new"] + texts["removed"]
    rules = BASE if change == "none" else variant_of(tmp_path, texts[change])
    count, games = len(rules.city_ids), 3000
    met = Counter(
        (seat, city) for seed in range(games) for seat, city in enumerate(ids_of(rules, seed, "cities"))
    )
    assert len(met) == 4 * count
    expected = games / count
    assert sum((one - expected) ** 2 / expected for one in met.values()) < 4 * count + 4 * (8 * count) ** 0.5


@pytest.mark.parametrize("change", ["none", "removed", "new"])
def test_pairs_of_events_come_in_any_order_as_often(tmp_path, change):
    texts = {"removed": '[remove]\nevents = ["drought"]', "new": renamed("events", "drought", "newcomer")}
    rules = BASE if change == "none" else variant_of(tmp_path, texts[change])
    games = 3000
    met = Counter(tuple(ids_of(rules, seed, "events")[1:3]) for seed in range(games))
    middle = [key for key, event in rules.model.events.items() if event.slot == "middle"]
    pairs = list(permutations(middle, 2))
    assert set(met) <= set(pairs)
    expected = games / len(pairs)
    misfit = sum((met[pair] - expected) ** 2 / expected for pair in pairs)
    assert abs(misfit - len(pairs)) < 4 * (2 * len(pairs)) ** 0.5


def test_own_luck_is_counted_by_own_decisions_of_the_round():
    match, luck = Match(BASE, 4, 3), random.Random(3)
    options = match.advance()
    taken: Counter[tuple[int, int]] = Counter()
    while options:
        address = match.seat, int(match.game.round_number)
        assert match.game.decided[match.seat] == taken[address]
        assert match.view(match.seat).decided.tolist() == [0] * 4
        taken[address] += 1
        options = match.choose(luck.choice(options))
    assert len(taken) == 4 * 10


def test_dice_that_are_set_are_no_decision_of_the_player():
    match = Match(BASE, 2, 3, Setting.OPEN_DICE)
    options = match.advance()
    while match.task != Task.PLACE_TILES:
        options = match.choose(options[0])
    assert match.game.decided[match.seat] == 0
