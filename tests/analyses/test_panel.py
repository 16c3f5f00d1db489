"""Panels: made the same way on any number of workers, kept whole, and refused where they do not fit."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import khora_sim
from khora_sim import UserError
from khora_sim.analyses.check import another_world
from khora_sim.analyses.grade import COMMAND, making
from khora_sim.analyses.grade.panel import BUILT_IN, MOST_BYTES, PARTS, Frozen, read_panel, write_panel
from khora_sim.analyses.grade.searching import search, summed_up
from khora_sim.analyses.grade.teaching import share_by_tiles
from khora_sim.common.files import packed, read_packed
from khora_sim.common.seed_ranges import PANEL
from khora_sim.rules import load_rules
from khora_sim.strategy.loading import load
from khora_sim.strategy.reading.playouts import End
from khora_sim.strategy.table import Table
from khora_sim.training.imitation import values_of

RULES = load_rules()
TEACHER = "sage:policies=2:breadth=3:finalists=2:more_worlds=0"


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "BLOCK", 2)
    monkeypatch.setattr(making, "AT_ONCE", 2)
    monkeypatch.setattr(making, "POOL", ("steward", "merchant"))


def made(path: Path, **asked: Any) -> bytes:
    khora_sim.panel(out=path, **{"decisions": 8, "worlds": 4, "workers": 1, **asked})
    return path.read_bytes()


def made_by_teacher(path: Path, **asked: Any) -> bytes:
    return made(path, **{"teacher": TEACHER, "worlds": None, "players": (4,), **asked})


@contextmanager
def stopped_after_a_block(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    add_block = making._add_block

    def stopping(asked: Any, blocks: Any, backend: Any) -> None:
        if blocks.games:
            raise KeyboardInterrupt
        add_block(asked, blocks, backend)

    with monkeypatch.context() as patch:
        patch.setattr(making, "_add_block", stopping)
        with pytest.raises(KeyboardInterrupt):
            yield


def test_a_panel_is_the_same_on_any_number_of_workers_and_after_a_stop(tmp_path, monkeypatch):
    one = made(tmp_path / "one.npz")
    with stopped_after_a_block(monkeypatch):
        made(tmp_path / "two.npz", workers=2)
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


def test_a_panel_by_a_teacher_is_the_same_on_any_number_of_workers_and_after_a_stop(tmp_path, monkeypatch):
    one = made_by_teacher(tmp_path / "one.npz")
    with stopped_after_a_block(monkeypatch):
        made_by_teacher(tmp_path / "two.npz", workers=2)
    with pytest.raises(UserError, match=r"two\.npz: --teacher differs from what it was begun with"):
        khora_sim.panel(out=tmp_path / "two.npz", teacher="sage", resume=True)
    monkeypatch.setattr(making, "PUPIL", "steward")
    with pytest.raises(UserError, match=r"two\.making\.npz: not as it was begun: pool; begin anew with"):
        khora_sim.panel(out=tmp_path / "two.npz", resume=True)
    monkeypatch.setattr(making, "PUPIL", "adept")
    khora_sim.panel(out=tmp_path / "two.npz", resume=True, workers=2)
    assert (tmp_path / "two.npz").read_bytes() == one
    panel = read_panel(tmp_path / "two.npz")
    assert [one.players for one in panel.decisions] == [4] * 8
    assert [one.seed for one in panel.decisions] == list(range(PANEL[0], PANEL[8]))
    assert panel.origin["teacher"]["name"] == TEACHER
    assert [one["name"] for one in panel.origin["pool"]] == ["sage", "adept"]


def test_a_teacher_loses_nothing_at_a_panel_of_its_own_and_weaker_players_do(tmp_path):
    made_by_teacher(tmp_path / "panel.npz", decisions=40)
    own, steward, at_random = (
        khora_sim.grade(name, panel=tmp_path / "panel.npz") for name in (TEACHER, "steward", "random")
    )
    assert [one.loss for one in own.answers] == [0.0] * 40
    assert 0 < steward.whole.loss.value < at_random.whole.loss.value
    assert min(one.loss for one in at_random.answers) == 0
    assert all(one.surely_worse == (one.loss > 0) for one in at_random.answers)
    lines = [one for one in COMMAND.brief(own) if isinstance(one, str)]
    assert lines[0] == (f"{TEACHER} at 40 decisions of panel.npz, valued by {TEACHER}; with 95 % intervals.")
    assert lines[2].startswith("The teacher's best option: 100 %")
    worst = "\n".join(one for one in COMMAND.brief(at_random) if isinstance(one, str))
    assert "; loses " in worst
    assert "standard error" not in worst


def test_any_decision_of_a_game_is_as_likely_as_any_other_with_a_teacher(tmp_path):
    options = making.PanelOptions(out=tmp_path / "panel.npz", teacher=TEACHER)
    asked, steps = making.Making.of(options, RULES), np.zeros(4)
    picked = [
        asked.pick(making.Picked(seed, 4, steps, -1), making.Balance()).place
        for seed in range(PANEL[0], PANEL[1000])
    ]
    assert all(200 < number < 300 for number in Counter(picked).values())
    assert sorted(set(picked)) == [0, 1, 2, 3]


def test_an_option_that_the_teacher_did_not_look_at_counts_as_its_worst():
    values, seen = values_of(np.array([0.5, -1, 0.3, -1, 0.2]), np.array([3, 2]))
    assert values.tolist() == [0.5, 0.3, 0.3, 0.2, 0.2]
    assert seen.tolist() == [True, False, True, False, True]


def test_a_placement_is_worth_what_the_same_tiles_are_for_as_many_citizens_or_more():
    view: Any = SimpleNamespace(me=0, game=SimpleNamespace(dice=np.array([[2, 4, 0]])))
    cheap, dear, other = 1 + 7 * 5, 5 + 7 * 1, 0 + 7 * 3  # 1 and 5 for 1 and for 3 citizens; 0 and 3 for none
    for rated, shared in (
        ([-1.0, 0.4, -1.0], [0.4, 0.4, -1.0]),
        ([0.4, -1.0, 0.2], [0.4, -1.0, 0.2]),
    ):
        ratings = np.array(rated)
        share_by_tiles(view, [cheap, dear, other], ratings)
        assert ratings.tolist() == shared


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
        (changed(origin={"searcher": None}), "its origin should name a searcher or a teacher"),
        (changed(origin={"teacher": {"name": "sage"}}), "its origin should name a searcher or a teacher"),
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
        ({"teacher": "sage"}, "--worlds 4: for a search; a teacher has its own: --teacher sage:worlds=8"),
        ({"teacher": "expert", "worlds": None}, "--teacher expert: its ratings are no win chances"),
        ({"players": (4, 5)}, "--players 4,5: expected one or several of 2, 3, 4"),
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
