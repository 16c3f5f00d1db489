"""Grading: a strategy decides at every decision of a panel; its grade is what its choices lose.

It sees what a player sees in a game, and decides in the same way. It has not seen the game before: a strategy
that keeps notes from one decision to the next begins without any.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import InstanceOf, model_serializer

from khora_sim.analyses.analysis import Examined
from khora_sim.analyses.grade.panel import SURE, Frozen, Panel, read_panel
from khora_sim.common.command_options import SHOW, Command, Flag, Options
from khora_sim.common.progress import Progress
from khora_sim.common.wording import counted, listed
from khora_sim.engine.match import Match
from khora_sim.engine.record import SEATS
from khora_sim.errors import printable
from khora_sim.pages.table import Table, count, grid, number, text
from khora_sim.records.decision_words import KINDS, options_in_words
from khora_sim.records.state import members
from khora_sim.records.telling import Table as State
from khora_sim.records.telling import cities, state_table
from khora_sim.rules import Rules, load_rules
from khora_sim.simulation.result import Result
from khora_sim.stats import Estimate, format_estimate, mean_interval, wilson
from khora_sim.strategy import load
from khora_sim.strategy.contract import Strategy, StrategyError
from khora_sim.strategy.table import Refused, SeatedPlayers

FEW = 3  # decisions that a part needs to be named among the costliest
POINTS = 100  # percentage points in 1
BEST = "Best option, or not distinguishable from it"
KEYS = ("kind", "round", "city", "players")  # that losses are summed by


class GradeOptions(Options):
    """Losses are in percentage points of win chance.

    What the options are worth was found when the panel was made: by deep search, or by asking a teacher.
    """

    command = "strategies grade"

    strategy: Examined
    panel: Annotated[Path | None, Flag("Another panel.", metavar="FILE", default="the built-in one")] = None
    decision: Annotated[
        int | None, Flag("Show one decision of the panel in full instead.", SHOW, metavar="N")
    ] = None


class Answer(NamedTuple):
    """The choice of a strategy at one decision, and what it loses."""

    number: int  # of the decision, from 1
    kind: str
    round: int  # 0 is the draft
    city: str
    seat: int  # from 1
    players: int
    chosen: str  # in words
    best: str
    loss: float  # percentage points of win chance
    behind: float  # the best option's value minus that of the choice, by all worlds
    error: float  # standard error of `behind`

    @property
    def surely_worse(self) -> bool:
        """True if it is worse than the best option by more than chance in the search."""
        return self.behind > SURE * self.error


class Part(NamedTuple):
    """Loss of a strategy at some of the decisions."""

    loss: Estimate  # percentage points of win chance a decision
    best: Estimate  # share of choices that are the best option, or not distinguishable from it

    def data(self) -> dict[str, Any]:
        """For a script; one decision has no interval."""
        numbers = {"n": self.loss.n, "loss": self.loss.value, "best": self.best.value}
        ends = {"low": self.loss.low, "high": self.loss.high}
        return numbers | {key: one if np.isfinite(one) else None for key, one in ends.items()}


class Grade(Result):
    """Losses of a strategy at the decisions of a panel."""

    strategy: str
    panel: InstanceOf[Panel]
    rules: InstanceOf[Rules]
    answers: tuple[Answer, ...]

    @property
    def whole(self) -> Part:
        """All decisions."""
        return _part(self.answers)

    def by(self, *keys: str) -> dict[Any, Part]:
        """Losses by `kind`, `round`, `city`, `players` or several of them, in order."""
        groups: dict[Any, list[Answer]] = {}
        for answer in self.answers:
            values = tuple(getattr(answer, key) for key in keys)
            groups.setdefault(values if len(keys) > 1 else values[0], []).append(answer)
        return {key: _part(groups[key]) for key in sorted(groups)}

    def costliest(self, count: int = 5) -> list[tuple[tuple[str, str], Part]]:
        """The kinds of decision by city in which it surely loses most, by the lower end of the interval."""
        parts = self.by("kind", "city").items()
        known = [(key, part) for key, part in parts if part.loss.n >= FEW and part.loss.low > 0]
        return sorted(known, key=lambda one: -one[1].loss.low)[:count]

    def worst(self, count: int = 5) -> list[Answer]:
        """The decisions at which it loses most, of those where chance in the search does not explain it."""
        return sorted((one for one in self.answers if one.surely_worse), key=lambda one: -one.loss)[:count]

    @model_serializer
    def _summed(self) -> dict[str, Any]:
        return {
            "strategy": self.strategy,
            "panel": {"file": self.panel.name, "digest": self.panel.digest, **self.panel.origin},
            **self.whole.data(),
            **{f"by_{key}": _rows(self.by(key), key) for key in KEYS},
            "by_kind_and_city": _rows(self.by("kind", "city"), "kind", "city"),
            "answers": [one._asdict() for one in self.answers],
        }


def _rows(parts: dict[Any, Part], *keys: str) -> list[dict[str, Any]]:
    return [
        {**dict(zip(keys, key if len(keys) > 1 else (key,), strict=True)), **part.data()}
        for key, part in parts.items()
    ]


def _part(answers: Sequence[Answer]) -> Part:
    best = sum(not one.surely_worse for one in answers)
    return Part(mean_interval([one.loss for one in answers]), wilson(best, len(answers)))


class Valued(NamedTuple):
    """An option in words, with its value in percent and percentage points."""

    option: str
    win_chance: float
    behind: float  # the best option
    error: float  # standard error of that


@dataclass(frozen=True)
class ShownDecision:
    """A decision as its player sees it, and the choice of a strategy."""

    strategy: str
    panel: str
    seed: int
    city: str  # its name
    answer: Answer
    state: State
    cards: tuple[str, ...]  # lines
    options: tuple[Valued, ...]  # from the best

    def data(self) -> dict[str, Any]:
        """The decision for a script."""
        options = [one._asdict() for one in self.options]
        return {"strategy": self.strategy, "seed": self.seed, **self.answer._asdict(), "options": options}


class GradeCommand(Command):
    """Grades a strategy, or shows one decision."""

    Options = GradeOptions

    def make(self, options: GradeOptions, progress: Progress) -> Grade | ShownDecision:
        """Let the strategy decide."""
        panel, rules = read_panel(options.panel), load_rules()
        panel.check(rules, options.decision)
        strategy = load(options.strategy)
        if options.decision is not None:
            return show_decision(strategy, panel, rules, options.decision)
        progress.begin(strategy.name, len(panel.decisions), unit="decisions")
        answers: list[Answer] = []
        players: SeatedPlayers | None = None
        for place, decision, match in panel.matches(rules):
            players = players or ready(strategy, match)
            answers.append(answer_at(players, place, decision, match, panel))
            progress.advance(1)
        if players is not None:
            players.table.check_untouched()
        return Grade(strategy=strategy.name, panel=panel, rules=rules, answers=tuple(answers))

    def brief(self, result: Grade | ShownDecision, *, full: bool = False) -> Sequence[str | Table]:
        """The loss, its parts and the worst decisions; or one decision in full."""
        return list(_of_grade(result) if isinstance(result, Grade) else _of_decision(result))


def ready(strategy: Strategy, match: Match) -> SeatedPlayers:
    """A strategy in all seats, ready for any decision under the rules of a game."""
    return SeatedPlayers(match, [strategy] * SEATS)


def answer_at(players: SeatedPlayers, number: int, decision: Frozen, match: Match, panel: Panel) -> Answer:
    """The choice of the strategy in the deciding seat at a decision."""
    seat, name = match.seat, players.table.strategies[0].name
    kind = KINDS[match.task]
    where = f"deciding {kind} at decision {number} of {panel.name}"
    see = f"see it with: {showing(name, panel, number)}"
    players.forget()
    try:
        chosen = players.answer(match, decision.options, lambda: f"{name}: gave no answer, {where}; {see}")
    except Refused as problem:
        raise StrategyError(f"{name}: {problem}, {where}; {see}") from problem.__cause__
    words = options_in_words(match, decision.options)
    place, best, values = decision.options.index(chosen), int(decision.values.argmax()), decision.values
    return Answer(
        number,
        kind,
        int(match.game.round_number),
        match.rules.city_ids[match.game.city[seat]],
        seat + 1,
        decision.players,
        words[place],
        words[best],
        round(POINTS * float(decision.losses[place]), 3),
        round(POINTS * float(values[best] - values[place]), 3),
        round(POINTS * float(decision.errors[place]), 3),
    )


def showing(strategy: str, panel: Panel, number: int) -> str:
    """The command that shows a decision."""
    return GradeOptions(strategy=strategy, panel=panel.path, decision=number).typed()


def show_decision(strategy: Strategy, panel: Panel, rules: Rules, number: int) -> ShownDecision:
    """A decision of a panel, by its number from 1."""
    ((_, decision, match),) = panel.matches(rules, number)
    answer = answer_at(ready(strategy, match), number, decision, match, panel)
    words = options_in_words(match, decision.options)
    values = np.column_stack([decision.values, decision.values.max() - decision.values, decision.errors])
    options = [Valued(option, *(POINTS * row).tolist()) for option, row in zip(words, values, strict=True)]
    return ShownDecision(
        strategy.name,
        panel.name,
        decision.seed,
        cities(match)[match.seat],
        answer,
        state_table(match),
        tuple(_cards(match)),
        tuple(sorted(options, key=lambda one: -one.win_chance)),
    )


def _cards(match: Match) -> Iterator[str]:
    """The event and everybody's cards, as far as the player knows them."""
    game, names = match.game, match.rules.card_names
    if game.round_number:
        yield f"Event: {match.rules.event_names[game.events[game.round_number - 1]]}"
    for seat, city in enumerate(cities(match)):
        in_play = listed([names[card] for card in members(game.in_play[seat])])
        hand = [names[card] for card in members(game.hand[seat])]
        known = listed(hand) if seat == match.seat else counted(len(hand), "card") if hand else ""
        yield f"{city}: in play {in_play or 'nothing'}; in hand {known or 'nothing'}"


