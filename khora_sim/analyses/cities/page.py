"""The verdict on the cities for the terminal and for the page, and what people say beside the numbers.

Every claim of people has a rule with its thresholds here, so that another measurement is evaluated alike. All
its numbers are of the strongest player of an answer. Shares of cities count as known to their interval,
widened on both sides by the spread between players where that is known.
"""

import math
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Literal, NamedTuple

from khora_sim.common.wording import listed
from khora_sim.pages.page_model import Page, Section
from khora_sim.pages.published_answers import (
    CitiesAnswer,
    SelfPlay,
    TableVerdict,
    levels_of_play,
    origin,
    sentences,
)
from khora_sim.pages.sections.published import gains_tables, ladder_figure, shares_table, unlocked_table
from khora_sim.pages.table import Column, Table, number, share, text
from khora_sim.simulation.game_facts import EXPERIENCED
from khora_sim.stats import Estimate, format_estimate

ROUNDS_SHOWN = (3, 5, 7)  # after which the leader's chances are shown
NAME_PEERS = "Other players of the strongest kind, named with --peers, would say how far to trust it."
EACH_ALONE = "Each player has every seat, with all sets of cities equally often and every city in every seat."


def brief(
    answer: CitiesAnswer, *, published: bool = False, kept: bool = False, full: bool = False
) -> list[str | Table]:
    """Lines for the terminal; the published answer has what better-suited players could still gain."""
    games = "How their games go, 95 % intervals." if full else "How their games go; --full has the intervals."
    lines: list[str | Table] = [
        f"Cities by who plays, each player among its own kind, all sets of cities: {origin(answer)}."
    ]
    for table in answer.tables:
        fair = f"a fair share is {100 * table.fair:.3g} %"
        lines += [
            "",
            *sentences(answer, table),
            "",
            f"Win share at {table.players} players in %, 95 % intervals; {fair}.",
            _narrow_shares(answer, table),
            _games_of_a_city(table.ladder),
            "",
            *(_gains(answer, table) if published else []),
            *(part for one in _peers(answer, table) for part in (f"{one.title}. {one.note}", one, "")),
            f"Unlocked: developments 2 / 3 / 4, in % of the same games, {_widest_unlocked(table)}.",
            unlocked_table(answer, table, ""),
            "",
            games,
            _facts(table, margins=full),
            *_better_player(table),
        ]
    if kept and not all(table.peers_of(table.strongest) for table in answer.tables):
        lines.append(NAME_PEERS)
    return lines


def page_of(answer: CitiesAnswer) -> Page:
    """The page: a section for every size of table, the first one in the headline."""
    first = answer.tables[0]
    head, detail, *_ = sentences(answer, first)
    return Page(
        kind="Cities",
        title="Cities by who plays",
        facts=[f"{', '.join(_names(first.ladder))} in every seat", *origin(answer).split(", ")],
        headline=head,
        detail=detail,
        sections=[_section(answer, table) for table in answer.tables],
    )


def _section(answer: CitiesAnswer, table: TableVerdict) -> Section:
    name = f"cities-{table.players}"
    head, detail, *notes = sentences(answer, table)
    return Section(
        id=name,
        title=f"At {table.players} players",
        lead=EACH_ALONE if table is answer.tables[0] else f"{head} {detail}",  # the headline has the first
        figures=[ladder_figure(answer, table, name, captioned=True)],
        tables=[
            shares_table(answer, table, name, "Win shares"),
            *_peers(answer, table),
            unlocked_table(answer, table, f"{name}-developments"),
            _facts(table),
        ],
        notes=[*notes, *_better_player(table)],
    )


def _peers(answer: CitiesAnswer, table: TableVerdict) -> list[Table]:
    """Win shares with players of the same kind, and how far they differ, where there are peers."""
    players = [one for one in reversed(table.ladder) if table.peers_of(one)]
    return [_alike(answer, table, one, f"-{place}" if place else "") for place, one in enumerate(players)]


def _alike(answer: CitiesAnswer, table: TableVerdict, player: SelfPlay, ending: str) -> Table:
    """Win shares with a player and its peers."""
    alike = (player, *table.peers_of(player))
    shares = [share(one.strategy, lambda city, one=one: one.cities[city].share) for one in alike]
    apart = number(
        "Apart", lambda city: table.spread(city, player), lambda found: f"{100 * found:.1f} points"
    )
    columns = [text("City", lambda city: city, answer.names), *shares, apart]
    title = f"Players like {player.strategy}, trained independently"
    note = f"Apart: highest minus lowest share. {_games_of_a_city(alike)}"
    return Table.of(f"cities-{table.players}-peers{ending}", title, table.order, columns, note=note)


