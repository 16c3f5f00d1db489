"""Colours: a city always has the same one, and colour-blind readers can distinguish all of them."""

from collections.abc import Iterable

# Okabe and Ito's colours; the seven cities of the base game keep theirs whatever a study holds.
CITIES = {
    "corinth": "#E69F00",
    "thebes": "#CC79A7",
    "miletus": "#56B4E9",
    "sparta": "#D55E00",
    "olympia": "#F0E442",
    "argos": "#009E73",
    "athens": "#0072B2",
}
# Paul Tol's muted colours, for cities that a variant adds.
MORE = ("#882255", "#44AA99", "#DDCC77", "#332288", "#AA4499", "#999933", "#88CCEE", "#CC6677", "#117733")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d", "H", "8", "o")

# Stand-ins that the page replaces by its own colours, so that figures follow light and dark.
INK, MUTED, RULE, PAPER = "#1c1d21", "#62656d", "#d9dade", "#fffffe"
ACCENT = "#2f6fa8"  # of what is neither city nor source
ABOVE, BELOW = "#0072B2", "#D55E00"  # more and less than expected

# Sources of points, in their order: actions, cards, the city, the tracks, the rest.
SOURCES = (
    "#4477AA",
    "#EE9944",
    "#AA5511",
    "#228833",
    "#CCBB44",
    "#AA3377",
    "#66CCEE",
    "#BBBBBB",
    "#8877CC",
)
# Few things at once: tracks, achievements, sizes of tables.
FEW = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8877CC")


def city_colours(cities: Iterable[str]) -> dict[str, str]:
    """The colour of each city."""
    added = iter(MORE * 2)
    return {city: CITIES.get(city) or next(added) for city in cities}


def city_markers(cities: Iterable[str]) -> dict[str, str]:
    """The marker of each city, so that colour is never all there is to go by."""
    known = [*CITIES, *(city for city in cities if city not in CITIES)]
    return {city: MARKERS[place % len(MARKERS)] for place, city in enumerate(known)}
