from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from khora_sim.pages.sections import city_by_strategy
from khora_sim.pages.study_data import StudyData, load
from khora_sim.stats.sums import CLUSTER, from_cells
from tests.pages.synthetic import make_study

CITIES, STRATEGIES = ("athens", "argos", "sparta"), ("one", "two")


class Standing(SimpleNamespace):
    """What the section reads of a study."""

    __hash__ = object.__hash__

    def city(self, name: str) -> str:
        return name.capitalize()


def standing(wins: np.ndarray, games: np.ndarray) -> Standing:
    """A study from wins and games by unit, strategy and city."""
    unit, strategy, city = (index.ravel() for index in np.indices(wins.shape))
    cells = pl.DataFrame(
        {
            "city": pl.Series(np.array(CITIES)[city], dtype=pl.Enum(CITIES)),
            "strategy": pl.Series(np.array(STRATEGIES)[strategy], dtype=pl.Enum(STRATEGIES)),
            CLUSTER: unit,
            "success": wins.ravel().astype(float),
            "c": games.ravel().astype(np.int64),
        }
    ).filter(pl.col("c") > 0)
    return Standing(
        standing=from_cells(cells, ["city", "strategy"]),
        scale=1,
        fair=1 / 3,
        rows_per_group=12,
        strategies=list(STRATEGIES),
        cities=list(CITIES),
    )


def played(rng: np.random.Generator, shares: np.ndarray, groups: int, together: float) -> Standing:
    """Groups of games; `together` is how far a group's luck lifts all cities of a strategy alike."""
    games = rng.integers(0, 5, (groups, 2, 3))
    luck = together * rng.normal(size=(groups, 2, 1))
    return standing(rng.binomial(games, np.clip(shares + luck, 0, 1)), games)


@pytest.mark.parametrize("together", [0.0, 0.15])
def test_intervals_against_the_strategys_mean_hold_the_truth(together: float) -> None:
    rng, hits = np.random.default_rng(1), []
    shares = np.array([[0.6, 0.5, 0.4], [0.3, 0.5, 0.4]])
    truth = shares - shares.mean(axis=1, keepdims=True)
    for _ in range(160):
        table = city_by_strategy.by_strategy(played(rng, shares, 60, together)).sort("strategy", "city")
        low, high = (table[f"against_{end}"].to_numpy().reshape(2, 3) for end in ("low", "high"))
        hits.append((low <= truth) & (truth <= high))
    assert np.mean(hits) == pytest.approx(0.95, abs=0.02)
    assert np.mean(hits, axis=0) == pytest.approx(np.full((2, 3), 0.95), abs=0.05)


def test_an_order_that_chance_alone_turns_round_is_not_said_to_depend_on_the_player(tmp_path: Path) -> None:
    made = load(make_study(tmp_path / "equal", games=2000, seed=2, city_terms=(0.0,) * 7, rounds=False))
    lead = city_by_strategy.section(made).lead
    best = city_by_strategy._best(made, city_by_strategy.by_strategy(made), made.strategies)
    assert len(set(best.values())) > 1  # as measured
    assert "this study does not show that the order of the cities depends on who plays them" in lead


def test_of_studies_where_the_player_changes_nothing_at_most_one_in_twenty_says_otherwise() -> None:
    rng, said = np.random.default_rng(2), 0
    for _ in range(200):
        said += bool(city_by_strategy.reversals(played(rng, np.full((2, 3), 0.4), 60, 0.1), STRATEGIES))
    assert said / 200 <= 0.05


def test_an_order_that_really_turns_round_is_reported_with_both_differences() -> None:
    shares = np.array([[0.6, 0.4, 0.4], [0.3, 0.55, 0.4]])
    made = played(np.random.default_rng(3), shares, 1000, 0.0)
    lead = city_by_strategy._lead(made, city_by_strategy.by_strategy(made))  # type: ignore[arg-type]
    assert lead.startswith("The order of the cities depends on who plays them: ")
    assert "with one, Athens wins more than Argos (+" in lead
    assert "with two, Argos wins more than Athens (+" in lead


def test_the_mean_of_a_strategy_is_that_of_its_games(data: StudyData) -> None:
    table = city_by_strategy.by_strategy(data)
    assert table["against_value"].to_list() == pytest.approx(
        (table["value"] - table["strategy_mean"]).to_list()
    )
