"""What people say about the cities and the game, beside what was measured: confirmed, refuted or open.

Every claim has a rule with its thresholds here, so that another measurement is judged alike. All numbers are
of the strongest player of an answer. Shares of cities count as known to their interval, widened on both sides
by the spread between players where that is known.
"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

from khora_sim.pages.published_answers import CitiesAnswer, TableVerdict, levels_of_play
from khora_sim.simulation.game_facts import EXPERIENCED
from khora_sim.stats import Estimate, format_estimate

Judgement = Literal["confirmed", "refuted", "open"]
BALANCED = 0.03  # cities that lie no farther from the fair share count as balanced
MIDDLE = 5  # the round after which somebody leads halfway through
DECIDED, UNDECIDED = 0.75, 0.5  # a share that the leader, or the better player, wins: always so, hardly so
NOTHING = 0.02  # a difference in win share that is too small to matter
UNSTOPPABLE = 0.6  # of two-player games
BEGINNERS = 0.1  # of games that beginners win with many points, at most
MILITARY = ("sparta", "argos", "thebes")  # cities whose first development is about troops or war
USUAL, TWO = 4, 2  # players


class Claim(NamedTuple):
    """What people say, and how it is judged; a judgement is None where the answer has no such games."""

    text: str
    source: str
    players: int
    judge: Callable[[CitiesAnswer, TableVerdict], tuple[Judgement, str]]


class JudgedClaim(NamedTuple):
    """A claim beside what was measured."""

    claim: Claim
    judgement: Judgement
    numbers: str


def judged_claims(answer: CitiesAnswer) -> list[JudgedClaim]:
    """All claims that the answer has the games for."""
    found = []
    for claim in CLAIMS:
        table = answer.at(claim.players)
        if table is not None and set(MILITARY) <= set(table.order):
            found.append(JudgedClaim(claim, *claim.judge(answer, table)))
    return found


def _text(share: Estimate) -> str:
    return format_estimate(share, percent=True)


def _share(table: TableVerdict, city: str) -> Estimate:
    return table.strongest.cities[city].share.estimate


def _ends(table: TableVerdict, city: str) -> tuple[float, float]:
    """What the share of a city may be, chance and players allowed for."""
    share, spread = _share(table, city), table.spread(city) or 0.0
    return share.low - spread, share.high + spread


def _named(answer: CitiesAnswer, table: TableVerdict, *cities: str) -> str:
    return ", ".join(f"{answer.names[city]} {_text(_share(table, city))}" for city in cities)


def _strongest_two(answer: CitiesAnswer, table: TableVerdict) -> tuple[Judgement, str]:
    named = ("olympia", "sparta")
    others = [city for city in table.order if city not in named]
    numbers = f"{_named(answer, table, *named)}; best of the others: {_named(answer, table, others[0])}"
    if min(_ends(table, city)[0] for city in named) > max(_ends(table, city)[1] for city in others):
        return "confirmed", numbers
    beaten = any(_ends(table, other)[0] > _ends(table, city)[1] for other in others for city in named)
    return "refuted" if beaten else "open", numbers


def _too_weak(city: str) -> Callable[[CitiesAnswer, TableVerdict], tuple[Judgement, str]]:
    def judge(answer: CitiesAnswer, table: TableVerdict) -> tuple[Judgement, str]:
        of: dict[str, Judgement] = {"below": "confirmed", "above": "refuted", "open": "open"}
        judgement = of[table.strongest.cities[city].against_fair]
        return judgement, f"{_named(answer, table, city)}, where {100 * table.fair:.3g} % are fair"

    return judge


def _unbalanced(answer: CitiesAnswer, table: TableVerdict) -> tuple[Judgement, str]:
    best, worst = table.order[0], table.order[-1]
    numbers = f"from {_named(answer, table, best)} to {_named(answer, table, worst)}"
    if _ends(table, best)[0] > _ends(table, worst)[1]:
        return "confirmed", numbers
    away = (abs(end - table.fair) for city in table.order for end in _ends(table, city))
    return "refuted" if max(away) < BALANCED else "open", numbers


def _sure_or_not(share: Estimate) -> Judgement:
    """Whether something is nearly always so, or hardly more often than not."""
    return "confirmed" if share.low > DECIDED else "refuted" if share.high < UNDECIDED else "open"


def _no_catching_up(answer: CitiesAnswer, table: TableVerdict) -> tuple[Judgement, str]:
    share = table.strongest.facts.leader_wins[MIDDLE - 1].estimate
    return _sure_or_not(share), f"the leader after round {MIDDLE} wins {_text(share)} leads"


def _events(answer: CitiesAnswer, table: TableVerdict) -> tuple[Judgement, str]:
    found = table.strongest.facts.military_wins
    if found is None:
        return "open", "these rules have no events that compare troops"
    few, many = (one.estimate for one in found)
    value, margin = many.value - few.value, math.hypot(few.margin, many.margin)
    numbers = (
        f"the highest military level wins {_text(many)} with many events that compare troops, "
        f"{_text(few)} with few"
    )
    if value - margin > 0:
        return "confirmed", numbers
    return "refuted" if value + margin < NOTHING else "open", numbers


def _little_luck(answer: CitiesAnswer, table: TableVerdict) -> tuple[Judgement, str]:
    better = table.better_player
    if better is None:
        return "open", "a single player was measured"
    share = better.share.estimate
    who = f"one {better.strategy} against {table.players - 1} of {better.against}"
    return _sure_or_not(share), f"{who} wins {_text(share)}, where {100 * table.fair:.3g} % are fair"


def _military(answer: CitiesAnswer, table: TableVerdict) -> tuple[Judgement, str]:
    ends = [_ends(table, city) for city in MILITARY]
    numbers = f"{_named(answer, table, *MILITARY)}, where 50 % are fair"
    if min(low for low, _ in ends) > UNSTOPPABLE:
        return "confirmed", numbers
    return "refuted" if max(high for _, high in ends) < UNSTOPPABLE else "open", numbers


def _ninety(answer: CitiesAnswer, table: TableVerdict) -> tuple[Judgement, str]:
    weakest = levels_of_play(table.ladder)[0]
    ours, theirs = (one.facts.experienced_winners.estimate for one in (table.strongest, weakest))
    numbers = (
        f"{_text(ours)} of games of {table.strongest.strategy} are won with {EXPERIENCED} points or more, "
        f"{_text(theirs)} of {weakest.strategy}"
    )
    if ours.low > UNDECIDED and theirs.high < BEGINNERS:
        return "confirmed", numbers
    return "refuted" if ours.high < UNDECIDED or theirs.low > UNDECIDED else "open", numbers


CLAIMS = (
    Claim("Olympia and Sparta are the strongest cities", "players in Japan", USUAL, _strongest_two),
    Claim("Corinth is too weak", "house rules of two groups", USUAL, _too_weak("corinth")),
    Claim("Thebes is too weak", "house rules of two groups", USUAL, _too_weak("thebes")),
    Claim("The cities are unbalanced", "reviewers", USUAL, _unbalanced),
    Claim("There is no catching up", "reviewers", USUAL, _no_catching_up),
    Claim("Events favour the military player", "reviewers", USUAL, _events),
    Claim("Luck is small: the better player wins", "reviewers", USUAL, _little_luck),
    Claim("With two, military cities cannot be stopped", "reviewers", TWO, _military),
    Claim(f"{EXPERIENCED} points mark experience", "players", USUAL, _ninety),
)
