"""Training, choosing and judging never meet the same luck."""

from itertools import combinations

from khora_sim.common.seed_ranges import CHOOSING, JUDGING, TRAINING, seed_in


def test_the_ranges_are_disjoint():
    for one, other in combinations((TRAINING, CHOOSING, JUDGING), 2):
        assert one.stop <= other.start or other.stop <= one.start


def test_a_seed_stays_in_its_range():
    for seeds in (TRAINING, CHOOSING, JUDGING):
        assert all(seed_in(seeds, number) in seeds for number in (0, 1, 999_999_999, 10**12))
