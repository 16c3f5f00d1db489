"""Learned values: the same numbers in play and in training, for every variant, in files without code."""

import io
import json
import pickle
import zipfile

import numpy as np
import pytest

from khora_sim.engine.match import Match
from khora_sim.errors import UserError
from khora_sim.rules import load_rules, set_rules
from khora_sim.strategy.learned import files
from khora_sim.strategy.learned.net import _exponential, chance_of
from khora_sim.strategy.learned.value import SHAPES, LearnedValue, read_learned, write_learned
from khora_sim.strategy.player_view import View
from khora_sim.training.fitting import _chances, _forward, columns_of, inputs
from khora_sim.training.positions import POSITION, _write

RULES = load_rules()


def some_weights(seed: int = 1) -> dict:
    generator = np.random.default_rng(seed)
    return {
        name: (0.1 * generator.standard_normal(shape)).astype(np.float32) for name, shape in SHAPES.items()
    }


def position_of(seed: int, players: int, round_number: int) -> Match:
    """A game at the first decision of a round, played on by the first option."""
    match = Match(RULES, players=players, seed=seed)
    options = match.advance()
    while match.game.round_number < round_number:
        match.apply(options[(seed + len(options)) % len(options)])
        options = match.advance()
    return match


@pytest.mark.parametrize(("seed", "players", "round_number"), [(1, 4, 1), (2, 3, 5), (3, 2, 9), (4, 4, 7)])
def test_play_and_training_see_the_same_position(seed, players, round_number):
    match, weights = position_of(seed, players, round_number), some_weights()
    net = LearnedValue({players: weights}, {}).nets(RULES)[players - 2]
    written = np.zeros(1, POSITION).view(np.recarray)
    _write(match.game, RULES.tables, written[0])
    columns = columns_of(RULES, np.ones(SHAPES["facts"][0], np.float32))
    rows = inputs(written, players, columns)
    expected = _chances(_forward(rows, columns.weights(weights), weights)[2], players)[0]
    viewer = int(np.argmax(written[0].places["hand"] != 0))
    assert match.game.hand[viewer] == written[0].places["hand"][viewer]
    found = [chance_of(_view(match, seat), viewer, net) for seat in range(players)]
    assert found == pytest.approx(expected, abs=1e-4)
    assert sum(found) == pytest.approx(1)


def _view(match: Match, seat: int) -> View:
    return View(match.game, RULES.tables, seat, 0, 0, 0, None)


def test_a_value_does_not_depend_on_hands_that_the_player_cannot_see():
    match = position_of(5, 4, 4)
    net = LearnedValue({4: some_weights()}, {}).nets(RULES)[2]
    before = chance_of(_view(match, 0), 0, net)
    match.game.hand[1], match.game.hand[2] = match.game.hand[2], match.game.hand[1]
    assert chance_of(_view(match, 0), 0, net) == before
    match.game.hand[0] = 0
    assert chance_of(_view(match, 0), 0, net) != before


def test_the_exponential_is_exact_enough():
    for number in np.linspace(-39, 39, 157):
        assert _exponential(number) == pytest.approx(np.exp(number), rel=1e-6)


def test_a_new_card_has_a_value_at_once_and_a_changed_one_another(tmp_path):
    (tmp_path / "variant.toml").write_text(
        'name = "dear"\ntext = "A dearer card and a new one."\n[cards.lighthouse]\ncost = 3\n'
        '[cards.market-hall]\nname = "Market hall"\nkind = "immediate"\ncost = 2\nneeds = { red = 1 }\n'
        'effects = [{ on = "at-once", gain = { drachmas = 5 } }]\n'
    )
    variant, value = load_rules(tmp_path / "variant.toml"), LearnedValue({4: some_weights()}, {})
    base, changed = value.nets(RULES)[2], value.nets(variant)[2]
    place, new = variant.card_ids.index("lighthouse"), variant.card_ids.index("market-hall")
    assert (changed.card_in_hand[place] != base.card_in_hand[RULES.card_ids.index("lighthouse")]).any()
    assert (changed.card_in_hand[new] != 0).any()
    stadion = variant.card_ids.index("stadion")
    assert (changed.card_in_hand[stadion] == base.card_in_hand[RULES.card_ids.index("stadion")]).all()


