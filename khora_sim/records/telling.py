"""A game described in words, round by round and phase by phase, for someone who knows the board game."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from khora_sim.common.options import Setting, differing
from khora_sim.common.wording import listed
from khora_sim.engine.agenda import Task
from khora_sim.engine.ledger import SOURCES, Source
from khora_sim.engine.match import Match
from khora_sim.records.decision_words import WORDS, payment_in_words
from khora_sim.records.state import Step, members, payment_waits, ranks
from khora_sim.rules import Rules
from khora_sim.rules.describe import GAINED
from khora_sim.rules.terms import DEVELOPMENTS, MAX_CARDS, Achievement, Action, Colour, Track, word

COUNTED = ("drachmas", "citizens", "troops", "tax", "glory", "philosophy")
SOURCE_NAMES = {
    Source.EVENT: "event",
    Source.EVENT_LOWEST: "event",
    Source.TRACK_LEVEL: "level reached",
    Source.CULTURE_ACTION: "culture action",
    Source.EXPLORATION: "exploration",
    Source.GLORY: "glory x major tokens",
}


def source_name(rules: Rules, source: int) -> str:
    """Source of points, as people say it."""
    if source < MAX_CARDS:
        return rules.card_names[source]
    if source < Source.DEVELOPMENT + DEVELOPMENTS:
        return f"development {source - Source.DEVELOPMENT + 1}"
    return SOURCE_NAMES[Source(source)]


def points_by_name(rules: Rules, points: Any) -> dict[str, int]:
    """The points of one player by the name of where they came from, without the nothings."""
    by_name: dict[str, int] = {}
    for source in range(SOURCES):
        if points[source]:
            name = source_name(rules, source)
            by_name[name] = by_name.get(name, 0) + int(points[source])
    return by_name


def changes(match: Match, step: Step, seat: int) -> str:
    """All that a step changed for one player: `+3 drachmas (7), +1 VP (4: Diolkos)`; empty if nothing."""
    before, after = step.before, match.game
    parts = []
    for count in COUNTED:
        amount = int(after[count][seat]) - int(before[count][seat])
        if amount:
            parts.append(f"{amount:+d} {GAINED[count][abs(amount) != 1]} ({after[count][seat]})")
    parts += _points(match, step, seat)
    for track in Track:
        amount = int(after.level[seat, track]) - int(before.level[seat, track])
        if amount:
            parts.append(f"{amount:+d} {word(track)} ({after.level[seat, track]})")
    for size in ("minor", "major"):
        for colour in Colour:
            amount = int(after[size][seat, colour]) - int(before[size][seat, colour])
            if amount:
                parts.append(f"{amount:+d} {size} {word(colour)} ({after[size][seat, colour]})")
    if after.dice_count[seat] != before.dice_count[seat]:
        parts.append(f"rolls {after.dice_count[seat]} dice from the next round on")
    return ", ".join(parts)


def _points(match: Match, step: Step, seat: int) -> list[str]:
    amount = int(match.game.vp[seat]) - int(step.before.vp[seat])
    sources = points_by_name(match.rules, match.ledger.points[seat] - step.points[seat])
    if not sources:
        return []
    named = [f"{name} {points:+d}" if len(sources) > 1 else name for name, points in sources.items()]
    return [f"{amount:+d} VP ({match.game.vp[seat]}: {', '.join(named)})"]


def cards_drawn(match: Match, step: Step, seat: int) -> str:
    """The cards that came to a player's hand, in words; empty if none did."""
    new = int(match.game.hand[seat]) & ~int(step.before.hand[seat])
    return listed([match.rules.card_names[card] for card in members(new)])


def new_text(match: Match, step: Step, seat: int) -> str:
    """The text of the card or development that a player has now and had not before, if there is one."""
    model, game = match.rules.model, match.game
    for card in members(int(game.in_play[seat]) & ~int(step.before.in_play[seat])):
        return list(model.cards.values())[card].text or ""
    if game.development[seat] > step.before.development[seat]:
        city = list(model.cities.values())[game.city[seat]]
        return city.developments.in_order()[game.development[seat] - 1].text or ""
    return ""


@dataclass(frozen=True)
class Table:
    """A table of the story; the columns named in `right` hold numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[str]


def options_in_force(match: Match) -> str:
    """The options that are not as in the rulebook, in words, to follow the name of the rules."""
    return "".join(f", {option.in_words(on)}" for option, on in differing(int(match.game.settings)).items())


def cities(match: Match) -> list[str]:
    """The cities' names by seat."""
    return [match.rules.city_names[city] for city in match.game.city[: match.game.players]]


