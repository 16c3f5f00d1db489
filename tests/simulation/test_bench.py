"""The figures of whole studies."""

from pathlib import Path

from khora_sim.analyses.bench import FALLBACK, _run_study, study_in_words


def test_a_study_is_measured_in_a_process_of_its_own(tmp_path: Path):
    figures = _run_study(tmp_path / "study", 40, 1, FALLBACK)
    assert (figures["games"], figures["workers"]) == (40, 1)
    assert 50 < figures["peak_megabytes"] < 600
    assert figures["start_to_finish_seconds"] > figures["seconds"]
    rows = dict.fromkeys(("small", "one_worker", "two_workers", "large"), figures)
    told = {"strategies": FALLBACK, "times_as_fast_with_two": 1.9, "writing_share": 0.2}
    output = list(study_in_words(rows | told))
    assert output[-2] == "Two workers are 1.90 times as fast as one."
    assert output[-1] == "Anything but playing is 20% of the work."
