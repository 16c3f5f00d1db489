"""Made-up studies that several tests look at, each made once."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from khora_sim.pages.page_model import Section
from khora_sim.pages.publish import Rendered
from khora_sim.pages.sections import MAKERS
from khora_sim.pages.study_data import StudyData, load
from khora_sim.pages.study_report import write_report
from tests.pages.synthetic import make_study


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """4,000 games of four players, three strategies, with rounds."""
    return make_study(tmp_path_factory.mktemp("studies") / "four", games=4000)


@pytest.fixture(scope="session")
def data(folder: Path) -> StudyData:
    return load(folder)


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> StudyData:
    """3,000 games at tables of two, three and four; no rounds."""
    folder = tmp_path_factory.mktemp("studies") / "mixed"
    return load(make_study(folder, games=3000, players=(2, 3, 4), rounds=False))


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> StudyData:
    """One rotation group of four games, one strategy."""
    folder = tmp_path_factory.mktemp("studies") / "tiny"
    return load(make_study(folder, games=4, strategies=("strong",), rounds=False))


@pytest.fixture(scope="session")
def report(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the report on `folder`; figures and tables are beside it."""
    return write_report(folder, tmp_path_factory.mktemp("reports") / "four").page


@pytest.fixture(scope="session")
def sections() -> Callable[[StudyData], list[Section]]:
    """All sections of a study, in the order of `MAKERS`, made once; nothing in them may be changed."""
    return cache(lambda study: [maker.make(study) for maker in MAKERS])


@pytest.fixture
def no_png(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the files beside a page out that a browser is not shown; the page has its own drawings."""
    monkeypatch.setattr("khora_sim.pages.publish._png", lambda canvas: b"")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the drawing out, for tests of words and numbers."""
    monkeypatch.setattr(
        "khora_sim.pages.publish.render", lambda figure: Rendered("<svg/>", b"", "<svg></svg>")
    )
