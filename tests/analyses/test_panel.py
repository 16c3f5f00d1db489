"""Panels: made the same way on any number of workers, kept whole, and refused where they do not fit."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import khora_sim
from khora_sim import UserError
from khora_sim.analyses.check import another_world
from khora_sim.analyses.grade import making
from khora_sim.analyses.grade.panel import BUILT_IN, MOST_BYTES, PARTS, Frozen, read_panel, write_panel
from khora_sim.analyses.grade.searching import search, summed_up
from khora_sim.common.files import packed, read_packed
from khora_sim.common.seed_ranges import PANEL
from khora_sim.rules import load_rules
from khora_sim.strategy.loading import load
from khora_sim.strategy.reading.playouts import End
from khora_sim.strategy.table import Table

RULES = load_rules()


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "BLOCK", 2)
    monkeypatch.setattr(making, "AT_ONCE", 2)
    monkeypatch.setattr(making, "POOL", ("steward", "merchant"))


def made(path: Path, **asked: Any) -> bytes:
    khora_sim.panel(out=path, **{"decisions": 8, "worlds": 4, "workers": 1, **asked})
    return path.read_bytes()


def test_a_panel_is_the_same_on_any_number_of_workers_and_after_a_stop(tmp_path, monkeypatch):
    one = made(tmp_path / "one.npz")
    add_block = making._add_block

    def stopping(asked: Any, blocks: Any, backend: Any) -> None:
        if blocks.count == 1:
            raise KeyboardInterrupt
        add_block(asked, blocks, backend)

    monkeypatch.setattr(making, "_add_block", stopping)
    with pytest.raises(KeyboardInterrupt):
        made(tmp_path / "two.npz", workers=2)
    monkeypatch.setattr(making, "_add_block", add_block)
    with pytest.raises(
        UserError, match=r"two\.npz: --decisions differs from .*panel --decisions 8 --worlds 4"
    ):
        made(tmp_path / "two.npz", decisions=9, resume=True)
    monkeypatch.setattr(making, "POOL", ("steward", "random"))
    with pytest.raises(UserError, match=r"two\.making\.npz: not as it was begun: pool; begin anew with"):
        khora_sim.panel(out=tmp_path / "two.npz", resume=True)
    monkeypatch.setattr(making, "POOL", ("steward", "merchant"))
    khora_sim.panel(out=tmp_path / "two.npz", resume=True, workers=2, backend="processes")
    assert (tmp_path / "two.npz").read_bytes() == one
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.npz", "two.npz"]


def test_a_panel_is_written_over_only_if_it_may_be_replaced(tmp_path):
    made(tmp_path / "panel.npz")
    with pytest.raises(UserError, match=r"panel\.npz: already exists; write over it with --replace"):
        made(tmp_path / "panel.npz", seed=1)
    made(tmp_path / "panel.npz", seed=1, replace=True)
    assert read_panel(tmp_path / "panel.npz").origin["seed"] == 1
    (tmp_path / "mine.npz").write_text("mine")
    with pytest.raises(UserError, match="was not made by khora strategies panel, and is not replaced"):
        made(tmp_path / "mine.npz", replace=True)


def test_the_built_in_panel_has_real_decisions_of_all_kinds_in_games_of_their_own():
    panel = read_panel()
    assert len({one.seed for one in panel.decisions}) == len(panel.decisions)
    assert all(one.seed in PANEL for one in panel.decisions)
    assert all(len(one.options) > 1 and making.differs(one) for one in panel.decisions)
    assert {one.players for one in panel.decisions} == {2, 3, 4}
    matches = [match for _, _, match in panel.matches(RULES)]
    assert len({match.task for match in matches}) >= 15
    assert {int(match.game.city[match.seat]) for match in matches} == set(range(7))


def test_an_option_that_was_only_lucky_in_one_half_of_the_worlds_is_no_better():
    alike = Frozen(1, 2, [], [0, 1], np.array([0.6, 0.5]), np.array([0.5, 0.6]), np.zeros(2))
    assert alike.losses == pytest.approx([-0.05, -0.05])
    better = Frozen(1, 2, [], [0, 1], np.array([0.6, 0.5]), np.array([0.7, 0.5]), np.zeros(2))
    assert better.losses == pytest.approx([0.0, 0.15])


def test_an_option_is_worth_what_its_best_plan_makes_of_it():
    by_plan_and_world = np.array([[[0.1, 0.1, 0.3, 0.3], [0.4, 0.4, 0.6, 0.6]], [[0.3] * 4, [0.2] * 4]])
    values = summed_up(by_plan_and_world)
    assert values.first == pytest.approx([0.4, 0.3])
    assert values.second == pytest.approx([0.6, 0.3])
    assert values.errors == pytest.approx([0, np.std([0.1, 0.1, 0.3, 0.3], ddof=1) / 2])


def test_values_depend_on_nothing_that_the_player_cannot_see():
    panel = read_panel()
    table = Table(RULES, [load("sage")])
    for number, decision, match in list(panel.matches(RULES))[:12]:
        seen, other = (
            search(one, decision.options, table, worlds=2, plans=2)
            for one in (match, another_world(match, seed=number))
        )
        assert np.array_equal(seen.first, other.first)
        assert np.array_equal(seen.second, other.second)


def test_what_the_panel_calls_a_loss_is_lost_in_games_played_to_their_end():
    table = Table(RULES, [load("sage")])
    panel, expected, met = read_panel(), 0.0, 0.0
    for _, decision, match in list(panel.matches(RULES))[:60]:
        middle = int(np.argsort(decision.values)[len(decision.options) // 2 - 1])
        pair = [decision.options[int(decision.values.argmax())], decision.options[middle]]
        played = search(match, pair, table, worlds=40, plans=1, until=End.GAME)  # by expert, in all seats
        expected += decision.losses[middle]
        met += np.subtract(*(played.first + played.second)) / 2
    assert expected / 60 > 0.04
    assert 0.4 < met / expected < 1.2


def test_a_panel_is_read_as_it_was_written(tmp_path):
    panel = read_panel()
    write_panel(panel.decisions, panel.origin, tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == BUILT_IN.read_bytes()


def changed(**parts: Any) -> bytes:
    """The file of the built-in panel with other parts."""
    _, arrays, origin = read_packed(BUILT_IN, "a panel", MOST_BYTES, "")
    origin |= parts.pop("origin", {})
    return packed({**arrays, **parts}, origin)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is damaged, or no panel; make one with: khora strategies panel"),
        (BUILT_IN.read_bytes()[:2000], "is damaged, or no panel"),
        ((BUILT_IN.parents[3] / "strategies" / "sage.npz").read_bytes(), "it is damaged, or no panel"),
        (changed(origin={"format": 9}), "has format 9; this khora reads format 1"),
        (changed(origin={"rules": 3}), "its origin: rules: 3 given"),
        (changed(origin={"settings": 16}), "its origin: settings: 16 given"),
        (changed(players=np.array([7], np.int8)), "its parts tell different numbers of decisions"),
        (changed(first=np.zeros(3, np.uint16)), "its parts have other lengths than it says"),
        (changed(taken=np.array([object()])), "is damaged, or no panel"),
        (changed(**{name: np.zeros(0, kind) for name, kind in PARTS.items()}), "holds no decision"),
    ],
)
def test_a_file_that_is_damaged_or_foreign_is_refused_in_one_line(tmp_path, data, said):
    (tmp_path / "panel.npz").write_bytes(data)
    with pytest.raises(UserError, match=r"panel\.npz: ") as problem:
        read_panel(tmp_path / "panel.npz")
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)


def test_options_that_the_rules_do_not_offer_are_never_tried():
    panel = read_panel()
    late = next(one for one in panel.decisions if len(one.taken) > 5)
    for wrong, said in (
        (late._replace(taken=[*late.taken[:5], 30000]), "step 6 of its game takes 30000"),
        (late._replace(taken=late.taken[:5]), "has other options than it was kept with"),
    ):
        with pytest.raises(UserError, match=said):
            list(replace(panel, decisions=(wrong,)).matches(RULES))


def test_a_panel_of_other_rules_is_refused(tmp_path):
    (tmp_path / "short.toml").write_text("rounds = 8\n")
    with pytest.raises(
        UserError, match=r"panel\.npz: was made with rules .* make it again: khora strategies panel"
    ):
        list(read_panel().matches(load_rules(tmp_path / "short.toml")))
    older = changed(origin={"rules": {"hash": RULES.hash, "version": "2"}})
    (tmp_path / "panel.npz").write_bytes(older)
    with pytest.raises(UserError, match=f"of version 2; these are {RULES.short_hash} of version"):
        khora_sim.grade("random", panel=tmp_path / "panel.npz")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"decisions": 0}, "--decisions 0: expected a whole number from 1 to 10,000"),
        ({"worlds": 1}, "--worlds 1: expected a whole number from 2 to 10,000"),
        ({"seed": -1}, "--seed -1: expected a whole number from 0 to 9,999"),
        ({"workers": 0}, "--workers 0: expected 1 or more"),
    ],
)
def test_what_cannot_be_made_is_reported(tmp_path, asked, said):
    with pytest.raises(UserError, match=said):
        made(tmp_path / "panel.npz", **asked)
    with pytest.raises(UserError, match=r"expected a file for the panel that ends in \.npz"):
        made(tmp_path / "panel.txt")
    with pytest.raises(UserError, match="--out is missing; expected a file to write"):
        khora_sim.panel()
