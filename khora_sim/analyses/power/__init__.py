"""Measure what things are worth: the same games with a thing and without it, on the same dice and deals.

Every set of cities is played equally often, the cities moving around the table.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from khora_sim import __version__
from khora_sim.analyses.analysis import (
    NORMAL,
    SLACK,
    Analysis,
    AnalysisOptions,
    Games,
    Precision,
    Run,
    Strategies,
)
from khora_sim.analyses.power.counts import Counts, Parts, judged, sides_of, things_of
from khora_sim.analyses.power.worth import KINDS, Power, ways_of
from khora_sim.common.command_options import Flag
from khora_sim.errors import UserError, nearest
from khora_sim.rules import Rules, load_rules
from khora_sim.simulation.experiment import CHUNKS, Design, city_choices
from khora_sim.simulation.result import RulesPlayed
from khora_sim.simulation.run import Until
from khora_sim.simulation.sinks import Sink
from khora_sim.simulation.study_file import Study, study_of

if TYPE_CHECKING:
    from khora_sim.pages.page_model import Page, Table

WORST = 0.5  # variance of the difference of two results, at most: that of two coins


class PowerOptions(AnalysisOptions):
    """The same games are played with each thing and without it, on the same dice and deals.

    A card is swapped with one of the deck, before and after the draft. An event does nothing. One player
    never uses a development, an action, a track or a space.
    """

    command = "power"
    usual_games: ClassVar[int] = 14_000

    kind: Annotated[
        str,
        Flag(f"{', '.join(KINDS[:-1])} or {KINDS[-1]}.", argument=True),
        Field(description=f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"),
    ]
    strategies: Annotated[
        Strategies,
        Flag(
            "Strategies that play: one in every seat; for cards and events also several.",
            metavar="NAMES",
            strategies=True,
        ),
    ] = ("expert",)
    games: Annotated[
        Games, Flag("Games of each side: as they are, and with each thing changed.", metavar="N")
    ] = None
    precision: Annotated[
        Precision,
        Flag(
            "Play until the win rate that each thing is worth with each city is known to ± this many pp, in "
            "place of --games. For cards: dealt before the draft.",
            metavar="PP",
        ),
    ] = None

    def check(self) -> None:
        """Refuse what is unknown or impossible."""
        if self.kind not in KINDS:
            raise UserError(f'unknown kind "{self.kind}"; {nearest(self.kind, KINDS)}')
        if not self.strategies:
            raise UserError("--strategies: name one, such as steward")
        if len(self.strategies) > 1 and self.kind not in ("cards", "events"):
            raise UserError(
                f"--strategies {','.join(self.strategies)}: {self.kind} are barred for one player among "
                "others of the same strategy; name one strategy"
            )
        check_deck(self, load_rules(self.rules))


class PowerAnalysis(Analysis[PowerOptions, Power]):
    """What things are worth."""

    Options = PowerOptions

    def run(self, options: PowerOptions, run: Run) -> Power:
        """Play what is missing, and judge everything."""
        counts = play_and_count(options, ways_of(options.kind), run)
        rules = counts.rules
        things = things_of(options.kind, rules)
        cities = dict(zip(rules.city_ids, rules.city_names, strict=True))
        return Power(
            khora=__version__,
            rules=RulesPlayed.of(rules),
            kind=options.kind,
            strategies=options.strategies,
            players=options.players,
            seed=options.judging_seed,
            precision=options.precision,
            games=counts.games,
            sides=len(counts.sides),
            things=things,
            cities=cities,
            rows=tuple(judged(counts, things, cities)),
        )

    def brief(self, result: Power, *, full: bool = False) -> "Sequence[str | Table]":
        """The headline, every thing over all cities, and how to read it."""
        from khora_sim.analyses.power.page import brief

        return brief(result)

    def page(self, result: Power, options: PowerOptions) -> "Page":
        """Every thing over all cities, then with every city."""
        from khora_sim.analyses.power.page import page_of

        return page_of(result, options)


def play_and_count(options: PowerOptions, ways: Sequence[str], run: Run, seed: int | None = None) -> Counts:
    """Play what is missing, and count it; of cards, in the ways that are asked about.

    `seed` is the engine's, where it is another one than that of the options.
    """
    rules = load_rules(options.rules)
    study = _study(options, rules)
    if seed is not None:
        study = study.model_copy(update={"seed": seed})
    sides = sides_of(options.kind, study, rules, options.rules, ways)
    counts = Counts(options.kind, list(things_of(options.kind, rules)), len(rules.city_ids), sides, ways)
    until = None if options.precision is None else precise_enough(options.precision)
    run.play(Design(tuple(side.arm for side in sides)), Parts(counts, run.chunks), until)
    return counts


def check_deck(options: PowerOptions, rules: Rules) -> None:
    """Refuse to swap cards with a deck that holds none."""
    dealt, cards = options.players * rules.model.hand_dealt, len(rules.card_ids)
    if options.kind == "cards" and dealt >= cards:
        raise UserError(
            f"{options.players} hands take all {cards} cards of {rules.name}, and none is left in the deck "
            "to swap; ask with fewer --players"
        )


def _study(options: PowerOptions, rules: Rules) -> Study:
    study = study_of(
        {
            "strategies": options.strategies,
            "players": options.players,
            "games": options.games_wanted or 1,
            "cities": "all",
            "rotate": "cities",
            "seed": options.judging_seed,
        }
    )
    if options.precision is None:
        return study
    return study.model_copy(update={"games": most_games(options, options.precision, study, rules)})


def most_games(options: PowerOptions, precision: float, study: Study, rules: Rules) -> int:
    """Games of each side after which every win rate is known to a precision, whatever it is."""
    cities = len(rules.city_ids)
    rows = {  # of a thing with a city, in a game of each side
        "cards": options.players / cities * rules.model.hand_dealt / len(rules.card_ids),
        "events": options.players / cities * (rules.model.rounds - 2) / max(len(rules.event_ids) - 2, 1),
    }.get(options.kind, 1 / cities)
    needed = WORST * (100 * NORMAL / precision) ** 2 * SLACK / rows
    turns = city_choices(study, cities, options.players) * options.players * CHUNKS
    return turns * math.ceil(needed / turns)


def precise_enough(precision: float) -> Until:
    """A stopping rule: the worth of every thing with every city is known to so many percentage points."""

    def reached(sink: Sink) -> bool:
        assert isinstance(sink, Parts)
        return sink.counts.games > 0 and sink.counts.widest() <= precision / 100

    return reached


COMMAND = PowerAnalysis()
