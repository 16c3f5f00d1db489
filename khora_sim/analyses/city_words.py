"""What is said of cities along a ladder of players, and by which rules.

A city is *above* or *below* its fair share with a player where the difference stands at the 5 % level,
corrected by Holm for all cities and players of a size of table; else it is *open*. With the strongest player
the difference has to be larger than the spread between that player and its peers, where there are any.

Levels of play are all players of the ladder but controls: random moves are no way to play. A player that
hardly ever unlocks the second development of a city does not know that city, and is left out of its words;
if that is the strongest player, nothing is settled. Then the strongest player decides, and the others say how
far down it holds:

    strongest   all levels   some other level   words
    above       above                           strong at all levels
    above       not                             strong in strong hands
    below       below                           weak at all levels
    below       not          above              strong for beginners only
    below       not          none above         weak in strong hands
    open                                        order not settled

A single level of play says nothing of others: then a city is above or below its fair share.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from khora_sim.analyses.cities_answer import Against, CitiesAnswer, CityShare, SelfPlay, TableVerdict
from khora_sim.common.wording import RARE, listed
from khora_sim.stats import format_estimate, holm
from khora_sim.stats.intervals import share_p_value

ALPHA = 0.05
FIRST_UNLOCKED = 2  # the first development is there from the start
CONTROL = "control"  # the family of players that have no plan
STRONG, IN_STRONG_HANDS, FOR_BEGINNERS = (
    "strong at all levels",
    "strong in strong hands",
    "strong for beginners only",
)
WEAK, WEAK_IN_STRONG_HANDS, OPEN = "weak at all levels", "weak in strong hands", "order not settled"
ABOVE, BELOW = "above its fair share", "below its fair share"
ORDER = (ABOVE, STRONG, IN_STRONG_HANDS, FOR_BEGINNERS, WEAK_IN_STRONG_HANDS, WEAK, BELOW, OPEN)


def word_for(levels: Sequence[Against]) -> str:
    """The words for a city from where it stands with each level of play, the strongest last."""
    strongest = levels[-1]
    if strongest == "open":
        return OPEN
    if strongest == "above":
        return STRONG if set(levels) == {"above"} else IN_STRONG_HANDS
    if set(levels) == {"below"}:
        return WEAK
    return FOR_BEGINNERS if "above" in levels else WEAK_IN_STRONG_HANDS


def p_beyond(
    share: np.ndarray, fair: float, spread: np.ndarray, variance: np.ndarray, units: np.ndarray, n: np.ndarray
) -> np.ndarray:
    """P-values of shares against all that lies no farther from the fair share than a spread."""
    above = share > fair
    edge = np.where(above, fair + spread, fair - spread)
    inside = (np.abs(share - fair) <= spread) | (edge <= 0) | (edge >= 1)
    plain = share_p_value(
        share, np.where(spread > 0, np.clip(edge, 1e-9, 1 - 1e-9), fair), variance, units, n
    )
    return np.where(inside & (spread > 0), 1.0, plain)


def against_fair(share: float, fair: float, p_holm: float) -> Against:
    """Where a share stands."""
    if not p_holm < ALPHA:
        return "open"
    return "above" if share > fair else "below"


def corrected(p_values: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Holm's correction over all players and cities of one size of table."""
    return dict(zip(p_values, (float(p) for p in holm(list(p_values.values()))), strict=True))


def levels_of_play(ladder: Sequence[SelfPlay]) -> list[SelfPlay]:
    """The players whose shares are judged: all but controls, unless there are only such."""
    return [one for one in ladder if one.family != CONTROL] or list(ladder)


def words_for(ladder: Sequence[SelfPlay]) -> dict[str, str]:
    """The words for every city."""
    levels = levels_of_play(ladder)
    words = {}
    for city in ladder[-1].cities:
        known = [one.cities[city] for one in levels if _hardly_ever(one.cities[city]) != FIRST_UNLOCKED]
        sure = bool(known) and known[-1] is levels[-1].cities[city]
        words[city] = word_for([one.against_fair for one in known]) if sure else OPEN
        if len(levels) == 1:
            words[city] = {STRONG: ABOVE, WEAK: BELOW}.get(words[city], OPEN)
    return words


def headline(answer: CitiesAnswer, table: TableVerdict) -> str:
    """`At 4 players, from merchant to sage: Olympia is strong at all levels, …`."""
    levels = levels_of_play(table.ladder)
    who = levels[0].strategy if len(levels) == 1 else f"{levels[0].strategy} to {levels[-1].strategy}"
    head = (
        f"At {table.players} players, with {who} in every seat"
        if len(levels) == 1
        else (f"At {table.players} players, from {who}, each among its own kind")
    )
    clauses = []
    for word in ORDER:
        names = [answer.names[city] for city in table.order if table.words[city] == word]
        if not names:
            continue
        if word == OPEN:
            clauses.append(f"not settled: {listed(names)}")
        elif word in (ABOVE, BELOW) and len(names) > 1:
            clauses.append(f"{listed(names)} are {word.replace('its', 'their')}")
        else:
            clauses.append(f"{listed(names)} {'is' if len(names) == 1 else 'are'} {word}")
    return f"{head}: {'; '.join(clauses)}."


def range_sentence(answer: CitiesAnswer, table: TableVerdict) -> str:
    """What the strongest player's shares are, from the best city to the worst."""
    first, last = table.order[0], table.order[-1]
    cities = table.strongest.cities
    best, worst = (
        f"{format_estimate(cities[city].share.estimate, percent=True)} ({answer.names[city]})"
        for city in (first, last)
    )
    return f"With {table.strongest.strategy}, at the top of this ladder, shares run from {best} to {worst}."


def uncertainty_sentence(answer: CitiesAnswer, table: TableVerdict) -> str:
    """How far another player of the strongest kind would change the verdict."""
    name = table.strongest.strategy
    if not table.peers:
        return (
            f"How far another player as strong as {name} would change this is unknown: "
            "the intervals know chance only."
        )
    spreads = {city: table.spread(city) or 0.0 for city in table.order}
    worst = max(spreads, key=lambda city: spreads[city])
    count = len(table.peers) + 1
    return (
        f"{count} players of the kind of {name}, trained independently, differ by up to "
        f"{100 * spreads[worst]:.1f} points of win share, most with {answer.names[worst]}: "
        "that is how far to trust it."
    )


def never_sentence(answer: CitiesAnswer, table: TableVerdict) -> str:
    """What players hardly ever unlock: their shares do not say what these cities would win with it."""
    clauses = []
    for one in levels_of_play(table.ladder):
        rare = {city: _hardly_ever(one.cities[city]) for city in table.order}
        left = [f"{answer.names[city]} {place}" for city, place in rare.items() if place is not None]
        if left:
            clauses.append(f"by {one.strategy}, {listed(left)}")
    if not clauses:
        return ""
    return (
        f"Developments hardly ever unlocked (in less than {100 * RARE:.0f} % of games): "
        f"{'; '.join(clauses)}. These shares do not say what the cities would win with them."
    )


def _hardly_ever(city: CityShare) -> int | None:
    """The first development that a player hardly ever unlocks in a city."""
    rare = [place for place, rate in city.unlocked.items() if rate.high is not None and rate.high < RARE]
    return min(rare, default=None)


def sentences(answer: CitiesAnswer, table: TableVerdict) -> list[str]:
    """The verdict at one size of table in words, the headline first."""
    found = [
        headline(answer, table),
        range_sentence(answer, table),
        uncertainty_sentence(answer, table),
        never_sentence(answer, table),
    ]
    return [one for one in found if one]