def _narrow_shares(answer: CitiesAnswer, table: TableVerdict) -> Table:
    """Win shares of every city with each player, in few letters: six players fit 80 columns."""

    def shown(one: SelfPlay) -> Column:
        def share(city: str) -> Estimate:
            return one.cities[city].share

        def narrow(city: str) -> str:
            return _text(share(city), percent=True).replace(" % ± ", " ±").replace(" %", "")

        return text(one.strategy, narrow, key=lambda city: share(city).value)

    columns = [text("City", lambda city: answer.names[city]), *map(shown, table.ladder)]
    return Table.of("", "", table.order, columns)


def _gains(answer: CitiesAnswer, table: TableVerdict) -> list[str | Table]:
    """Gains of better-suited players in each city, where they are published."""
    head = "What a better-suited player could still gain in each city."
    return [part for one in gains_tables(answer, table) for part in (f"{head} {one.note}", one, "")]


def _facts(table: TableVerdict, *, margins: bool = True) -> Table:
    """Facts of the games of each player of the ladder, a row for each; without margins they are narrow."""

    def shown(found: Estimate | None, percent: bool = False) -> str:
        whole = _text(found, percent)
        return whole if margins else whole.partition(" ± ")[0].partition(" (")[0]

    facts = [one.facts for one in table.ladder]
    rows = [
        ("games", *(f"{one.games:,}" for one in table.ladder)),
        ("mean score", *(shown(one.score) for one in facts)),
        ("winner's score", *(shown(one.winning_score) for one in facts)),
        ("winner has 90 or more", *(shown(one.experienced_winners, percent=True) for one in facts)),
        ("lead over the second", *(shown(one.margin) for one in facts)),
        ("changes of the lead", *(shown(one.lead_changes) for one in facts)),
    ]
    for after in ROUNDS_SHOWN:
        if after <= len(facts[0].leader_wins):
            wins = (shown(one.leader_wins[after - 1], percent=True) for one in facts)
            rows.append((f"leader after round {after} wins", *wins))
    for place, how_many in enumerate(("few", "many")):
        wins = (shown(one.military_wins and one.military_wins[place], percent=True) for one in facts)
        rows.append((f"most military wins, {how_many} troop events", *wins))
    names = enumerate(_names(table.ladder), 1)
    columns = [
        text("", itemgetter(0)),
        *(text(one, itemgetter(place), key=rows.index) for place, one in names),
    ]
    return Table.of(f"cities-{table.players}-games", "How their games go", rows, columns)


def _text(found: Estimate | None, percent: bool = False) -> str:
    return "" if found is None else format_estimate(found, percent=percent, with_n=False)


def _names(players: Sequence[SelfPlay]) -> list[str]:
    return [one.strategy for one in players]


def _games_of_a_city(players: Sequence[SelfPlay]) -> str:
    games = {one.strategy: min(city.share.n for city in one.cities.values()) for one in players}
    return f"Games of each city: {listed([f'{name} {n:,}' for name, n in games.items()])}."


def _widest_unlocked(table: TableVerdict) -> str:
    cities = [city for one in table.ladder for city in one.cities.values()]
    widest = max(rate.margin for city in cities for rate in city.unlocked.values())
    return f"95 % intervals of at most ± {100 * widest:.1f} points"


def _better_player(table: TableVerdict) -> list[str]:
    better = table.better_player
    if better is None:
        return []
    won = format_estimate(better.share, percent=True)
    return [f"One {better.strategy} against {table.players - 1} of {better.against} wins {won}."]


Finding = Literal["confirmed", "refuted", "open"]
BALANCED = 0.03  # cities that lie no farther from the fair share count as balanced
MIDDLE = 5  # the round after which somebody leads halfway through
DECIDED, UNDECIDED = 0.75, 0.5  # a share that the leader, or the better player, wins: always so, hardly so
NOTHING = 0.02  # a difference in win share that is too small to matter
UNSTOPPABLE = 0.6  # of two-player games
BEGINNERS = 0.1  # of games that beginners win with many points, at most
MILITARY = ("sparta", "argos", "thebes")  # cities whose first development is about troops or war
USUAL, TWO = 4, 2  # players


class Claim(NamedTuple):
    """Something that people say, and the function that finds if it is so, with numbers."""

    text: str
    source: str
    players: int
    evaluate: Callable[[CitiesAnswer, TableVerdict], tuple[Finding, str]]


class EvaluatedClaim(NamedTuple):
    """A claim beside what was measured."""

    claim: Claim
    finding: Finding
    numbers: str


def claims(answer: CitiesAnswer) -> list[str | Table]:
    """All claims of people, each with its finding and the numbers for it."""
    return [
        f"What people say, beside games of the strongest player: {origin(answer)}.",
        *(
            f"{finding:<9}  {claim.text} ({claim.source}): {numbers}; {claim.players} players."
            for claim, finding, numbers in evaluated_claims(answer)
        ),
    ]


