"""Measure the effect of a rule change or of other players: all sides play the same seeds, game by game.

Every set of cities is played equally often, the cities moving around the table. Where a variant adds or
removes a city, chance draws them: then all seats but that city's keep theirs.

The folder of an answer also has `adapted/`, the players that were made for the rules of each side, and
`variant.toml` or `variants/`, changed rules that are in no file of the user's.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from khora_sim import __version__
from khora_sim.analyses.analysis import Analysis, Run
from khora_sim.analyses.cities import most_games
from khora_sim.analyses.what_if.divergence import Divergence, Replayed, divergence
from khora_sim.analyses.what_if.measure import (
    Adapted,
    ChangedGame,
    Rows,
    Sides,
    Variant,
    Verdict,
    WhatIf,
    evaluate,
)
from khora_sim.analyses.what_if.options import ADAPTED, LAID_OVER, TYPED, WhatIfOptions
from khora_sim.analyses.what_if.things import needs_rounds
from khora_sim.common.command_options import NOBODY
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.rules import Rules, variant_data
from khora_sim.rules.assignments import variant_text
from khora_sim.simulation.experiment import Arm, Design, resolve_study
from khora_sim.simulation.run import Until
from khora_sim.simulation.run_dir import OTHER_OUT
from khora_sim.simulation.sinks import Sink
from khora_sim.simulation.study_file import Study, study_of

if TYPE_CHECKING:
    from khora_sim.pages.page_model import Page, Table

LineUp = tuple[str, ...]  # strategies, as they are typed


class WhatIfAnalysis(Analysis[WhatIfOptions, WhatIf]):
    """The effect of a change."""

    Options = WhatIfOptions
    own = (ADAPTED, TYPED, LAID_OVER)

    def check(self, options: WhatIfOptions) -> None:
        """Refuse strategies that cannot adapt."""
        if options.adapt is not None:
            from khora_sim.analyses.what_if.adapting import check_adapting

            check_adapting(options)

    def run(self, options: WhatIfOptions, run: Run) -> WhatIf:
        """Train players where that is wanted, play what is missing, and evaluate every side."""
        with run.folder(ADAPTED) if options.adapt else nullcontext() as home:
            adapted = {} if home is None else _adapted(options, home, run)
            answered = _played(options, adapted, run)
        return WhatIf(
            khora=__version__,
            base=options.base,
            players=options.players,
            seed=options.judging_seed,
            precision=options.precision,
            adapt=options.adapt,
            variants=answered,
        )

    def brief(self, result: WhatIf, *, full: bool = False) -> "Sequence[str | Table]":
        """Every variant with all its verdicts."""
        from khora_sim.analyses.what_if.page import brief

        return brief(result)

    def page(self, result: WhatIf, options: WhatIfOptions) -> "Page":
        """All variants, the first one's verdict on top."""
        from khora_sim.analyses.what_if.page import page_of

        return page_of(result, options)

    def written(self, result: WhatIf, options: WhatIfOptions, folder: Path) -> None:
        """Write changed rules that are in no file yet, for commands that need them."""
        for variant in result.variants:
            path = Path(options.file_of(variant) or "")
            if variant.assignments:
                text = variant_text(variant.assignments, variant_data(options.rules))
            elif variant.file and options.rules:
                text = variant.rules.to_variant()
            else:
                continue
            with explain_write_errors(path, OTHER_OUT):
                path.parent.mkdir(exist_ok=True)
                write_atomically(path, text.encode())


def _adapted(options: WhatIfOptions, home: Path, run: Run) -> dict[tuple[int, int], Adapted]:
    from khora_sim.analyses.what_if.adapting import adapted, all_to_adapt, trained
    from khora_sim.simulation.backend import worker_count

    workers = worker_count(options.workers)
    return {
        key: adapted(sides, *(trained(one, workers, run.progress) for one in sides))
        for key, sides in all_to_adapt(options, home).items()
    }


# Sides: an arm is everything that may differ between two of them: rules, with the options of the game that
# they set, and who plays.


class Side(NamedTuple):
    """A changed side: which variant is played, and by whom."""

    variant: int
    strategies: LineUp
    adapted: Adapted | None = None


class Contest(NamedTuple):
    """The base game and all changed sides that are compared with it, at tables of one size."""

    players: int
    strategies: LineUp  # who plays the base game
    sides: tuple[Side, ...]