def _of_grade(found: Grade) -> Iterator[str | Table]:
    """The loss, then its parts and the worst decisions."""
    whole = found.whole
    cities = dict(zip(found.rules.city_ids, found.rules.city_names, strict=True))
    where = f"{whole.loss.n:,} decisions of {found.panel.name}"
    how = f"valued by {found.panel.valued_by}"
    yield printable(f"{found.strategy} at {where}, {how}; with 95 % intervals.")
    yield f"Loss: {_points(whole.loss)} percentage points of win chance a decision."
    share = format_estimate(whole.best, percent=True, with_n=False)
    best = "The teacher's best option" if found.panel.is_taught else BEST
    yield f"{best}: {share} of the choices."
    often = found.panel.origin["decisions_a_game"]
    for title, names in (("Kind", {}), ("City", cities), ("Round", {0: "draft"}), ("Players", {})):
        yield ""
        yield _parts(title, found.by(title.lower()), names, often if title == "Kind" else None)
    yield from _costliest(found, cities)
    yield from _worst(found, cities)


def _parts(
    title: str, parts: Mapping[Any, Part], names: Mapping[Any, str], often: Mapping[str, float] | None
) -> Table:
    """Losses by one thing; `often` is how many such decisions a player has in a game."""
    columns = [text(title, itemgetter(0), names), count("n", lambda row: row[1].loss.n)]
    if often is not None:
        columns.append(number("A game", lambda row: often.get(row[0], 0), ".2f"))
    columns.append(number("Loss", lambda row: row[1].loss, _points))
    columns.append(number("Best", lambda row: 100 * row[1].best.value, lambda value: f"{value:.0f} %"))
    return Table.of("", "", parts.items(), columns)


