from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from khora_sim.pages.sections import dice, events
from khora_sim.pages.study_data import load
from khora_sim.simulation.manifest import as_data
from tests.pages.synthetic import change_manifest, change_table, make_study


@pytest.fixture(scope="module")
def third_die(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study in which winners had a third die and pips are nothing but chance."""
    study = make_study(tmp_path_factory.mktemp("studies") / "third", games=8000, rounds=False)
    rng = np.random.default_rng(1)

    def roll(players: pl.DataFrame) -> pl.DataFrame:
        third = rng.random(len(players)) < np.where(players["win_share"].to_numpy() > 0, 0.8, 0.1)
        number = np.where(third, 27, 18)
        pips = np.array([rng.integers(1, 7, n).sum() for n in number])
        return players.with_columns(
            pl.Series("dice_rolled", number, dtype=pl.UInt8),
            pl.Series("pips", pips, dtype=pl.Int16),
            pl.Series("dice_luck", pips - 3.5 * number, dtype=pl.Float32),
        )

    change_table(study, "players", roll)
    return study


def test_a_third_die_is_not_taken_for_high_pips(third_die: Path) -> None:
    made = load(third_die)
    table = dice.by_pips(made)
    sure = table.filter(pl.col("p_holm") < 0.05)
    assert sure.is_empty()
    # A sum of pips goes with the third die: the farthest from what is expected had more dice, and won more.
    far = pl.col("dice_luck").abs() >= 12
    shares = (
        made.study.players.group_by(far.alias("far")).agg(pl.col("win_share").mean()).sort("far").collect()
    )
    assert shares["win_share"][1] > shares["win_share"][0] + 0.05
    assert dice.with_score(made).holds(0.0)


def test_nothing_is_claimed_about_luck_and_rerolled_dice_are_said_to_be_chosen(third_die: Path) -> None:
    made = dice.section(load(third_die))
    message = " ".join([made.title, made.lead, *(figure.sentence for figure in made.figures)])
    assert "luck" not in message.lower()
    assert "accounts for" not in message
    assert any("no measure of luck" in note for note in made.notes)
    assert not any("rerolled" in note for note in made.notes)
    plan = as_data(load(third_die).manifest)["plan"]
    change_manifest(third_die, plan=plan | {"reroll": True})
    assert any("players chose them in part" in note for note in dice.section(load(third_die)).notes)
    change_manifest(third_die, plan=plan)


def test_an_event_is_compared_with_rounds_that_do_not_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # Half of all second rounds are Storm's, and there the lead always passes on; else never.
    storm = np.arange(400) % 2 == 0
    names = pl.Enum(["storm", "calm"])
    frame = pl.DataFrame(
        {
            "rotation_group": np.arange(400),
            "players": np.full(400, 4),
            "event_1": pl.Series(["calm"] * 400, dtype=names),
            "event_2": pl.Series(np.where(storm, "storm", "calm"), dtype=names),
            "kept": np.where(storm, 0, 1),
        }
    )
    monkeypatch.setattr(events, "game_frame", lambda _: frame)
    found = events.unsettling(SimpleNamespace(round_count=2))  # type: ignore[arg-type]
    assert dict(found.select(pl.col("event").cast(pl.String), "value").iter_rows()) == {
        "storm": 1.0,
        "calm": -1.0,
    }
