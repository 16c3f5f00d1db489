"""The labels of things, and the rules by which they are given.

They go by the win share that a thing is worth, `w`, against the fair share `f` (25 % at a table of four). A
difference *stands* where its p-value, corrected by Holm for all things and cities that were measured in the
same way, is below 5 %.

    must-have      stands, and w is at least a fifth of f (5 percentage points at a table of four)
    strong         stands, and w is at least a twentieth of f (1.25 points)
    weak           stands, and w is at most minus a twentieth of f
    dead           of a card: stands, and w is at most minus a fifth of f;
                   of anything else: the whole interval of w lies within a fiftieth of f (0.5 points)
    only with C    over all cities neither must-have nor strong, but so with one or two cities
    fair           none of these, and the whole interval lies within a twentieth of f, or w stands
    open           the games do not tell

A card is measured against a random card, so 0 is a card of middling worth. Everything else is measured
against being without it, so 0 is a thing that is not needed; below 0, its player wins more often without it.

An event meets everyone, and what one city wins another loses: over all cities its label says whom it helps.

    for C, against D    its win share with C stands at a twentieth of f or more, with D at minus that or less
    dead                no result of any game differs with and without it
"""

from collections.abc import Sequence

from khora_sim.common.wording import listed
from khora_sim.stats import Estimate

ALPHA = 0.05
MUCH, SOME, NOTHING = 1 / 5, 1 / 20, 1 / 50  # of the fair share
MOST_CITIES = 2  # that "only with" names
MUST_HAVE, STRONG, FAIR, WEAK, DEAD, OPEN = "must-have", "strong", "fair", "weak", "dead", "open"
ORDER = (MUST_HAVE, STRONG, FAIR, OPEN, WEAK, DEAD)


def label_of(wins: Estimate, p: float, fair: float, *, card: bool) -> str:
    """The label of a thing with one city, or over all cities as far as they are alike."""
    stands, some = p < ALPHA, SOME * fair
    if stands and wins.value >= some:
        return MUST_HAVE if wins.value >= MUCH * fair else STRONG
    if card and stands and wins.value <= -MUCH * fair:
        return DEAD
    if stands and wins.value <= -some:
        return WEAK
    if not card and _within(wins, NOTHING * fair):
        return DEAD
    return FAIR if stands or _within(wins, some) else OPEN


def _within(wins: Estimate, limit: float) -> bool:
    return -limit <= wins.low and wins.high <= limit


def overall_label(own: str, by_city: Sequence[tuple[str, str]]) -> str:
    """The label over all cities, from the one that its mean has and those with each city by name."""
    if own in (MUST_HAVE, STRONG):
        return own
    cities = [city for city, label in by_city if label in (MUST_HAVE, STRONG)]
    return f"only with {listed(cities)}" if 1 <= len(cities) <= MOST_CITIES else own


def event_label(by_city: Sequence[tuple[str, str]], *, moved: bool) -> str:
    """The label of an event over all cities, from those with each city by name."""
    if not moved:
        return DEAD
    helped = [city for city, label in by_city if label in (MUST_HAVE, STRONG)]
    hurt = [city for city, label in by_city if label == WEAK]
    words = [f"{word} {listed(cities)}" for word, cities in (("for", helped), ("against", hurt)) if cities]
    if words:
        return ", ".join(words)
    return FAIR if all(label in (FAIR, DEAD) for _, label in by_city) else OPEN