def state_table(match: Match) -> Table:
    """State of every player; tokens are red, blue, green."""
    game = match.game
    numbers = ("VP", "Drachmas", "Citizens", "Troops", "Tax", "Glory", "Philosophy")
    columns = ("City", *numbers, "Levels", "Minor", "Major", "Dev.")
    rows = [
        [
            city,
            *(str(game[number.lower()][seat]) for number in numbers),
            "/".join(str(game.level[seat, track]) for track in Track),
            "/".join(str(tokens) for tokens in game.minor[seat]),
            "/".join(str(tokens) for tokens in game.major[seat]),
            str(game.development[seat]),
        ]
        for seat, city in enumerate(cities(match))
    ]
    return Table(columns, rows, columns[1:])


def card_lines(match: Match) -> Iterator[tuple[str, str]]:
    """The cards of every player: who, and what is in play and in hand."""
    names = match.rules.card_names
    for seat, city in enumerate(cities(match)):
        in_play = listed([names[card] for card in members(match.game.in_play[seat])])
        hand = listed([names[card] for card in members(match.game.hand[seat])])
        yield city, f"in play {in_play or 'nothing'}; in hand {hand or 'nothing'}."


def final_table(match: Match, scoring: Step, strategies: Sequence[str]) -> Table:
    """The final scores and what they are made of."""
    columns = (
        "Place",
        "City",
        "Strategy",
        "Score",
        "Score track",
        "Cards",
        "Developments",
        "Glory",
        "Drachmas",
    )
    gained = match.ledger.points - scoring.points
    rows = [
        [
            str(rank),
            cities(match)[seat],
            strategies[seat],
            str(match.game.vp[seat]),
            str(scoring.before.vp[seat]),
            str(gained[seat, : Source.DEVELOPMENT].sum()),
            str(gained[seat, Source.DEVELOPMENT : Source.EVENT].sum()),
            str(gained[seat, Source.GLORY]),
            str(match.game.drachmas[seat]),
        ]
        for rank, seat in sorted((rank, seat) for seat, rank in enumerate(ranks(match)))
    ]
    return Table(columns, rows, ("Place", *columns[3:]))


def verdict(match: Match) -> str:
    """Sentence that names the winner."""
    best = [seat for seat, rank in enumerate(ranks(match)) if rank == 1]
    names = listed([cities(match)[seat] for seat in best])
    score = match.game.vp[best[0]]
    if len(best) > 1:
        return f"{names} share the victory with {score} VP and equal drachmas."
    tied = [seat for seat in range(match.game.players) if match.game.vp[seat] == score]
    return f"{names} wins with {score} VP{' and more drachmas' if len(tied) > 1 else ''}."


@dataclass(frozen=True)
class Line:
    """A line of the story; `level` 0 is the title, 1 a round, 2 a phase, 3 what happens."""

    text: str
    level: int = 3
    who: str = ""  # the city it is about, said first


Shown = Line | Table

ACHIEVEMENTS = {
    Achievement.VICTORY_POINTS: "victory points",
    Achievement.CITIZENS: "citizens",
    Achievement.TROOPS: "troops",
    Achievement.ECONOMY: "economy level",
    Achievement.POLITICS: "cards in play",
}