def _costliest(found: Grade, cities: Mapping[str, str]) -> Iterator[str]:
    costly = found.costliest()
    yield f"\nCostliest by kind and city{':' if costly else ': none whose loss is surely more than 0.'}"
    for (kind, city), part in costly:
        yield f"  {kind} in {cities[city]}: {_points(part.loss)}, n {part.loss.n}"


def _worst(found: Grade, cities: Mapping[str, str]) -> Iterator[str]:
    worst = found.worst()
    yield f"\nWorst decisions{':' if worst else ': none that is surely worse than the best.'}"
    for one in worst:
        when = f"round {one.round}" if one.round else "draft"
        yield f"  {one.number}: {when}, {cities[one.city]}, {one.players} players, {one.kind}"
        error = f" (standard error {one.error:.1f})" if one.error else ""
        yield f"    {one.chosen}, instead of: {one.best}; loses {one.loss:.1f}{error}"
    if worst:
        yield f"See one with: {showing(found.strategy, found.panel, worst[0].number)}"


def _of_decision(shown: ShownDecision) -> Iterator[str | Table]:
    """The state of the game, the cards, and every option."""
    answer = shown.answer
    when = f"round {answer.round}" if answer.round else "draft"
    who = f"{shown.city}, seat {answer.seat} of {answer.players}, {when}"
    yield f"Decision {answer.number} of {shown.panel}: {answer.kind}, {who}, seed {shown.seed}.\n"
    yield grid(shown.state.columns, shown.state.rows, right=shown.state.right)
    yield ""
    yield from shown.cards
    yield ""
    columns = [
        text("Option", "option"),
        number("Win chance, %", "win_chance", ".1f"),
        number("Behind the best", "behind", ".1f"),
        *([number("Standard error", "error", ".1f")] if any(one.error for one in shown.options) else []),
        text("Chosen by", lambda one: shown.strategy if one.option == answer.chosen else ""),
    ]
    yield Table.of("", "", shown.options, columns)


def _points(loss: Estimate) -> str:
    """A loss in percentage points, with its interval where there is one."""
    if loss.margin == 0 or loss.n < 2:
        return f"{loss.value:.2g}"
    return format_estimate(loss, with_n=False)


COMMAND = GradeCommand()
