import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from khora_sim.cli.main import app
from khora_sim.errors import UserError
from khora_sim.pages.sections import KINDS


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.usefixtures("undrawn")
def test_a_report_is_written_and_named(folder: Path, tmp_path: Path) -> None:
    output = run("report", str(folder), "--out", str(tmp_path / "report"))
    headline, detail, page, _ = output.splitlines()
    assert page == f"Report: {tmp_path / 'report' / 'index.html'}"
    assert f"**{headline}** {detail}" in (tmp_path / "report" / "summary.md").read_text()


@pytest.mark.usefixtures("undrawn")
def test_without_out_a_report_goes_to_reports_under_the_studys_name(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = json.loads(run("report", str(folder), "--json"))
    assert data["page"] == "reports/four/index.html"
    assert (tmp_path / "reports" / "four" / "index.html").exists()


@pytest.mark.usefixtures("undrawn")
def test_two_studies_are_compared(folder: Path, tmp_path: Path) -> None:
    assert run("report", "--compare", str(folder), str(folder), "--out", str(tmp_path / "c"), "--quiet") == ""
    assert "Comparison of two studies" in (tmp_path / "c" / "index.html").read_text(encoding="utf-8")


def test_the_number_of_studies_must_fit(folder: Path) -> None:
    with pytest.raises(UserError, match="2 folders were named; a report takes one study: khora report DIR"):
        run("report", str(folder), str(folder))
    with pytest.raises(UserError, match="1 folders were named; --compare takes two studies"):
        run("report", "--compare", str(folder))


def test_one_figure_is_drawn(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "luck.png"
    assert run("plot", str(folder), "dice-luck", "--out", str(path)).strip() == str(path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_without_a_kind_all_figures_are_listed(folder: Path) -> None:
    assert run("plot", str(folder)).split() == list(KINDS)
