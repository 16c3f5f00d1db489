"""Answers about the cities that come with khora: their form, their words, and the published files.

`khora cities` measures the verdict along a ladder of players, and `khora strategies exploit` the gains of
better-suited players. One answer of each took long to measure and comes with the package; reports quote it.
It is a file that says where it comes from: rules, players with their digests, seed, games, khora's version.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import (
    PlainSerializer,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from khora_sim.common.checking import checked
from khora_sim.common.files import read_json
from khora_sim.common.options import as_arguments, differing, settings_of
from khora_sim.common.wording import RARE, listed
from khora_sim.errors import UserError
from khora_sim.pages.table import Table, count, number, share, text
from khora_sim.pages.wording import POINTS, percent
from khora_sim.rules import Rules
from khora_sim.simulation.result import EstimateJson, Result, RulesPlayed
from khora_sim.stats import Estimate, format_estimate

if TYPE_CHECKING:
    from khora_sim.simulation.manifest import Manifest

DATA = Path(__file__).parent / "data"
CONTROL = "control"  # the family of players that have no plan
Against = Literal["above", "below", "open"]  # of the fair share, or not distinguishable from it
STRONG, WEAK, OPEN = "strong at all levels", "weak at all levels", "order not settled"
IN_STRONG_HANDS, WEAK_IN_STRONG_HANDS = "strong in strong hands", "weak in strong hands"
FOR_BEGINNERS = "strong for beginners only"
ABOVE, BELOW = "above its fair share", "below its fair share"
ORDER = (ABOVE, STRONG, IN_STRONG_HANDS, FOR_BEGINNERS, WEAK_IN_STRONG_HANDS, WEAK, BELOW, OPEN)
FOLLOWS = ("gains", "sentences")  # from the numbers of a city: written for scripts, not read back
FAR = 0.05  # of the win rate: more than that is another answer about a city
LITTLE = 0.02  # of the win share: who cannot gain more does not gain
#: Kinds of challengers.
SEARCH, FORCE, TUNED, LEARNED, NAMED = "search", "force", "tuned", "learned", "named"
MADE = (TUNED, LEARNED)  # for the city alone
#: Challengers in words, by kind.
KINDS = {
    SEARCH: "search players that build on other players or look into more possible worlds",
    FORCE: "the same player with something forced upon it that it seldom does",
    TUNED: "weights tuned for the city",
    LEARNED: "a value learned for the city",
    NAMED: "other players of its kind",
}


class CityShare(Result):
    """A city with one strategy."""

    share: EstimateJson  # of its games that it won
    p_holm: float | None  # against the fair share; None for a peer, which is not tested
    against_fair: Against
    unlocked: dict[int, EstimateJson]  # share of its games in which development 2, 3 and 4 were unlocked


class GameFacts(Result):
    """Scores, margins and leads in the games of one strategy."""

    score: EstimateJson
    winning_score: EstimateJson
    experienced_winners: EstimateJson  # share of games that are won with 90 points or more
    margin: EstimateJson  # points between first and second
    lead_changes: EstimateJson
    leader_wins: tuple[EstimateJson, ...]  # share of those who lead after round 1, 2, … that win
    # Share of those with the highest military level that win, in games with few and with many events that
    # compare troops; None where the rules have no such events.
    military_wins: tuple[EstimateJson, EstimateJson] | None


class SelfPlay(Result):
    """One player in every seat of tables of one size."""

    strategy: str
    digest: str
    family: str
    games: int
    cities: dict[str, CityShare]
    facts: GameFacts


class BetterPlayer(Result):
    """Win share of one of the strongest strategy among the next one: skill against luck."""

    strategy: str
    against: str
    share: EstimateJson


class TableVerdict(Result):
    """The cities at tables of one size: along the ladder, and with other players of the same kinds."""

    players: int
    ladder: tuple[SelfPlay, ...]  # weakest first
    peers: tuple[SelfPlay, ...]  # trained independently of a player of the ladder, in the same way
    words: dict[str, str]  # by city
    better_player: BetterPlayer | None = None  # None where the ladder has a single level of play

    @property
    def fair(self) -> float:
        """The share that chance alone gives."""
        return 1 / self.players

    @property
    def strongest(self) -> SelfPlay:
        """The last player of the ladder."""
        return self.ladder[-1]

    @property
    def order(self) -> list[str]:
        """The cities by their shares with the strongest player."""
        cities = self.strongest.cities
        return sorted(cities, key=lambda city: -max(0.0, cities[city].share.value))

    def peers_of(self, player: SelfPlay) -> tuple[SelfPlay, ...]:
        """The peers of a player of the ladder."""
        mine = peers_by_player([one.strategy for one in self.ladder], [one.strategy for one in self.peers])[
            player.strategy
        ]
        return tuple(one for one in self.peers if one.strategy in mine)

    def between_players(self, city: str, player: SelfPlay | None = None) -> tuple[float, float] | None:
        """The lowest and the highest share of a city among a player, usually the strongest, and its peers."""
        player = player or self.strongest
        peers = self.peers_of(player)
        if not peers:
            return None
        shares = [one.cities[city].share.value for one in (player, *peers)]
        return min(shares), max(shares)

    def spread(self, city: str, player: SelfPlay | None = None) -> float | None:
        """The distance of these shares; None where there are no peers, and nobody knows."""
        ends = self.between_players(city, player)
        return None if ends is None else ends[1] - ends[0]


class CitiesAnswer(Result):
    """The answer, with where it comes from."""

    format: Literal[1] = 1
    khora: str
    rules: RulesPlayed
    seed: int
    games: int | None  # asked for, of each player at each size of table
    precision: float | None  # asked for, in percentage points
    names: dict[str, str]  # of the cities, by their ids
    tables: tuple[TableVerdict, ...]

    def at(self, players: int) -> TableVerdict | None:
        """The verdict at tables of one size, if there is one."""
        return next((table for table in self.tables if table.players == players), None)


def peers_by_player(ladder: Sequence[str], peers: Sequence[str]) -> dict[str, list[str]]:
    """The peers of each player of a ladder: `adept:learned=FILE` is one of `adept`.

    Where nobody of that name is on the ladder, it is a peer of the strongest.
    """
    known = {name.partition(":")[0]: name for name in ladder}
    found: dict[str, list[str]] = {name: [] for name in ladder}
    for peer in peers:
        found[known.get(peer.partition(":")[0], ladder[-1])].append(peer)
    return found


def levels_of_play(ladder: Sequence[SelfPlay]) -> list[SelfPlay]:
    """The players whose shares are judged: all but controls, unless there are only such."""
    return [one for one in ladder if one.family != CONTROL] or list(ladder)


def hardly_ever(city: CityShare) -> int | None:
    """The first development that a player hardly ever unlocks in a city."""
    rare = [place for place, rate in city.unlocked.items() if rate.high < RARE]
    return min(rare, default=None)


def headline(answer: CitiesAnswer, table: TableVerdict) -> str:
    """`At 4 players, from merchant to sage: Olympia is strong at all levels, …`."""
    levels = levels_of_play(table.ladder)
    first, last = levels[0].strategy, levels[-1].strategy
    alone, several = f"with {first} in every seat", f"from {first} to {last}, each among its own kind"
    head = f"At {table.players} players, {alone if len(levels) == 1 else several}"
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
    """The strongest player's shares, from the best city to the worst."""
    cities = table.strongest.cities
    best, worst = (
        f"{format_estimate(cities[city].share, percent=True)} ({answer.names[city]})"
        for city in (table.order[0], table.order[-1])
    )
    return f"With {table.strongest.strategy}, at the top of this ladder, shares run from {best} to {worst}."


