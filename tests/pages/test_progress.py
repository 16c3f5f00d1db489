"""Progress: a bar in a terminal, a line every ten seconds in a pipe, and nothing with --quiet."""

import io
import sys
import threading

import pytest

from khora_sim.common.progress import Continued, Progress
from khora_sim.pages import progress
from khora_sim.pages.progress import Bar, Lines, duration, progress_shown


class Clock:
    """Time that passes when a test says so."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now

    perf_counter = monotonic


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(progress, "time", found)
    return found


class Terminal(io.StringIO):
    """A terminal that remembers what was drawn."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (12.4, "12 s"),
        (59.6, "1 min 0 s"),
        (200, "3 min 20 s"),
        (3599, "59 min 59 s"),
        (7500, "2 h 5 min"),
    ],
)
def test_durations_have_units(seconds: float, text: str):
    assert duration(seconds) == text


def test_a_pipe_gets_a_line_every_ten_seconds_with_the_time_left(
    clock: Clock, capsys: pytest.CaptureFixture[str]
):
    lines = Lines()
    lines.begin("steward, 4 players", 56_000)
    for _ in range(60):
        clock.now += 0.5
        lines.advance(500)
    assert capsys.readouterr().err.splitlines() == [
        "khora: steward, 4 players: 10,000 of 56,000 games, 1,000/s, 46 s left",
        "khora: steward, 4 players: 20,000 of 56,000 games, 1,000/s, 36 s left",
        "khora: steward, 4 players: 30,000 of 56,000 games, 1,000/s, 26 s left",
    ]


def test_short_work_prints_nothing_in_a_pipe(clock: Clock, capsys: pytest.CaptureFixture[str]):
    lines = Lines()
    lines.begin("", 100)
    clock.now += 9.9
    lines.advance(100)
    lines.step("drawing figure 1 of 2")
    lines.note("Athens 30 %")
    assert capsys.readouterr() == ("", "")


def test_what_an_earlier_run_played_counts_but_does_not_speed_up(
    clock: Clock, capsys: pytest.CaptureFixture[str]
):
    lines = Lines()
    lines.begin("", 1000, done=600)
    clock.now += 20
    lines.advance(200)
    assert capsys.readouterr().err == "khora: 800 of 1,000 games, 10/s, 20 s left\n"


def test_work_without_a_total_has_no_time_left(clock: Clock, capsys: pytest.CaptureFixture[str]):
    lines = Lines()
    lines.begin("", None, unit="decisions")
    clock.now += 10
    lines.advance(50)
    assert capsys.readouterr().err == "khora: 50 decisions, 5/s\n"


def test_each_task_has_its_own_name_and_a_step_names_all_that_follow(
    clock: Clock, capsys: pytest.CaptureFixture[str]
):
    lines = Lines()
    for name in ("lesson 1", "lesson 2"):
        lines.begin(name, 20)
        clock.now += 10
        lines.advance(10)
    lines.step("judging 9 variants")
    lines.begin("steward, 4 players", 20)
    clock.now += 10
    lines.advance(10)
    heads = [line.split(":")[1].strip() for line in capsys.readouterr().err.splitlines()]
    assert heads == ["lesson 1", "lesson 2", "judging 9 variants"]


def test_a_line_that_stays_is_printed_at_once(clock: Clock, capsys: pytest.CaptureFixture[str]):
    Lines().line("lesson 3: 51 %")
    assert capsys.readouterr().err == "lesson 3: 51 %\n"


def test_worker_threads_count_together(clock: Clock):
    lines = Lines()
    lines.begin("", 80_000)
    threads = [threading.Thread(target=lambda: [lines.advance(1) for _ in range(10_000)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lines.done == 80_000


def test_only_the_counts_of_another_task_go_on(clock: Clock, capsys: pytest.CaptureFixture[str]):
    lines = Lines()
    lines.begin("tuning", 100)
    inner = Continued(lines)
    inner.begin("a trial", 7)
    inner.step("drawing")
    clock.now += 10
    inner.advance(50)
    assert capsys.readouterr().err == "khora: tuning: 50 of 100 games, 5/s, 10 s left\n"


def test_a_terminal_shows_a_bar_with_count_speed_labelled_time_and_note(monkeypatch: pytest.MonkeyPatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm")
    with progress_shown(True) as shown:
        assert isinstance(shown, Bar)
        assert shown.live
        now = 1000.0
        shown.rich.get_time = lambda: now
        shown.begin("steward, 4 players", 56_000)
        for _ in range(10):
            now += 1
            shown.advance(1000)
        shown.note("Athens 30 % [bold]")
        shown.rich.refresh()
        drawn = terminal.getvalue().rsplit("steward, 4 players", 1)[1]
        shown.line("lesson 1: [51 %]")
    assert "10,000 of 56,000 games" in drawn
    assert "46 s left" in drawn
    assert "Athens 30 % [bold]" in drawn
    assert "lesson 1: [51 %]" in terminal.getvalue()


@pytest.mark.parametrize("terminal", [io.StringIO(), Terminal()], ids=["pipe", "terminal"])
def test_quiet_prints_nothing(terminal: io.StringIO, clock: Clock, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_shown(False) as shown:
        assert type(shown) is Progress
        shown.begin("steward", 100)
        clock.now += 60
        shown.advance(50)
        shown.step("drawing")
        shown.note("Athens")
        shown.line("lesson 1")
    assert terminal.getvalue() == ""
