"""The labels of things, and the rules by which they are given.

They go by the win share that a thing is worth against the fair share, which is 25 % at a table of four. A
difference is *significant* where its p-value, corrected by Holm for all things and cities that were measured
in the same way, is below 5 %.

A card is measured against a random card, so 0 is a card of middling worth. Everything else is measured
against being without it, so 0 is a thing that is not needed; below 0, its player wins more often without it.
An event meets everyone, and what one city wins another loses: over all cities its label says whom it helps.
"""

from collections.abc import Sequence

from khora_sim.common.wording import listed
from khora_sim.stats import Estimate

ALPHA = 0.05
MUCH, SOME, NOTHING = 1 / 5, 1 / 20, 1 / 50  # of the fair share
MOST_CITIES = 2  # that "only with" names
MUST_HAVE, STRONG, FAIR, WEAK, DEAD, OPEN = "must-have", "strong", "fair", "weak", "dead", "open"
ONLY = "only with"
#: The rules in words, in the order in which they are tried; points are those of a table of four.
RULES = (
    (MUST_HAVE, "significant, and at least a fifth of the fair share (5 percentage points)"),
    (STRONG, "significant, and at least a twentieth of the fair share (1.25 points)"),
    (
        DEAD,
        "a card: significant, and at most minus a fifth of the fair share; anything else: the whole interval "
        "lies within a fiftieth of it (0.5 points); an event over all cities: no result of any game differs",
    ),
    (WEAK, "significant, and at most minus a twentieth of the fair share"),
    (
        FAIR,
        "none of these, and the whole interval lies within a twentieth of the fair share, "
        "or it is significant",
    ),
    (OPEN, "none of these: the games do not tell"),
    (f"{ONLY} C", "over all cities neither must-have nor strong, but so with one or two of them"),
    ("for C, against D", "an event: strong or must-have for C, weak for D"),
)


def label_of(wins: Estimate, p: float, fair: float, *, card: bool) -> str:
    """The label of a thing with one city, or over all cities as far as they are alike."""
    sure, some = p < ALPHA, SOME * fair
    if sure and wins.value >= some:
        return MUST_HAVE if wins.value >= MUCH * fair else STRONG
    if (sure and wins.value <= -MUCH * fair) if card else _within(wins, NOTHING * fair):
        return DEAD
    if sure and wins.value <= -some:
        return WEAK
    return FAIR if sure or _within(wins, some) else OPEN


def _within(wins: Estimate, limit: float) -> bool:
    return -limit <= wins.low and wins.high <= limit


def overall_label(own: str, by_city: Sequence[tuple[str, str]]) -> str:
    """The label over all cities, from the one that its mean has and those with each city by name."""
    if own in (MUST_HAVE, STRONG):
        return own
    cities = [city for city, label in by_city if label in (MUST_HAVE, STRONG)]
    return f"{ONLY} {listed(cities)}" if 1 <= len(cities) <= MOST_CITIES else own


def event_label(by_city: Sequence[tuple[str, str]], *, moved: bool) -> str:
    """The label of an event over all cities, from those with each city by name."""
    if not moved:
        return DEAD
    helped = [city for city, label in by_city if label in (MUST_HAVE, STRONG)]
    hurt = [city for city, label in by_city if label == WEAK]
    parts = [f"{word} {listed(cities)}" for word, cities in (("for", helped), ("against", hurt)) if cities]
    if parts:
        return ", ".join(parts)
    return FAIR if all(label in (FAIR, DEAD) for _, label in by_city) else OPEN