def uncertainty_sentence(answer: CitiesAnswer, table: TableVerdict) -> str:
    """The difference that another player of the strongest kind would make to the verdict."""
    name = table.strongest.strategy
    if not table.peers_of(table.strongest):
        return (
            f"How far another player as strong as {name} would change this is unknown: the intervals know "
            "chance only."
        )
    count, spread, worst = _most_apart(table, table.strongest)
    sentence = (
        f"{count} players of the kind of {name}, trained independently, differ by up to "
        f"{100 * spread:.1f} points of win share, most with {answer.names[worst]}: that is how far to trust "
        "it."
    )
    for one in table.ladder[:-1]:
        count, spread, worst = _most_apart(table, one)
        if count > 1:
            most = f"{100 * spread:.1f} points, most with {answer.names[worst]}"
            sentence += f" {count} players like {one.strategy} differ by up to {most}."
    return sentence


def _most_apart(table: TableVerdict, player: SelfPlay) -> tuple[int, float, str]:
    """The number of players like this one, how far they differ, and the city in which they differ most."""
    spread, worst = max((table.spread(city, player) or 0.0, city) for city in reversed(table.order))
    return len(table.peers_of(player)) + 1, spread, worst


def never_sentence(answer: CitiesAnswer, table: TableVerdict) -> str:
    """Developments that players hardly ever unlock: their shares do not know what these would win."""
    clauses = []
    for one in levels_of_play(table.ladder):
        rare = {city: hardly_ever(one.cities[city]) for city in table.order}
        left = [f"{answer.names[city]} {place}" for city, place in rare.items() if place is not None]
        if left:
            clauses.append(f"by {one.strategy}, {listed(left)}")
    if not clauses:
        return ""
    return (
        f"Developments hardly ever unlocked (in less than {percent(RARE, 0)} of games): "
        f"{'; '.join(clauses)}. These shares do not say what the cities would win with them."
    )