def contests(options: WhatIfOptions, adapted: Mapping[tuple[int, int], Adapted]) -> Iterator[Contest]:
    """What is played for every size of table; `adapted` holds players by size of table and variant."""
    places = range(len(options.changed))
    for players in options.players:
        before, after = _as_many(options.strategies, options.changed_strategies or options.strategies)
        yield Contest(players, before, tuple(Side(place, after) for place in places))
        for place in places:
            known = adapted.get((players, place))
            if known is not None:
                side = Side(place, (known.after.strategy,), known)
                yield Contest(players, (known.before.strategy,), (side,))
        other = (options.also_with,)
        if options.also_with != NOBODY and not options.changed_strategies and other != options.strategies:
            yield Contest(players, other, tuple(Side(place, other) for place in places))


def _as_many(one: LineUp, two: LineUp) -> tuple[LineUp, LineUp]:
    """Two line-ups of the same length, so that both are dealt to the seats in the same way."""
    count = max(len(one), len(two))
    return (one * count)[:count], (two * count)[:count]


def design_of(options: WhatIfOptions, contest: Contest) -> Design:
    """The base game and the changed sides, each an arm."""
    base, variants = options.base, options.changed
    rules = [base, *(variants[side.variant].rules for side in contest.sides)]
    files = [options.rules, *(options.file_of(variants[side.variant]) for side in contest.sides)]
    line_ups = [contest.strategies, *(side.strategies for side in contest.sides)]
    same_cities = len({tuple(one.city_ids) for one in rules}) == 1
    several = any(len(set(who)) > 1 for who in line_ups)
    asked = {
        "players": contest.players,
        "games": options.games_wanted or 1,
        "cities": "all" if same_cities else "random",
        "rotate": "strategies" if several else "cities",  # the same on all sides: seats keep their cities
        "seed": options.judging_seed,
        "rounds": any(needs_rounds(variant.things) for variant in variants),
    }

    def arm(rules: Rules, file: str | None, who: LineUp) -> Arm:
        study = study_of({**asked, "strategies": who})
        return resolve_study(_enough(study, options.precision, len(base.city_ids)), rules, file)

    return Design(tuple(arm(*one) for one in zip(rules, files, line_ups, strict=True)))


def _enough(study: Study, precision: float | None, cities: int) -> Study:
    """A study with as many games as the precision takes at most."""
    if precision is None:
        return study
    # A paired change is never known worse than that of two studies with luck of their own.
    games = most_games(study, precision / math.sqrt(2), cities)
    return study.model_copy(update={"games": games})


def _played(
    options: WhatIfOptions, adapted: Mapping[tuple[int, int], Adapted], run: Run
) -> tuple[Variant, ...]:
    """Play every contest, and give each variant its verdicts."""
    variants = options.changed
    things = tuple(dict.fromkeys(thing for variant in variants for thing in variant.things))
    to_play = list(contests(options, adapted))
    designs = [design_of(options, contest) for contest in to_play]
    until = None if options.precision is None else precise_enough(options.precision)
    verdicts: dict[int, list[Verdict]] = {place: [] for place in range(len(variants))}
    for contest, design in zip(to_play, designs, strict=True):
        sink = Rows(things, run.chunks)
        run.play(design, sink, until)
        for place, side in enumerate(contest.sides, start=1):
            verdict = evaluate(_sides(sink, place), variants[side.variant].things, side.adapted)
            verdicts[side.variant].append(_with_divergence(verdict, (sink.arms[0], sink.arms[place])))
    return tuple(
        one.model_copy(update={"verdicts": tuple(verdicts[place])}) for place, one in enumerate(variants)
    )


def _with_divergence(verdict: Verdict, arms: tuple[Arm, Arm]) -> Verdict:
    """The verdict with the place where each of its games diverges."""
    games = [one.model_copy(update={"divergence": _divergence(one, arms)}) for one in verdict.changed_games]
    return verdict.model_copy(update={"changed_games": tuple(games)})


def _divergence(game: ChangedGame, arms: tuple[Arm, Arm]) -> Divergence | None:
    sides = [
        Replayed(arm.rules, game.strategies[side], game.cities[side], game.seed, game.first_seat)
        for side, arm in enumerate(arms)
    ]
    return divergence(*sides)


def _sides(sink: Rows, place: int, *, equally_far: bool = False) -> Sides:
    one, two = (sink.of(arm, equally_far) for arm in (0, place))
    return Sides((sink.arms[0], sink.arms[place]), one, two)


def precise_enough(precision: float) -> Until:
    """A stopping rule: the change of every city's win rate is known to so many percentage points."""

    def reached(sink: Sink) -> bool:
        assert isinstance(sink, Rows)
        if not sink.equally_far:
            return False
        # A run that was stopped may have played some arms farther: it goes on to where it would have been.
        margins = [_sides(sink, place, equally_far=True).margin() for place in range(1, len(sink.arms))]
        return max(margins) <= precision / 100

    return reached


COMMAND = WhatIfAnalysis()