class Teller:
    """Turns the steps of one game into lines."""

    def __init__(self, match: Match, strategies: Sequence[str]):
        self._match = match
        self._cities = cities(match)
        self._strategies = strategies
        self._achieved = False

    def title(self) -> Iterator[Shown]:
        """Lines for what is played, and who sits where; before the first step."""
        match, game = self._match, self._match.game
        yield Line(f"Khôra, {game.players} players, seed {game.seed}", 0)
        yield Line(f"Rules: {match.rules.name} {match.rules.short_hash}{options_in_force(match)}.")
        for seat, (city, strategy) in enumerate(zip(self._cities, self._strategies, strict=True)):
            hand = listed([match.rules.card_names[card] for card in members(game.pack[seat])])
            yield Line(f"seat {seat + 1}, played by {strategy}. Dealt: {hand}.", who=city)
        yield Line(f"First player: {self._cities[game.first_player]}.")
        yield Line(
            "In brackets: what one has then. In tables: tokens and levels as red/blue/green, eco/cul/mil."
        )

    def tell(self, step: Step) -> Iterator[Shown]:
        """The lines of one step."""
        if step.option is not None:
            yield from self._decision(step)
        else:
            tell = getattr(self, f"_tell_{step.task.name.lower()}", self._everyone)
            yield from tell(step)

    def _everyone(self, step: Step) -> Iterator[Shown]:
        """Lines for what a step changed for each player, in turn order."""
        players = int(self._match.game.players)
        for place in range(players):
            seat = (int(self._match.game.first_player) + place) % players
            outcome = changes(self._match, step, seat)
            if outcome:
                yield Line(f"{outcome}.", who=self._cities[seat])

    def _decision(self, step: Step) -> Iterator[Shown]:
        match, seat, words = self._match, step.seat, str(step.option)
        if _goes_without_saying(step):
            return
        if step.number is None and words == WORDS[step.task].declined:
            words = WORDS[step.task].cannot or words
        parts = [changes(match, step, seat)]
        text = ""
        if step.task == Task.REROLL and words != "rerolls no die":
            parts = [_dice(match.game.dice[seat])]
        elif step.task == Task.PAY_CITIZENS:
            parts = []  # its words say what it changed
        elif step.task in (Task.PLAY_CARD, Task.DEVELOP):
            drawn = cards_drawn(match, step, seat)
            parts.append(f"draws {drawn}" if drawn else "")
            text = new_text(match, step, seat)
        outcome = ", ".join(part for part in parts if part)
        yield Line(f"{words}{': ' if outcome else ''}{outcome}. {text}".strip(), who=self._cities[seat])

    def _tell_draft(self, step: Step) -> Iterator[Shown]:
        game, names = self._match.game, self._match.rules.card_names
        ended = game.agenda[game.agenda_size - 1, 0] == Task.FIRST_DEVELOPMENTS
        if not game.settings & Setting.DRAFT:
            yield Line("No draft: everyone keeps the cards dealt.")
        elif ended:
            for seat, city in enumerate(self._cities):
                hand = listed([names[card] for card in members(game.hand[seat])])
                yield Line(f"goes into the game with {hand}.", who=city)
        elif step.value == 0:
            yield Line("Draft", 2)
        else:
            yield Line("The rest goes to the left.")

    def _tell_first_developments(self, step: Step) -> Iterator[Shown]:
        yield Line("First developments", 2)
        for seat, city in enumerate(self._cities):
            model = list(self._match.rules.model.cities.values())[self._match.game.city[seat]]
            outcome = changes(self._match, step, seat)
            yield Line(f"{model.developments.first.text} {outcome}{'.' if outcome else ''}".strip(), who=city)

    def _tell_round(self, step: Step) -> Iterator[Shown]:
        game = self._match.game
        event = list(self._match.rules.model.events.values())[game.events[game.round_number - 1]]
        yield Line(f"Round {game.round_number}", 1)
        yield Line("A. Event announced", 2)
        yield Line(f"{event.name}: {event.text}")

    def _tell_tax(self, step: Step) -> Iterator[Shown]:
        yield Line("B. Tax", 2)
        lines = list(self._everyone(step))
        yield from lines or [Line("Nobody has any tax.")]

    def _tell_roll(self, step: Step) -> Iterator[Shown]:
        yield Line("C. Dice", 2)
        for seat, city in enumerate(self._cities):
            yield Line(f"rolls {_dice(self._match.game.dice[seat])}.", who=city)

    def _tell_rolled(self, step: Step) -> Iterator[Shown]:
        game = self._match.game
        city = self._cities[game.first_player]
        if game.settings & Setting.SHARED_DICE:
            yield Line(f"First player: {city}.")
        else:
            yield Line(f"First player: {city}, with a sum of {game.dice[game.first_player].sum()}.")
        yield from self._everyone(step)

    def _tell_reveal(self, step: Step) -> Iterator[Shown]:
        """Payments without a choice; who has one decides next."""
        yield Line("The tiles are revealed.")
        game = self._match.game
        for seat, city in enumerate(self._cities):
            left, every_die = int(game.citizens[seat]), (1 << int((game.dice[seat] > 0).sum())) - 1
            paid = int(game.ready[seat])
            if payment_waits(game, seat) or (left == step.before.citizens[seat] and paid == every_die):
                continue
            yield Line(f"{payment_in_words(step.before, seat, paid, 0, left)}.", who=city)

    def _tell_actions(self, step: Step) -> Iterator[Shown]:
        if step.value == 0:
            yield Line("D. Actions", 2)

    def _tell_action(self, step: Step) -> Iterator[Shown]:
        outcome = changes(self._match, step, step.seat)
        action = Action(step.value)
        drawn = [self._match.rules.card_names[card] for card in self._match.game.drawn if card >= 0]
        if action == Action.LEGISLATION and drawn:
            outcome += f"{', ' if outcome else ''}draws {listed(drawn)}"
        end = f": {outcome}." if outcome else "."
        yield Line(f"takes the {word(action)} action ({step.value}){end}", who=self._cities[step.seat])

    def _tell_progress(self, step: Step) -> Iterator[Shown]:
        if step.value == 0:
            yield Line("E. Progress", 2)

    def _tell_event(self, step: Step) -> Iterator[Shown]:
        game = self._match.game
        name = self._match.rules.event_names[game.events[game.round_number - 1]]
        yield Line(f"F. Event: {name}", 2)
        touched = [place for place in range(game.agenda_size) if game.agenda[place, 0] == Task.EVENT_HALF]
        if not touched:
            yield Line("It took effect after the roll.")

    def _tell_event_half(self, step: Step) -> Iterator[Shown]:
        outcome = changes(self._match, step, step.seat)
        drawn = cards_drawn(self._match, step, step.seat)
        outcome = ", ".join(part for part in (outcome, f"draws {drawn}" if drawn else "") if part)
        event = list(self._match.rules.model.events.values())[
            step.before.events[step.before.round_number - 1]
        ]
        why = "" if event.scope == "all" else ("most troops: ", "least troops: ")[step.value]
        asks = self._match.game.agenda_size >= step.before.agenda_size
        if outcome or not asks:
            yield Line(f"{why}{outcome or 'nothing changes'}.", who=self._cities[step.seat])

    def _tell_end_event(self, step: Step) -> Iterator[Shown]:
        """Glory may be sold before achievements are given, so that phase G begins here."""
        yield from self._everyone(step)
        yield Line("G. Achievements", 2)

    def _tell_achievements(self, step: Step) -> Iterator[Shown]:
        if step.value == 0:
            self._achieved = False
        game, needs = self._match.game, self._match.tables[0].achievement_needs
        for achievement in Achievement:
            if game.achieved[achievement] == step.before.achieved[achievement]:
                continue
            self._achieved = True
            who = [self._cities[seat] for seat in members(game.achieved[achievement])]
            reward = "+1 tax each" if len(who) > 1 else "+1 tax or +1 glory"
            yield Line(f"{needs[achievement]} {ACHIEVEMENTS[achievement]}: {listed(who)}, {reward}.")
        over = game.agenda[game.agenda_size - 1, 0] == Task.END_ROUND
        if over and not self._achieved:
            yield Line("Nothing new.")

    def _tell_end_round(self, step: Step) -> Iterator[Shown]:
        yield Line(f"After round {step.before.round_number}", 2)
        yield state_table(self._match)
        yield from (Line(text, who=who) for who, text in card_lines(self._match))

    def _tell_final_scoring(self, step: Step) -> Iterator[Shown]:
        yield Line("Final scoring", 1)
        for seat, city in enumerate(self._cities):
            gained = points_by_name(self._match.rules, self._match.ledger.points[seat] - step.points[seat])
            outcome = listed([f"{points} from {name}" for name, points in gained.items()]) or "nothing more"
            yield Line(
                f"{step.before.vp[seat]} VP on the score track, {outcome}: {self._match.game.vp[seat]}.",
                who=city,
            )
        yield final_table(self._match, step, self._strategies)
        yield Line(verdict(self._match))


def _goes_without_saying(step: Step) -> bool:
    """Tell if a decision is chance, or an only option that is described elsewhere or not worth a word."""
    if step.number is not None:
        return False
    if step.task == Task.CLIMB:
        return bool(step.before.climbed[step.seat] > 0)
    return step.task in (Task.TELL_DICE, Task.PICK_CARD, Task.REROLL, Task.SELL_GLORY)


def _dice(dice: Sequence[int]) -> str:
    return " ".join(str(pips) for pips in dice if pips > 0)
