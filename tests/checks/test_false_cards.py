"""The check of false claims about cards notices one."""

from dataclasses import replace

import numpy as np

from tests.checks.false_cards import Pool


def test_what_is_far_from_the_truth_is_counted_as_false():
    pool, rng = Pool("random", 2800), np.random.default_rng(1)
    one, two = (pool.draw(1400, rng) for _ in range(2))
    assert one.games == 1400
    assert not pool.false_page(one)
    assert not pool.false_gate(one, two)
    truth = pool.truth.values.copy()
    truth[3, 2] += 0.6  # of one card with one city
    pool.truth = replace(pool.truth, values=truth)
    assert pool.false_page(one)
    for tally in two.tallies["dealt"].values():
        tally.changed[5] += 30 * tally.n[5]  # half a win for each time that a card was dealt
    assert pool.false_gate(one, two)
