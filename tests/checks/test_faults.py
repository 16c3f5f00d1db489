"""Planted faults: the list fits this tree, and the runner tells caught faults from all others."""

from pathlib import Path

import pytest

from tests.checks import faults
from tests.checks.fault_list import AREAS, FAULTS, Fault
from tests.checks.faults import Outcome, Workshop, changes_nothing, likely_first, planted, run_all, sources

TEXTS = sources(faults.ROOT)
SOURCE = """
def double(x):
    return 2 * x

def triple(x):
    return 3 * x

def wait(seconds):
    return seconds > 0

LIMIT = 5
"""
TESTS = """
import time
import pytest
from khora_sim import LIMIT, double, wait

@pytest.mark.parametrize("x", range(LIMIT))
def test_double(x):
    assert double(1) == 2

def test_wait():
    time.sleep(0 if wait(1) else 60)

def test_fails_anyway():
    assert double(1) == 3
"""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found_once_and_changes_the_program(fault: Fault):
    found = planted(fault, TEXTS)
    assert not changes_nothing(TEXTS[found.path], found)


def test_there_are_faults_of_every_area_with_names_of_their_own():
    assert len(FAULTS) >= 65
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert {fault.area for fault in FAULTS} == set(AREAS)


@pytest.mark.parametrize("area", AREAS)
def test_an_area_has_tests(area: str):
    assert faults.test_files(faults.ROOT, area)


def fault(name: str, *edits: tuple[str, str]) -> Fault:
    first, *others = edits
    return Fault(name, "a test", *first, first="test_numbers*", also=tuple(others), area="statistics")


MADE_UP = (
    fault("caught", ("2 * x", "2 + x")),
    fault("survived", ("3 * x", "4 * x")),
    fault("missing", ("5 * x", "6 * x")),
    fault("twice", (" * x", " / x")),
    fault("other-text", ("5 * x", "6 * x"), ("2 * x", "2 + x")),
    fault("no-python", ("2 * x", "2 * (x")),
    fault("not-collected", ("LIMIT = 5", "LIMIT = None")),
    fault("not-imported", ("def wait(", "def weight(")),
    fault("no-change", ("2 * x", "(2 * x)")),
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tree with a test that fails without any fault."""
    tree = tmp_path_factory.mktemp("tree")
    (tree / "khora_sim").mkdir()
    (tree / "khora_sim" / "__init__.py").write_text(SOURCE)
    (tree / "tests" / "stats").mkdir(parents=True)
    (tree / "tests" / "stats" / "test_numbers.py").write_text(TESTS)
    return tree


@pytest.fixture(scope="module")
def outcomes(tree: Path) -> dict[str, Outcome]:
    return {one.name: one for one in run_all(tree, MADE_UP, jobs=2, log=None, limit=60)}


def test_a_fault_that_a_test_notices_is_caught(outcomes: dict[str, Outcome]):
    for name in ("caught", "other-text"):
        assert outcomes[name].result == "caught"
        assert outcomes[name].by == "tests/stats/test_numbers.py::test_double[0]"
    assert outcomes["caught"].line.startswith(
        "caught: caught by tests/stats/test_numbers.py::test_double[0] in"
    )


def test_a_test_that_fails_anyway_catches_nothing(outcomes: dict[str, Outcome]):
    assert outcomes["survived"].result == "survived"
    assert outcomes["survived"].by == "without tests/stats/test_numbers.py::test_fails_anyway"
    assert outcomes["survived"].line.startswith("survived: SURVIVED the tests of statistics")


@pytest.mark.parametrize(("name", "times"), [("missing", 0), ("twice", 2)])
def test_a_text_that_does_not_occur_once_is_not_found(outcomes: dict[str, Outcome], name: str, times: int):
    assert outcomes[name].result == "not found"
    assert outcomes[name].by == f"its text occurs {times} times in khora_sim; it should occur once"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no-python", "what it makes is not Python: '(' was never closed"),
        ("not-collected", "tests/stats/test_numbers.py cannot be collected"),
        ("not-imported", "tests/stats/test_numbers.py cannot be collected"),
        ("no-change", "it changes nothing"),
    ],
)
def test_a_fault_that_breaks_the_tree_is_an_error(outcomes: dict[str, Outcome], name: str, why: str):
    assert (outcomes[name].result, outcomes[name].by) == ("error", why)


def test_a_fault_that_takes_too_long_is_not_caught(tree: Path):
    slow = fault("slow", ("seconds > 0", "seconds < 0"))
    assert [one.result for one in run_all(tree, [slow], jobs=1, log=None, limit=4)] == ["timed out"]


def test_the_tree_is_left_as_it_was(tree: Path, outcomes: dict[str, Outcome]):
    assert (tree / "khora_sim" / "__init__.py").read_text() == SOURCE


def test_a_log_is_continued_for_the_same_tree_only(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    tried = []

    def try_out(self: Workshop, fault: Fault, limit: float) -> Outcome:
        tried.append(fault.name)
        return Outcome(fault.name, fault.area, "caught", "tests::test", 1.0)

    monkeypatch.setattr(Workshop, "try_out", try_out)
    log = tmp_path / "log"
    run_all(tree, MADE_UP[:2], 1, log, 1)
    log.write_text(log.read_text() + '{"name": "cut')
    run_all(tree, MADE_UP[:3], 1, log, 1)
    assert tried == ["caught", "survived", "missing"]
    monkeypatch.setattr(faults, "digest_of", lambda tree: "another tree")
    run_all(tree, MADE_UP[:1], 1, log, 1)
    assert tried[3:] == ["caught"]


def test_the_summary_counts_by_area():
    made = [
        Outcome("a", "statistics", "caught", "tests::test", 1.0),
        Outcome("b", "rules", "survived", "", 1.0),
        Outcome("c", "rules", "not found", "", 1.0),
        Outcome("d", "rules", "caught", "tests::test", 1.0),
    ]
    assert faults.summary(made).splitlines() == [
        "area        faults  caught  survived  timed out  not found  error",
        "rules            3       1         1          0          1      0",
        "statistics       1       1         0          0          0      0",
        "all              4       2         1          0          1      0",
        "survived: b",
        "not found: c",
        "50.0% caught",
    ]


@pytest.mark.parametrize(("caught", "code"), [(9, 0), (8, 1)])
def test_the_exit_code_asks_for_nine_in_ten(caught: int, code: int, monkeypatch: pytest.MonkeyPatch):
    results = ["caught"] * caught + ["survived"] * (10 - caught)
    found = [Outcome(str(i), "rules", result, "", 1.0) for i, result in enumerate(results)]
    monkeypatch.setattr(faults, "run_all", lambda *_: found)
    monkeypatch.setattr(faults.signal, "signal", lambda *_: None)
    assert faults.main([]) == code


def test_likely_tests_come_first():
    files = [Path(f"tests/stats/test_{name}.py") for name in ("a", "b", "ab")]
    assert likely_first(files, "test_b* test_c*") == ([files[1]], [files[0], files[2]])


def test_an_unknown_fault_is_one_line():
    with pytest.raises(SystemExit, match='error: nothing is called "nonsense"; choose from: '):
        faults.chosen("nonsense", None)


def test_a_name_that_pytest_prints_is_read_whole():
    printed = "F\nFAILED tests/a/test_b.py::test_c[one two] - assert 1 == 2\n1 failed in 1 s\n"
    assert faults.verdict_of(1, printed) == ("caught", "tests/a/test_b.py::test_c[one two]")
    assert faults.verdict_of(-11, "Fatal Python error") == (
        "error",
        "pytest ended with -11: Fatal Python error",
    )
