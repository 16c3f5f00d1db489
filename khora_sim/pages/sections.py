"""The sections of a report in their order, and which figures each draws."""

from collections.abc import Callable
from typing import NamedTuple

from khora_sim.errors import UserError, nearest
from khora_sim.pages import (
    achievements_section,
    actions_section,
    cards_section,
    cities_section,
    deciding_section,
    dice_section,
    events_section,
    growth_section,
    hands_section,
    opponents_section,
    points_section,
    published_section,
    ratings_section,
    seats_section,
    strategies_section,
    tracks_section,
)
from khora_sim.pages.load import Material
from khora_sim.pages.shapes import Figure, Section


class Maker(NamedTuple):
    """How a section is made, and the kinds of figures it may have."""

    make: Callable[[Material], Section]
    kinds: tuple[str, ...]


MODULES = (
    cities_section,
    published_section,
    hands_section,
    seats_section,
    opponents_section,
    ratings_section,
    strategies_section,
    points_section,
    growth_section,
    deciding_section,
    actions_section,
    dice_section,
    tracks_section,
    cards_section,
    events_section,
    achievements_section,
)
MAKERS = tuple(Maker(module.section, module.KINDS) for module in MODULES)
KINDS = tuple(kind for maker in MAKERS for kind in maker.kinds)


def check_kind(kind: str) -> None:
    """Refuse a figure that there is not, with the nearest ones."""
    if kind not in KINDS:
        raise UserError(f'no figure is called "{kind}"; {nearest(kind, KINDS)}')


def figure_of(material: Material, kind: str) -> Figure:
    """One figure; only its own section is worked out."""
    check_kind(kind)
    section = next(maker for maker in MAKERS if kind in maker.kinds).make(material)
    for figure in section.figures:
        if figure.kind == kind:
            return figure
    raise UserError(f"{material.folder}: {kind} cannot be drawn: {section.missing[kind]}")
