"""What a change does, of the rules or of who plays: all sides are arms of one design, on the same luck.

Every set of cities is played equally often, the cities moving around the table. Where a variant adds or
removes a city, chance draws them: then all seats but that city's keep theirs.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from khora_sim import __version__
from khora_sim.analyses.what_if_answer import Adapted, ChangedGame, Verdict, WhatIf
from khora_sim.analyses.what_if_judging import Sides, judged
from khora_sim.analyses.what_if_parting import Parting, Replayed, parting
from khora_sim.analyses.what_if_plan import Plan, check_plan, contests, design_of, variants_of
from khora_sim.analyses.what_if_rows import Rows
from khora_sim.common.progress import Progress
from khora_sim.rules import load_rules
from khora_sim.simulation.backend import crew_for
from khora_sim.simulation.experiment import Arm
from khora_sim.simulation.run import Until, play
from khora_sim.simulation.sinks import Sink


def what_if(
    plan: Plan,
    workers: int | None = None,
    progress: Progress | None = None,
    *,
    parts: Path | None = None,
    adapted: Mapping[tuple[int, int], Adapted] | None = None,
) -> WhatIf:
    """Play the base game and what is changed of it with the same luck, and tell what the changes do.

    `parts` is a folder that keeps what is finished; `adapted` holds players who know the rules of a variant,
    by size of table and place of the variant.
    """
    check_plan(plan)
    base = load_rules()
    variants = variants_of(plan, base)
    things = tuple(dict.fromkeys(thing for variant in variants for thing in variant.things))
    to_play = list(contests(plan, variants, adapted or {}))
    designs = [design_of(plan, contest, base, variants) for contest in to_play]
    until = None if plan.precision is None else precise_enough(plan.precision)
    verdicts: dict[int, list[Verdict]] = {place: [] for place in range(len(variants))}
    for contest, design in zip(to_play, designs, strict=True):
        sink = Rows(things, parts)
        play(design, sink, crew_for(design, workers), until, progress=progress)
        for place, side in enumerate(contest.sides, start=1):
            verdict = judged(_sides(sink, place), variants[side.variant].things, side.adapted)
            verdicts[side.variant].append(_with_partings(verdict, (sink.arms[0], sink.arms[place])))
    answered = [replace(one, verdicts=tuple(verdicts[place])) for place, one in enumerate(variants)]
    return WhatIf(__version__, base, plan.players, plan.seed, plan.precision, plan.adapt, tuple(answered))


def _with_partings(verdict: Verdict, arms: tuple[Arm, Arm]) -> Verdict:
    """The verdict with the place where each of its games parts."""
    games = [replace(game, parting=_parting(game, arms)) for game in verdict.changed_games]
    return replace(verdict, changed_games=tuple(games))


def _parting(game: ChangedGame, arms: tuple[Arm, Arm]) -> Parting | None:
    sides = [
        Replayed(arm.rules, game.strategies[side], game.cities[side], game.seed, game.first_seat)
        for side, arm in enumerate(arms)
    ]
    return parting(*sides)


def _sides(sink: Rows, place: int, *, equally_far: bool = False) -> Sides:
    one, two = (sink.of(arm, equally_far) for arm in (0, place))
    return Sides((sink.arms[0], sink.arms[place]), one, two)


def precise_enough(precision: float) -> Until:
    """A stopping rule: the change of every city's win share is known to so many percentage points."""

    def reached(sink: Sink) -> bool:
        assert isinstance(sink, Rows)
        if not sink.equally_far:
            return False
        # A run that was stopped may have played some arms farther: it goes on to where it would have been.
        margins = [_sides(sink, place, equally_far=True).margin() for place in range(1, len(sink.arms))]
        return max(margins) <= precision / 100

    return reached
