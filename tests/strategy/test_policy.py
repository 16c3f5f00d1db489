"""Learned policies: the same scores in play and in training, for every variant, in files without code."""

from dataclasses import replace

import numpy as np
import pytest

from khora_sim import simulate
from khora_sim.engine.agenda import Task
from khora_sim.errors import UserError
from khora_sim.rules import load_rules, set_rules
from khora_sim.strategy import load
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.learned.policy import SHAPES, LearnedPolicy, read_policy, write_policy
from khora_sim.strategy.learned.policy_net import LAST, choose_placements, tile_set
from khora_sim.strategy.learned.sight import STATE, columns_of
from khora_sim.strategy.learned.value import LearnedValue, write_learned
from khora_sim.strategy.player_view import View
from khora_sim.strategy.reading.tiles import citizens_for
from khora_sim.strategy.table import Table
from khora_sim.training.imitation import Decisions, collect, compile_choosing
from khora_sim.training.policy_fitting import Batches, Fit, scales_of
from khora_sim.training.policy_sights import sights_of

RULES = load_rules()
HERMIT = """
name = "Hermit"

[cards.hermit]
name = "Hermit"
kind = "ongoing"
cost = 2
needs = { red = 1 }
effects = [{ on = "tax-phase", gain = { vp = 1 } }]
text = "1 VP in every tax phase."
"""


def some_weights(seed: int = 1) -> dict:
    generator = np.random.default_rng(seed)
    return {
        name: (0.1 * generator.standard_normal(shape)).astype(np.float32) for name, shape in SHAPES.items()
    }


def some_decisions(players: int, rules=RULES) -> Decisions:
    """Decisions of two games with values at random, all of them looked at; none is a placement of tiles."""
    found = collect(rules, load("steward"), [load("steward"), load("merchant")], players, 9, 0, 2)
    found = found.where(found.kinds != Task.PLACE_TILES)
    values = np.random.default_rng(4).random(len(found.values)).astype(np.float32)
    return Decisions(found.games, found.counts, found.options, values, np.ones(len(values), bool))


def adept_with(policy: LearnedPolicy) -> Strategy:
    return replace(load("adept"), learned=policy)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_play_and_training_choose_the_same(players):
    decisions, weights = some_decisions(players), some_weights()
    sights = sights_of(RULES, decisions)
    scales = scales_of([sights])
    expected = Fit(RULES, weights, scales).regrets(Batches.of([sights], *scales))
    table = Table(RULES, [adept_with(LearnedPolicy({players: weights}, {}))])
    losses = np.zeros(len(decisions), np.float32)
    given = (decisions.games, table.tables, decisions.counts, decisions.options, decisions.values)
    assert compile_choosing()(*given, table.out, table.seats.records, losses) == len(decisions)
    assert len(losses) > 100
    assert (np.abs(losses - expected) < 1e-6).mean() > 0.99  # sums are rounded in another order


def test_a_fit_gives_back_the_weights_that_it_was_given():
    sights = sights_of(RULES, some_decisions(4))
    weights = some_weights()
    result = Fit(RULES, weights, scales_of([sights])).result()
    assert set(result) == set(weights)
    assert all(np.allclose(result[name], weights[name], rtol=1e-5) for name in weights)


def test_of_placements_with_the_same_tiles_only_the_cheapest_is_rated():
    found = collect(RULES, load("steward"), [load("steward")], 4, 9, 0, 1)
    number = int(np.flatnonzero(found.kinds == Task.PLACE_TILES)[0])
    begin = int(found.counts[:number].sum())
    options = found.options[begin : begin + int(found.counts[number])]
    game = found.games[number]
    seat = int(game.agenda[game.agenda_size - 1, 1])
    view, scores = View(game, RULES.tables, seat, Task.PLACE_TILES, 0, 0, None), np.zeros(len(options))
    choose_placements(view, options, scores)
    rated = options[scores == 0]
    assert set(scores.tolist()) == {0.0, LAST}
    sets = [int(tile_set(view, int(option))) for option in options]
    assert sorted({*sets}) == sorted(int(tile_set(view, int(option))) for option in rated)
    for option in rated:
        same = [one for one, used in zip(options, sets, strict=True) if used == tile_set(view, int(option))]
        assert citizens_for(view, int(option)) == min(citizens_for(view, int(one)) for one in same)


def test_cards_are_known_by_what_they_do(tmp_path):
    path = tmp_path / "hermit.toml"
    path.write_text(HERMIT, encoding="utf-8")
    variant, policy = load_rules(path), LearnedPolicy({4: some_weights()}, {})
    base, changed = policy.nets(RULES)[2], policy.nets(variant)[2]
    first = columns_of(STATE, "in_hand").start
    hermit = changed.state[first + variant.card_ids.index("hermit")]
    assert (hermit != 0).any()
    assert all(
        (
            changed.state[first + variant.card_ids.index(card)]
            == base.state[first + RULES.card_ids.index(card)]
        ).all()
        for card in RULES.card_ids
    )
    dearer = policy.nets(set_rules(["cards.stadion.cost=9"]))[2]
    place = first + RULES.card_ids.index("stadion")
    assert (dearer.state[place] != base.state[place]).any()


def test_a_strategy_without_a_policy_cannot_rate_by_one(tmp_path):
    path = tmp_path / "hollow.py"
    text = '"""Has no policy."""\nfrom khora_sim.strategy.toolkit import Traits, rate_by_policy, rule\n'
    text += 'TRAITS = Traits(name="hollow", family="own", summary="x", deterministic=True, source="x")\n'
    text += "@rule\ndef rate(view, options, scores):\n    rate_by_policy(view, options, scores)\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match="hollow"):
        simulate(games=4, players=4, strategies=[str(path)], out=tmp_path / "study")


def test_a_file_holds_what_was_written_and_no_other_kind_of_file_is_read(tmp_path):
    weights = some_weights()
    write_policy(LearnedPolicy({4: weights}, {"games": 5}), tmp_path / "policy.npz")
    policy = read_policy(tmp_path / "policy.npz")
    assert policy.origin == {"games": 5}
    assert all((policy.weights[4][name] == weights[name]).all() for name in SHAPES)
    value = load("sage").learned
    assert isinstance(value, LearnedValue)
    write_learned(value, tmp_path / "value.npz")
    with pytest.raises(UserError, match="has other parts than a learned policy"):
        load(f"adept:learned={tmp_path / 'value.npz'}")
    with pytest.raises(UserError, match="has other parts than a learned value"):
        load(f"sage:learned={tmp_path / 'policy.npz'}")
    write_policy(LearnedPolicy({4: weights | {"bias": weights["bias"] * np.nan}}, {}), tmp_path / "bad.npz")
    with pytest.raises(UserError, match="bias for 4 players should be 96 finite numbers"):
        load(f"adept:learned={tmp_path / 'bad.npz'}")
    (tmp_path / "damaged.npz").write_bytes((tmp_path / "policy.npz").read_bytes()[:9000])
    with pytest.raises(UserError, match="is damaged, or no learned policy"):
        load(f"adept:learned={tmp_path / 'damaged.npz'}")