def sentences(answer: CitiesAnswer, table: TableVerdict) -> list[str]:
    """The verdict at one size of table in words, the headline first."""
    found = [
        headline(answer, table),
        range_sentence(answer, table),
        uncertainty_sentence(answer, table),
        never_sentence(answer, table),
    ]
    return [one for one in found if one]


def read_answer(path: Path) -> CitiesAnswer:
    """An answer from a file."""
    return checked(CitiesAnswer, read_json(path, "an answer about cities in JSON"), str(path))


@cache
def published() -> CitiesAnswer:
    """The answer that comes with this version."""
    path = DATA / "cities.json"
    if not path.is_file():
        raise UserError(
            "this installation has no published verdict (pages/data/cities.json); install khora again"
        )
    return read_answer(path)


def published_at(sizes: tuple[int, ...]) -> CitiesAnswer:
    """The published answer at some sizes of table; all of it where none is named."""
    answer = published()
    known = [table.players for table in answer.tables]
    for size in sizes:
        if size not in known:
            there = ", ".join(map(str, known))
            raise UserError(f"--players {size}: published are tables of {there}; leave --published out")
    tables = tuple(table for table in answer.tables if not sizes or table.players in sizes)
    return answer.model_copy(update={"tables": tables})


def published_for(rules_hash: str, rules_version: str) -> CitiesAnswer | None:
    """The published answer, if it is about these rules."""
    answer = published()
    same = (answer.rules.hash, answer.rules.version) == (rules_hash, rules_version)
    return answer if same else None


def in_stronger_hands(
    rules: Rules | RulesPlayed, players: int, strategies: Sequence[str], rates: Mapping[str, float]
) -> list[str]:
    """A caveat on cities whose win rate in the base game lies far from the strongest published player's.

    `rates` are those of the cities that an answer speaks of, where these strategies play. There is no caveat
    for several strategies at a table, for rules without a published verdict, and for the strongest itself.
    """
    answer = published_for(rules.hash, rules.version)
    table = None if answer is None else answer.at(players)
    if answer is None or table is None or len(set(strategies)) != 1:
        return []
    who, strongest = strategies[0], table.strongest
    known = {city: one.share.value for city, one in strongest.cities.items() if city in rates}
    apart = {city: abs(rates[city] - value) for city, value in known.items()}
    far = sorted((city for city in apart if apart[city] > FAR + 1e-9), key=lambda city: -apart[city])
    if who == strongest.strategy or not far:
        return []
    names = [answer.names[city] for city in far]
    own, theirs = ([percent(by_city[city], 0) for city in far] for by_city in (rates, known))
    pairs = [f"{name}: {one} and {two}" for name, one, two in zip(names, own, theirs, strict=True)]
    others = f" ({'; '.join(pairs[1:])})" if len(far) > 1 else ""
    return [
        f"With {who} {names[0]} wins {own[0]} of its base games; with {strongest.strategy}, the strongest "
        f"published player, {theirs[0]}{others}. What this answer says of {listed(names)} may not hold in "
        "stronger hands."
    ]