def evaluated_claims(answer: CitiesAnswer) -> list[EvaluatedClaim]:
    """All claims that the answer has the games for."""
    tables = [(claim, answer.at(claim.players)) for claim in CLAIMS]
    return [
        EvaluatedClaim(claim, *claim.evaluate(answer, table))
        for claim, table in tables
        if table is not None and set(MILITARY) <= set(table.order)
    ]


def _found(confirmed: bool, refuted: bool) -> Finding:
    return "confirmed" if confirmed else "refuted" if refuted else "open"


def _percent(estimate: Estimate) -> str:
    return format_estimate(estimate, percent=True)


def _ends(table: TableVerdict, city: str) -> tuple[float, float]:
    """Ends of what the share of a city may be, chance and players allowed for."""
    won, spread = table.strongest.cities[city].share, table.spread(city) or 0.0
    return won.low - spread, won.high + spread


def _named(answer: CitiesAnswer, table: TableVerdict, *cities: str) -> str:
    own = table.strongest.cities
    return ", ".join(f"{answer.names[city]} {_percent(own[city].share)}" for city in cities)


def _strongest_two(answer: CitiesAnswer, table: TableVerdict) -> tuple[Finding, str]:
    two = ("olympia", "sparta")
    others = [city for city in table.order if city not in two]
    numbers = f"{_named(answer, table, *two)}; best of the others: {_named(answer, table, others[0])}"
    above = min(_ends(table, city)[0] for city in two) > max(_ends(table, city)[1] for city in others)
    beaten = any(_ends(table, other)[0] > _ends(table, city)[1] for other in others for city in two)
    return _found(above, beaten), numbers


def _too_weak(city: str) -> Callable[[CitiesAnswer, TableVerdict], tuple[Finding, str]]:
    def evaluate(answer: CitiesAnswer, table: TableVerdict) -> tuple[Finding, str]:
        stands = table.strongest.cities[city].against_fair
        numbers = f"{_named(answer, table, city)}, where {100 * table.fair:.3g} % are fair"
        return _found(stands == "below", stands == "above"), numbers

    return evaluate


def _unbalanced(answer: CitiesAnswer, table: TableVerdict) -> tuple[Finding, str]:
    best, worst = table.order[0], table.order[-1]
    apart = _ends(table, best)[0] > _ends(table, worst)[1]
    away = max(abs(end - table.fair) for city in table.order for end in _ends(table, city))
    numbers = f"from {_named(answer, table, best)} to {_named(answer, table, worst)}"
    return _found(apart, away < BALANCED), numbers


def _nearly_always(won: Estimate) -> Finding:
    """Confirmed where something is nearly always so, refuted where it is hardly more often than not."""
    return _found(won.low > DECIDED, won.high < UNDECIDED)


def _no_catching_up(answer: CitiesAnswer, table: TableVerdict) -> tuple[Finding, str]:
    won = table.strongest.facts.leader_wins[MIDDLE - 1]
    return _nearly_always(won), f"the leader after round {MIDDLE} wins {_percent(won)} leads"


def _events(answer: CitiesAnswer, table: TableVerdict) -> tuple[Finding, str]:
    wins = table.strongest.facts.military_wins
    if wins is None:
        return "open", "these rules have no events that compare troops"
    few, many = wins
    value, margin = many.value - few.value, math.hypot(few.margin, many.margin)
    numbers = (
        f"the highest military level wins {_percent(many)} with many events that compare troops, "
        f"{_percent(few)} with few"
    )
    return _found(value - margin > 0, value + margin < NOTHING), numbers


def _little_luck(answer: CitiesAnswer, table: TableVerdict) -> tuple[Finding, str]:
    better = table.better_player
    if better is None:
        return "open", "a single player was measured"
    won = better.share
    who = f"one {better.strategy} against {table.players - 1} of {better.against}"
    return _nearly_always(won), f"{who} wins {_percent(won)}, where {100 * table.fair:.3g} % are fair"


def _military(answer: CitiesAnswer, table: TableVerdict) -> tuple[Finding, str]:
    lows, highs = zip(*(_ends(table, city) for city in MILITARY), strict=True)
    numbers = f"{_named(answer, table, *MILITARY)}, where 50 % are fair"
    return _found(min(lows) > UNSTOPPABLE, max(highs) < UNSTOPPABLE), numbers


def _ninety(answer: CitiesAnswer, table: TableVerdict) -> tuple[Finding, str]:
    weakest = levels_of_play(table.ladder)[0]
    ours, theirs = (one.facts.experienced_winners for one in (table.strongest, weakest))
    numbers = (
        f"{_percent(ours)} of games of {table.strongest.strategy} are won with {EXPERIENCED} points or more, "
        f"{_percent(theirs)} of {weakest.strategy}"
    )
    confirmed = ours.low > UNDECIDED and theirs.high < BEGINNERS
    return _found(confirmed, ours.high < UNDECIDED or theirs.low > UNDECIDED), numbers


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
