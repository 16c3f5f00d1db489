"""The answer of a sweep in sentences, for the terminal and for the page."""

from collections.abc import Mapping
from typing import Protocol

from khora_sim.analyses.racing import Stage
from khora_sim.analyses.sweep_answer import Row, Sweep, values_of
from khora_sim.analyses.targets import Target
from khora_sim.common.commands import as_typed, sweeping
from khora_sim.common.wording import counted, listed
from khora_sim.pages.wording import NOT_ADAPTED, POINTS, estimate_of, in_points, seated, share, shortened
from khora_sim.rules.ranges import Number
from khora_sim.stats import Estimate

__all__ = ["NOT_ADAPTED", "POINTS"]
FRESH = (
    "The leaders were judged on luck that had no part in choosing them; the games of a stage are those that "
    "its variants were chosen by, so the best of many look better there than they are."
)


class Played(Protocol):
    """What was played by somebody."""

    @property
    def strategies(self) -> tuple[str, ...]:
        """The players."""

    @property
    def lineup(self) -> str:
        """How they come to the table."""


def who(played: Played) -> str:
    """Who played: what is said holds for these players."""
    return seated(played.strategies, played.lineup)


def short(number: Number | str) -> str:
    """A path without the words that it does without: `argos.2.cost`."""
    path = number if isinstance(number, str) else number.path
    parts = path.split(".")
    kept = parts[1:] if parts[0] in ("cities", "cards", "events", "spaces") else parts
    return ".".join(part for part in kept if part not in ("developments", "effects", "gain"))


def values_in_words(answer: Sweep, row: Row) -> str:
    """A variant in a few words: its value, or what differs from the base game."""
    if len(answer.numbers) == 1:
        return str(row[answer.numbers[0].path])
    if answer.is_base(row):
        return "the base game"
    return ", ".join(
        f"{short(number)} {row[number.path]}" for number in answer.numbers if row[number.path] != number.base
    )


def numbers_in_words(answer: Sweep) -> str:
    """What was varied."""
    return listed([number.path for number in answer.numbers])


def distance(row: Row) -> Estimate:
    """How far a variant lies from the target."""
    return values_of(row, "distance", row["games"])


def change(row: Row) -> Estimate:
    """How that differs from the base game."""
    return values_of(row, "change", row["games"])


def headline(answer: Sweep) -> str:
    """Which value comes nearest to the target, and for whom that holds."""
    players, target = f"With {who(answer)}", answer.target.in_words(answer.names)
    if answer.flat:
        return f"{players}, no win share differs at any value of {numbers_in_words(answer)}."
    best, others = answer.best, [values_in_words(answer, row) for row in answer.alike]
    if len(answer.numbers) > 1:
        based = any(answer.is_base(row) for row in answer.alike)
        more = len(others) - based
        others = [*(["the base game"] if based else []), *([counted(more, "other")] if more else [])]
    unsure = f"; {shortened(others, 'more')} cannot be distinguished from it" if others else ""
    if answer.is_base(best):
        return f"{players}, nothing comes nearer to {target} than {_base(answer)} does{unsure}."
    value = values_in_words(answer, best)
    if len(answer.numbers) == 1:
        value = f"{answer.numbers[0].path}={value}"
    return f"{players}, {value} comes nearest to {target}{unsure}."


def _base(answer: Sweep) -> str:
    if len(answer.numbers) > 1:
        return "the base game"
    (number,) = answer.numbers
    return f"the base game's {number.path}={number.base}"


def detail(answer: Sweep) -> str:
    """The numbers behind it."""
    best = answer.best
    if answer.flat:
        return f"All {counted(len(answer.variants), 'variant')} give every city the same share of wins."
    typical = in_points(distance(best), signed=False)
    sentence = [f"A city's typical distance from the target is {typical} {POINTS}"]
    if len(answer.target.cities) == 1:
        sentence = [f"The distance from the target is {typical} {POINTS}"]
    if not answer.is_base(best):
        before = in_points(distance(answer.base), signed=False)
        sentence.append(f"; in the base game it is {before}, a change of {in_points(change(best))}")
    wins = [_wins(answer, city) for city in list(answer.target.cities)[:1] if len(answer.target.cities) == 1]
    return f"{''.join(sentence)}.{''.join(wins)}"


def _wins(answer: Sweep, city: str) -> str:
    row = answer.share(answer.best, city)
    return f" {answer.names[city]} then wins {share(estimate_of(row), with_n=True)}."


def stage_in_words(stage: Stage) -> str:
    """What a stage did."""
    return (
        f"Stage {stage.number}: {counted(stage.variants, 'variant')}, {stage.games:,} games each; "
        f"{stage.worse:,} surely worse than the best, {stage.left:,} left behind, {stage.on:,} go on."
    )


def judged_in_words(answer: Sweep) -> str:
    """How many variants were judged with how many games."""
    judged = answer.variants["stage"].null_count() - 1
    how = "judged on fresh luck" if answer.stages else "played"
    variants = counted(judged, "variant")
    return f"{variants} and the base game {how}, {answer.games:,} games each, on the same luck."


def status(row: Row) -> str:
    """How sure a variant's place is."""
    text = str(row["status"])
    return text if row["stage"] is None else f"{text} (stage {row['stage']})"


def facts(answer: Sweep) -> list[str]:
    """What was played, in a few words each."""
    tried = counted(len(answer.variants) - 1, "variant")
    return [
        tried,
        f"{answer.games:,} games of each that was judged",
        who(answer),
        f"{answer.players} players",
        f"seed {answer.seed}",
        f"rules {answer.rules.short_hash}",
    ]


def command(answer: Sweep, out: str | None = None) -> str:
    """The command that asks again."""
    numbers = [f"{number.path}={','.join(map(str, number.values))}" for number in answer.numbers]
    extent = {"games": answer.games} if answer.precision is None else {"precision": f"{answer.precision:g}"}
    target = [] if answer.target.fair else [target_typed(answer.target, answer.names)]
    return sweeping(
        numbers,
        {
            "target": target,
            "strategies": answer.strategies,
            "players": answer.players,
            **extent,
            "rules": answer.rules_file,
            "seed": answer.seed,
            "out": out,
        },
    )


def target_typed(target: Target, names: Mapping[str, str]) -> str:
    """A target as it is typed."""
    shares = {
        city: f"{100 * one.share:g}{'' if one.within is None else f'+-{100 * one.within:g}'}"
        for city, one in target.cities.items()
    }
    if len({*shares.values()}) == 1 and len(shares) == len(names):
        return next(iter(shares.values()))
    return as_typed(shares)
