"""The figures of whole studies."""

from pathlib import Path

import pytest

from khora_sim.analyses.bench_study import FALLBACK, _run, print_study


def test_a_study_is_measured_in_a_process_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    figures = _run(tmp_path / "study", 40, 1, FALLBACK)
    assert (figures["games"], figures["workers"]) == (40, 1)
    assert 50 < figures["peak_megabytes"] < 600
    assert figures["start_to_finish_seconds"] > figures["seconds"]
    rows = dict.fromkeys(("small", "one_worker", "two_workers", "large"), figures)
    print_study(rows | {"strategies": FALLBACK, "times_as_fast_with_two": 1.9, "writing_share": 0.2})
    output = capsys.readouterr().out.splitlines()
    assert output[-2] == "Two workers are 1.90 times as fast as one."
    assert output[-1] == "Anything but playing is 20% of the work."
