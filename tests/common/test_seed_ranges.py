"""Training, choosing, judging and grading never meet the same luck."""

from itertools import combinations

from khora_sim.common.seed_ranges import CHOOSING, JUDGING, PANEL, TRAINING, seed_in

RANGES = (TRAINING, CHOOSING, JUDGING, PANEL)


def test_the_ranges_are_disjoint():
    for one, other in combinations(RANGES, 2):
        assert one.stop <= other.start or other.stop <= one.start


def test_a_seed_stays_in_its_range():
    for seeds in RANGES:
        assert all(seed_in(seeds, number) in seeds for number in (0, 1, 999_999_999, 10**12))