def test_nets_are_prepared_once_for_the_same_rules(monkeypatch):
    value, variant = LearnedValue({4: some_weights()}, {}), set_rules(["cards.lighthouse.cost=2"])
    base, changed = value.nets(RULES), value.nets(variant)
    assert value.nets(load_rules()) is base
    assert value.nets(variant) is changed
    assert base.tobytes() != changed.tobytes()
    with pytest.raises(ValueError, match="read-only"):
        base["bias"] = 0
    monkeypatch.setattr(files, "MOST_PREPARED", 2)
    value.nets(set_rules(["cards.lighthouse.cost=3"]))
    assert value.nets(RULES) is not base
    assert value.nets(RULES).tobytes() == base.tobytes()


def test_prepared_nets_stay_behind_when_a_value_travels():
    value = LearnedValue({4: some_weights()}, {"games": 5}, "digest")
    before = len(pickle.dumps(value))
    nets = value.nets(RULES)
    sent = pickle.dumps(value)
    assert len(sent) == before
    arrived = pickle.loads(sent)
    assert (arrived.origin, arrived.digest) == ({"games": 5}, "digest")
    assert arrived.nets(RULES).tobytes() == nets.tobytes()


def test_a_number_of_players_that_nothing_was_learned_for_has_the_nearest_net():
    nets = LearnedValue({3: some_weights(3), 4: some_weights(4)}, {}).nets(RULES)
    assert (nets[0].facts == nets[1].facts).all()
    assert (nets[1].facts != nets[2].facts).any()


def test_a_file_holds_what_was_written(tmp_path):
    weights = some_weights()
    write_learned(LearnedValue({4: weights}, {"games": 5}), tmp_path / "value.npz")
    value = read_learned(tmp_path / "value.npz")
    assert value.origin == {"games": 5}
    assert all((value.weights[4][name] == weights[name]).all() for name in SHAPES)
    assert len(value.digest) == 16


def _archive(**changes) -> bytes:
    arrays = {f"{name}_4": one for name, one in some_weights().items()}
    arrays["origin"] = np.frombuffer(json.dumps({"format": 1}).encode(), np.uint8)
    memory = io.BytesIO()
    np.savez(memory, **{name: one for name, one in (arrays | changes).items() if one is not None})
    return memory.getvalue()


def _too_large() -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bias_4.npy", bytes(70_000_000))
    return memory.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is damaged, or no learned value"),
        (b"no archive at all", "is damaged, or no learned value"),
        (_archive()[:5000], "is damaged, or no learned value"),
        (_archive(bias_4=np.array([object()])), "is damaged, or no learned value"),
        (_archive(origin=None), "does not say where it comes from"),
        (
            _archive(origin=np.frombuffer(b'{"format": 99}', np.uint8)),
            "has format 99; this khora reads format 1",
        ),
        (_archive(bias_4=None), "has other parts than a learned value of this khora"),
        (_archive(more_4=np.zeros(3)), "has other parts than a learned value of this khora"),
        (_archive(bias_4=np.zeros(3, np.float32)), "bias for 4 players should be 64 finite numbers"),
        (_archive(bias_4=np.full(64, np.nan, np.float32)), "bias for 4 players should be 64 finite numbers"),
        (_archive(bias_4=np.zeros(64)), "bias for 4 players should be 64 finite numbers"),
        (_too_large(), "holds more than a learned value can"),
    ],
)
def test_a_file_that_is_damaged_or_foreign_is_refused_in_one_line(tmp_path, data, message):
    (tmp_path / "value.npz").write_bytes(data)
    with pytest.raises(UserError, match=r"value\.npz: ") as problem:
        read_learned(tmp_path / "value.npz")
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match="no such file; expected the path of a learned value"):
        read_learned(tmp_path / "value.npz")
