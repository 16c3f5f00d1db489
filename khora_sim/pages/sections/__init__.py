"""The sections of a report in their order, and which figures each draws."""

from collections.abc import Callable
from typing import NamedTuple

from khora_sim.errors import UserError, nearest
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.sections import (
    achievements,
    actions,
    cards,
    cities,
    city_by_strategy,
    deciding,
    dice,
    events,
    growth,
    opponents,
    points,
    published,
    ratings,
    seats,
    strategies,
    tracks,
)
from khora_sim.pages.study_data import StudyData


class Maker(NamedTuple):
    """The function that makes a section, and the kinds of figures it may have."""

    make: Callable[[StudyData], Section]
    kinds: tuple[str, ...]


MODULES = (
    cities,
    published,
    city_by_strategy,
    seats,
    opponents,
    ratings,
    strategies,
    points,
    growth,
    deciding,
    actions,
    dice,
    tracks,
    cards,
    events,
    achievements,
)
MAKERS = tuple(Maker(module.section, module.KINDS) for module in MODULES)
KINDS = tuple(kind for maker in MAKERS for kind in maker.kinds)


def check_kind(kind: str) -> None:
    """Refuse a figure that there is not, with the nearest ones."""
    if kind not in KINDS:
        raise UserError(f'no figure is called "{kind}"; {nearest(kind, KINDS)}')


def figure_of(data: StudyData, kind: str) -> Figure:
    """One figure; only its own section is worked out."""
    check_kind(kind)
    section = next(maker for maker in MAKERS if kind in maker.kinds).make(data)
    for figure in section.figures:
        if figure.kind == kind:
            return figure
    raise UserError(f"{data.folder}: {kind} cannot be drawn: {section.missing[kind]}")
