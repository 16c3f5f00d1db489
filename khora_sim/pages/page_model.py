"""The parts of a page: sections with sentences, figures and tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from khora_sim.pages.table import Table
from khora_sim.pages.wording import INTERVALS

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


@dataclass(frozen=True)
class Figure:
    """A picture, what it shows in a sentence, and how to draw it."""

    kind: str  # its name for `khora plot`
    title: str
    sentence: str
    draw: Callable[["Canvas"], None]
    height: float = 3.2  # inches; all figures are equally wide
    counted: str = ""  # what it rests on: "n 50,000 games; bars are 95 % intervals"


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    id: str
    title: str
    lead: str  # what it shows, in a sentence or two
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()  # warnings on how to read it
    missing: dict[str, str] = field(default_factory=dict)  # kind of figure -> why it is not there

    @property
    def unknown(self) -> list[str]:
        """All that this study cannot tell, each thing once."""
        return list(dict.fromkeys(self.missing.values()))


@dataclass(frozen=True)
class Rung:
    """A city on its step of the ladder."""

    city: str
    name: str
    colour: str
    text: str  # its success with interval
    left: float  # bounds of its interval and its value, in per cent of the ladder's width
    at: float
    width: float
    unlocked: tuple[str, ...]  # how often developments 2, 3 and 4 are unlocked; empty where that is not known


@dataclass(frozen=True)
class Page:
    """A page, as the template shows it."""

    kind: str
    title: str
    facts: Sequence[str]
    headline: str
    detail: str
    sections: Sequence[Section]
    ladder: Sequence[Sequence[Rung]] = ()
    ladder_note: str = ""
    fair_at: float = 0.0
    by_table: Sequence[str] = ()
    by_table_title: str = "By number of players"
    sure: Sequence[str] = ()
    limits: Sequence[str] = ()
    limits_title: str = "For whom it holds"
    tables: Sequence[Table] = ()
    unlocked: Sequence[Table] = ()
    habits: Sequence[str] = ()
    plot: Callable[[str], str] | None = None  # the command that draws a figure of a kind
    made_by: str = ""  # the command that made the page
    origin: Sequence[str] = (INTERVALS,)
    commands: Sequence[str] = ()  # that repeat it, where that takes more than the one that made it
