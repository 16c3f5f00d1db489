"""CMA-ES finds a planted optimum, and goes on from its scores alone."""

import numpy as np

from khora_sim.training.tune import Search

PLANTED = np.array([1.0, -2.0, 0.5, 3.0, 0.0])
START = np.array([0.4, -1.0, 1.0, 2.0, 1.0])
STEPS = np.full(5, 0.08)


def begun(seed: int = 1) -> Search:
    return Search(START, STEPS, 0.5, 12, seed)


def scored(search: Search) -> list[float]:
    return [-float(np.sum((one - PLANTED) ** 2)) for one in search.ask()]


def test_a_planted_optimum_is_found():
    search = begun()
    for _ in range(80):
        search.tell(scored(search))
    assert np.abs(search.means[-1] - PLANTED).max() < 0.01


def test_the_optimum_is_found_when_scores_are_noisy():
    search, luck = begun(), np.random.default_rng(1)
    for _ in range(80):
        search.tell([score + luck.normal(0, 0.1) for score in scored(search)])
    assert np.abs(search.means[-1] - PLANTED).max() < 0.2


def test_the_same_scores_lead_to_the_same_candidates():
    first = begun()
    for _ in range(5):
        first.tell(scored(first))
    again = begun()
    for scores in first.scores:
        again.tell(scores)
    assert np.array_equal(first.ask(), again.ask())
    assert np.array_equal(first.means, again.means)


def test_another_seed_is_another_search():
    assert not np.array_equal(begun(1).ask(), begun(2).ask())


def test_a_number_at_0_moves_by_its_step():
    wide = Search(np.zeros(2), np.array([0.01, 5.0]), 0.5, 40, 1)
    spread = np.std(wide.ask(), axis=0)
    assert 0.002 < spread[0] < 0.01
    assert 1 < spread[1] < 5
