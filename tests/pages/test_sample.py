"""The sample report that the repository keeps; `make numbers` makes it again."""

from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "reports" / "sample"


def test_the_sample_report_is_small_and_whole() -> None:
    files = [path for path in SAMPLE.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 3_000_000
    page = (SAMPLE / "index.html").read_text(encoding="utf-8")
    assert '<p class="headline">With ' in page
    assert "strongest cit" not in page
    assert "khora plot studies/sample city-win-share --out city-win-share.svg" in page
    assert (SAMPLE / "summary.md").exists()
    assert (SAMPLE / "figures" / "city-win-share.png").exists()
