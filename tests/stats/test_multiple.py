import numpy as np

from khora_sim.stats import holm


def test_holm_steps_down_from_the_smallest_p_value():
    # By hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, then 0.04 raised to the one before it.
    assert np.allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])


def test_holm_never_passes_one_and_leaves_a_single_test_alone():
    assert holm([0.6, 0.7, 0.9]).tolist() == [1.0, 1.0, 1.0]
    assert holm([0.03]).tolist() == [0.03]
    assert holm([]).tolist() == []


def test_holm_keeps_false_findings_to_one_study_in_twenty():
    p = np.random.default_rng(1).random((4000, 21))
    found = np.mean([holm(study).min() < 0.05 for study in p])
    assert abs(found - 0.05) < 0.01