def study_in_stronger_hands(
    manifest: "Manifest", players: int, strategies: Sequence[str], rates: Mapping[str, float]
) -> list[str]:
    """The same caveat for a study; published are all cities, without special options of the game."""
    plan, played = manifest.plan, manifest.rules
    if not isinstance(plan.cities, str) or differing(settings_of(**as_arguments(plan))):
        return []
    rules = RulesPlayed(name=played.name, hash=played.hash, version=played.version)
    return in_stronger_hands(rules, players, strategies, rates)


def origin(answer: CitiesAnswer) -> str:
    """The origin of an answer, for a citation."""
    how = f"to ± {answer.precision:g} points" if answer.precision else f"{answer.games:,} games a player"
    return (
        f"rules {answer.rules.name} {answer.rules.hash[:12]} (version {answer.rules.version}), "
        f"khora {answer.khora}, seed {answer.seed}, {how}"
    )


class Challenger(NamedTuple):
    """Somebody who plays the city in the place of the strategy that is looked at."""

    kind: str  # search, force, tuned, learned or named
    label: str  # in words
    spec: str  # as it can be typed


Named = Annotated[Challenger, PlainSerializer(Challenger._asdict)]


class Tried(Result):
    """A challenger, and its gain on choosing seeds in the last screening that it came to."""

    challenger: Named
    gain: EstimateJson

    @property
    def sentence(self) -> str:
        """The result of forcing something, in words."""
        what, gain = self.challenger.label, self.gain
        if gain.high < 0:
            return f"{what} loses {in_points(gain, turned=True)}: rightly left"
        if gain.low > 0:
            return f"{what} gains {in_points(gain)}: wrongly left"
        return f"{what} changes {in_points(gain, signed=True)}: not distinguishable from leaving it"


class Skipped(Result):
    """Something that was not tried, and why."""

    what: str
    why: str


class CityAnswer(Result):
    """The gain of a better-suited player in one city against a table of the strategy."""

    city: str
    name: str
    share: EstimateJson  # that the strategy itself wins there, on judging seeds
    best: Named
    gain: EstimateJson  # of the best challenger, on judging seeds
    tried: tuple[Tried, ...]  # best first
    skipped: tuple[Skipped, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _without_what_follows(cls, found: Any) -> Any:
        if not isinstance(found, dict):
            return found
        return {name: value for name, value in found.items() if name not in FOLLOWS}

    @model_serializer(mode="wrap")
    def _with_what_follows(self, serialized: SerializerFunctionWrapHandler) -> dict[str, Any]:
        sentences = [self.sentence, *self.forced_sentences]
        return {**serialized(self), "gains": self.gains, "sentences": sentences}

    @property
    def gains(self) -> bool:
        """True if the best challenger certainly gains."""
        return self.gain.low > 0

    @property
    def sentence(self) -> str:
        """The answer in words."""
        if self.gains:
            return f"{self.name} could still rise by {in_points(self.gain)}: {self.best.label}."
        best = f"The best, {self.best.label}, changes {in_points(self.gain, signed=True)}"
        if self.gain.high <= LITTLE:
            return f"{self.name}: nothing that was tried gains. {best}."
        most = f"it may be worth up to {100 * self.gain.high:.1f}, more games tell"
        return f"{self.name}: no gain is shown. {best}: {most}."

    def clause(self, strategy: str) -> str:
        """The answer in words that follow the city's name, with the player that does best."""
        best = _player(self.best, strategy)
        if self.gains:
            gained = short_points(self.gain, signed=False)
            return f"could still rise by {gained} {POINTS} ({best}; n {self.gain.n:,})"
        head = "nothing that was tried gains" if self.gain.high <= LITTLE else "no gain is shown"
        return f"{head} (best: {best}, {short_points(self.gain)} {POINTS}; n {self.gain.n:,})"

    @property
    def forced_sentences(self) -> list[str]:
        """The results of each thing that was forced."""
        return [f"{self.name}: {one.sentence}." for one in self.tried if one.challenger.kind == FORCE]


class Exploit(Result):
    """The gains of better-suited players against a table of a strategy, city by city."""

    format: Literal[1] = 1
    khora: str
    rules: RulesPlayed
    strategy: str
    digest: str  # of the strategy
    players: int
    games: int  # that a gain was confirmed with
    budget: str | None = None  # of training in each city, as typed
    seed: int
    cities: tuple[CityAnswer, ...]

    @property
    def sentences(self) -> list[str]:
        """The answers in words."""
        return [sentence for city in self.cities for sentence in (city.sentence, *city.forced_sentences)]


def read_exploit(path: Path) -> Exploit:
    """An answer from a file."""
    return checked(Exploit, read_json(path, "an answer about better-suited players in JSON"), str(path))


def _player(challenger: Challenger, strategy: str) -> str:
    """A challenger, for somebody who does not know the search: `sage:base=merchant`."""
    if challenger.kind == SEARCH:
        return challenger.spec
    return f"{strategy} {challenger.label}" if challenger.kind == FORCE else challenger.label


def in_points(estimate: Estimate, *, signed: bool = False, turned: bool = False) -> str:
    """A difference of shares in percentage points; `turned` writes a loss without its sign."""
    if turned:
        estimate = Estimate(-estimate.value, -estimate.high, -estimate.low, estimate.n)
    return f"{short_points(estimate, signed=signed)} {POINTS} (n {estimate.n:,})"


def short_points(estimate: Estimate, *, signed: bool = True) -> str:
    """A difference of shares as a number of percentage points."""
    scaled = Estimate(100 * estimate.value, 100 * estimate.low, 100 * estimate.high, estimate.n)
    return format_estimate(scaled, signed=signed, with_n=False)


@cache
def published_exploit() -> Exploit | None:
    """The answer that comes with this version, if there is one."""
    path = DATA / "exploit.json"
    return read_exploit(path) if path.is_file() else None


def exploit_for(answer: CitiesAnswer, table: TableVerdict) -> Exploit | None:
    """The published answer, if it is about the rules, the size and the strongest player of a verdict."""
    found = published_exploit()
    if found is None or found.players != table.players:
        return None
    if (found.rules.hash, found.rules.version) != (answer.rules.hash, answer.rules.version):
        return None
    return found if found.digest == table.strongest.digest else None


def clauses(found: Exploit, table: TableVerdict) -> dict[str, str]:
    """The gains in each city that was looked at, in words, in the order of a verdict."""
    known = {answer.city: answer for answer in found.cities}
    return {city: known[city].clause(found.strategy) for city in table.order if city in known}


def who_tried(found: Exploit) -> str:
    """The players whom these words are about, and how far to trust them."""
    kinds = {tried.challenger.kind for answer in found.cities for tried in answer.tried}
    trained = f" (--budget {found.budget})" if found.budget else ""
    others = listed(
        [f"{words}{trained if kind in MADE else ''}" for kind, words in KINDS.items() if kind in kinds]
    )
    name = found.strategy
    return (
        f"At tables of {found.players}, all {name}, others took the city: {others}. The best of them is "
        f"named, and was confirmed with {found.games:,} games on fresh luck against {name} itself on the "
        "same luck; 95 % intervals. This is a lower bound: what nobody tried may gain more. "
        f"From khora {found.khora}, seed {found.seed}."
    )


def brief(found: Exploit) -> Iterator[str | Table]:
    """The answer as the terminal prints it."""
    yield (
        f"Others in one city against a table of {found.strategy}: {found.players} players, "
        f"seed {found.seed}; gains in percentage points of the win share, with 95 % intervals."
    )
    columns = [
        text("City", "name"),
        share("Own share", "share"),
        text("Best challenger", lambda one: one.best.label),
        number("Gain", "gain", short_points),
        count("n", lambda one: one.gain.n),
    ]
    yield Table.of("exploit", "Gains in each city", found.cities, columns)
    rates = {answer.city: answer.share.value for answer in found.cities}
    yield from in_stronger_hands(found.rules, found.players, (found.strategy,), rates)
    for answer in found.cities:
        yield f"\n{answer.sentence}"
        yield from (f"  {sentence}" for sentence in answer.forced_sentences)
        if answer.best.spec:
            yield f"  Typed as: {answer.best.spec}"
        tried = (
            f"{one.challenger.label} {short_points(one.gain)} (n {one.gain.n:,})" for one in answer.tried
        )
        yield f"  Screened: {'; '.join(tried)}"
        yield from (f"  Not tried: {skipped.what} ({skipped.why})" for skipped in answer.skipped)
