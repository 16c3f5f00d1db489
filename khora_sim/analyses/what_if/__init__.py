"""Measure the effect of a rule change or of other players: all sides play the same seeds, game by game.

Every set of cities is played equally often, the cities moving around the table. Where a variant adds or
removes a city, chance draws them: then all seats but that city's keep theirs.

The folder of an answer also has `adapted/`, the players that were made for the rules of each side, and
`variant.toml` or `variants/`, changed rules that are in no file of the user's.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from khora_sim import __version__
from khora_sim.analyses.analysis import Analysis, AnalysisOptions, Games, Precision, Run, TableSizes
from khora_sim.analyses.cities import most_games
from khora_sim.analyses.what_if.measure import (
    Adapted,
    Rows,
    Variant,
    Verdict,
    WhatIf,
    evaluate,
    widest_margin,
)
from khora_sim.analyses.what_if.things import needs_rounds, things_of
from khora_sim.common.command_options import CHANGE, NOBODY, USUAL_STRATEGY, Flag, Names, Texts
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.common.options import ChosenOptions, as_assignments
from khora_sim.errors import UserError
from khora_sim.pages.page_model import Page
from khora_sim.pages.table import Table
from khora_sim.rules import Rules, load_rules, set_rules, variant_data
from khora_sim.rules.assignments import variant_text
from khora_sim.rules.compare import changes
from khora_sim.simulation.experiment import Arm, Design, resolve_study
from khora_sim.simulation.run import Until
from khora_sim.simulation.run_dir import OTHER_OUT
from khora_sim.simulation.sinks import Sink
from khora_sim.simulation.study_file import study_of
from khora_sim.training.making import budget_of

if TYPE_CHECKING:
    from khora_sim.analyses.what_if.adapting import Adapting

LineUp = tuple[str, ...]  # strategies, as they are typed
ADAPTED, TYPED, LAID_OVER = "adapted", "variant.toml", "variants"


class WhatIfOptions(ChosenOptions, AnalysisOptions):
    """The base game and its changes are played with the same dice and deals and compared game by game.

    The answer shows the effect on the changed thing, on every city, and on fairness.
    """

    command = "what-if"
    usual_games: ClassVar[int] = 14_000
    renamed: ClassVar[Mapping[str, str]] = {"against": "--changed-strategies", "beside": "--also-with"}

    variants: Annotated[
        Texts, Flag("Variants in TOML, each a change of its own.", metavar="FILE", argument=True)
    ] = ()
    set: Annotated[
        Texts,
        Flag(
            "A value of the rules, such as cards.lighthouse.cost=2. May be given again; all are one variant.",
            CHANGE,
            "PATH=VALUE",
            repeated=True,
        ),
    ] = ()
    changed_strategies: Annotated[
        Names,
        Flag(
            "Other strategies for the changed side, alone or with a change of the rules.",
            CHANGE,
            "NAMES",
            strategies=True,
        ),
    ] = ()
    also_with: Annotated[
        str,
        Flag(
            "A strategy of another skill, for a second verdict; not with --changed-strategies.",
            metavar="NAME|none",
            strategies=True,
        ),
    ] = "steward"
    adapt: Annotated[
        str | None,
        Flag(
            "Add a verdict with players who know the rule: --strategies, trained for the rules of each side "
            "within 50000games or 10min.",
            metavar="GAMES|TIME",
        ),
    ] = None
    players: TableSizes = (4,)  # type: ignore[assignment]
    games: Annotated[
        Games, Flag("Games of each side, with each line-up of players, at each size of table.", metavar="N")
    ] = None
    precision: Annotated[
        Precision,
        Flag(
            "Play until the change of every city's win rate is known to ± this many pp, in place of --games.",
            metavar="PP",
        ),
    ] = None
    rules: Annotated[
        str | None,
        Flag(
            "A variant in TOML to start from, in place of the base game; changes are laid over it.",
            metavar="FILE",
        ),
    ] = None

    def check(self) -> None:
        """Refuse what names no change, or asks for the impossible."""
        if not self.variants and not self.assignments and not self.changed_strategies:
            raise UserError(
                "no change is named; give a variant file, --set such as cards.lighthouse.cost=2, an option "
                "of the game such as --reroll, or other players with --changed-strategies"
            )
        twice = sorted({file for file in self.variants if self.variants.count(file) > 1})
        if twice:
            raise UserError(f"{twice[0]}: named twice; name every variant once")
        many, others = len(self.strategies), len(self.changed_strategies)
        if not many:
            raise UserError(f"--strategies: nobody is named; say who plays, such as {USUAL_STRATEGY}")
        if others > 1 and many > 1 and many != others:
            raise UserError(
                f"--changed-strategies {','.join(self.changed_strategies)}: {others} for {many} of "
                "--strategies; name as many, or one"
            )
        if self.adapt is not None:
            budget_of(self.adapt, "--adapt")
        if self.adapt is not None and others:
            raise UserError(
                "--adapt and --changed-strategies: both say who plays the changed side; give one of them"
            )
        if self.adapt is not None and many > 1:
            raise UserError("--adapt: players of one kind learn the changed rules; name one of --strategies")
        _ = self.changed  # rules that cannot be read are refused

    @property
    def assignments(self) -> tuple[str, ...]:
        """Values of the rules that were typed, as paths or as options of the game."""
        return (*self.set, *as_assignments(self))

    @cached_property
    def base(self) -> Rules:
        """The rules that are changed."""
        return load_rules(self.rules)

    @cached_property
    def changed(self) -> list[Variant]:
        """The changes, without verdicts yet."""
        typed, others = self.assignments, self.changed_strategies
        named: list[tuple[str, str | None, tuple[str, ...], Rules]] = [
            (file, file, (), load_rules(file, over=self.rules)) for file in self.variants
        ]
        if typed:
            named.append((", ".join(typed), None, typed, set_rules(typed, variant_data(self.rules))))
        if not named:
            label = f"{','.join(others)} in place of {','.join(self.strategies)}"
            named.append((label, None, (), self.base))
        found = []
        for label, file, assignments, rules in named:
            differing = tuple(changes(self.base.model, rules.model))
            things = things_of(differing, self.base, rules)
            one = Variant(
                label=label, file=file, assignments=assignments, rules=rules, changes=differing, things=things
            )
            found.append(one)
        return found

    @property
    def inputs(self) -> dict[str, Any]:
        """The rules of every variant."""
        return {one.label: f"{one.rules.hash} {one.rules.version}" for one in self.changed if one.file}

    def file_of(self, variant: Variant) -> str | None:
        """The file with the rules of a variant, for a command; None for the base game."""
        if variant.assignments:
            name = TYPED
        elif variant.file and self.rules:
            name = f"{LAID_OVER}/{self.variants.index(variant.file) + 1}.toml"
        else:
            return variant.file or self.rules
        return name if self.out is None else str(self.out / name)


class WhatIfAnalysis(Analysis[WhatIfOptions, WhatIf]):
    """The effect of a change."""

    Options = WhatIfOptions
    own = (ADAPTED, TYPED, LAID_OVER)

    def check(self, options: WhatIfOptions) -> None:
        """Refuse strategies that cannot adapt."""
        if options.adapt is not None:
            from khora_sim.analyses.what_if.adapting import check_adapting

            for _, after in _to_adapt(options, Path()).values():
                check_adapting(after)

    def run(self, options: WhatIfOptions, run: Run) -> WhatIf:
        """Train players where that is wanted, play what is missing, and evaluate every side."""
        return WhatIf(
            khora=__version__,
            base=options.base,
            players=options.players,
            seed=options.judging_seed,
            precision=options.precision,
            adapt=options.adapt,
            variants=_with_adapted(options, run) if options.adapt else _played(options, {}, run),
        )

    def brief(self, result: WhatIf, *, full: bool = False) -> Sequence[str | Table]:
        """Every variant with all its verdicts."""
        from khora_sim.analyses.what_if.page import brief

        return brief(result)

    def page(self, result: WhatIf, options: WhatIfOptions) -> Page:
        """All variants, the first one's verdict on top."""
        from khora_sim.analyses.what_if.page import page_of

        files = [(options.rules, options.file_of(one)) for one in result.variants]
        return page_of(result, files)

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


def _with_adapted(options: WhatIfOptions, run: Run) -> tuple[Variant, ...]:
    from khora_sim.analyses.what_if.adapting import adapted, named_by_file

    with run.folder(ADAPTED) as home:
        sides = _to_adapt(options, home)
        made = {key: adapted(*both, run.backend(), run.progress) for key, both in sides.items()}
        found = _played(options, made, run)
    return found if run.dir is not None else tuple(named_by_file(one, home) for one in found)


def _to_adapt(options: WhatIfOptions, home: Path) -> "dict[tuple[int, int], tuple[Adapting, Adapting]]":
    """The players to train for both sides, by size of table and variant; `home` keeps their files."""
    from khora_sim.analyses.what_if.adapting import Adapting, cities_of

    (strategy,) = options.strategies
    kind = re.sub(r"[^a-z0-9]+", "_", Path(strategy).name.lower()).strip("_")
    found = {}
    for players, (place, variant) in product(options.players, enumerate(options.changed)):
        touched = cities_of(variant.things, strategy, variant.rules)
        number = f"_{place + 1}" if len(options.changed) > 1 else ""
        sides = []
        for side, rules, rules_file in (
            ("base", options.base, options.rules),
            ("changed", variant.rules, options.file_of(variant)),
        ):
            cities = tuple(city for city in touched if city in rules.city_ids)
            file = home / f"{kind}_{side}_{players}_players{number}"
            sides.append(Adapting(strategy, rules, rules_file, cities, players, str(options.adapt), file))
        found[players, place] = (sides[0], sides[1])
    return found


class Contest(NamedTuple):
    """The base game and the variants that are compared with it, at tables of one size."""

    players: int
    before: LineUp  # who plays the base game
    after: LineUp  # who plays the variants
    variants: Sequence[int]
    adapted: Adapted | None = None


def contests(options: WhatIfOptions, adapted: Mapping[tuple[int, int], Adapted]) -> Iterator[Contest]:
    """All that is played; `adapted` holds players by size of table and variant."""
    every = range(len(options.changed))
    # Line-ups of the same length are dealt to the seats in the same way.
    one, two = options.strategies, options.changed_strategies or options.strategies
    longest = max(len(one), len(two))
    before, after = (one * longest)[:longest], (two * longest)[:longest]
    other = (options.also_with,)
    for players in options.players:
        yield Contest(players, before, after, every)
        for place in every:
            if made := adapted.get((players, place)):
                yield Contest(players, (made.before.strategy,), (made.after.strategy,), (place,), made)
        if options.also_with != NOBODY and not options.changed_strategies and other != options.strategies:
            yield Contest(players, other, other, every)


def design_of(options: WhatIfOptions, contest: Contest) -> Design:
    """The base game and the variants, each an arm."""
    base, variants = options.base, [options.changed[place] for place in contest.variants]
    same_cities = all(variant.rules.city_ids == base.city_ids for variant in variants)
    several = any(len(set(who)) > 1 for who in (contest.before, contest.after))
    given = {
        "players": contest.players,
        "games": options.games_wanted or 1,
        "cities": "all" if same_cities else "random",
        "rotate": "strategies" if several else "cities",  # the same on all sides: seats keep their cities
        "seed": options.judging_seed,
        "rounds": any(needs_rounds(variant.things) for variant in options.changed),
    }

    def arm(rules: Rules, file: str | None, who: LineUp) -> Arm:
        study = study_of({**given, "strategies": who})
        if options.precision is not None:
            # A paired change is never known worse than that of two studies with seeds of their own.
            games = most_games(study, options.precision / math.sqrt(2), len(base.city_ids))
            study = study.model_copy(update={"games": games})
        return resolve_study(study, rules, file)

    changed = [arm(variant.rules, options.file_of(variant), contest.after) for variant in variants]
    return Design((arm(base, options.rules, contest.before), *changed))


def _played(
    options: WhatIfOptions, adapted: Mapping[tuple[int, int], Adapted], run: Run
) -> tuple[Variant, ...]:
    """Play every contest, and give each variant its verdicts."""
    variants = options.changed
    things = tuple(dict.fromkeys(thing for variant in variants for thing in variant.things))
    until = None if options.precision is None else precise_enough(options.precision)
    to_play = [(contest, design_of(options, contest)) for contest in contests(options, adapted)]
    verdicts: list[list[Verdict]] = [[] for _ in variants]
    for contest, design in to_play:
        sink = Rows(things, run.chunks)
        run.play(design, sink, until)
        for arm, place in enumerate(contest.variants, start=1):
            verdicts[place].append(evaluate(sink.sides(arm), variants[place].things, contest.adapted))
    return tuple(
        one.model_copy(update={"verdicts": tuple(found)})
        for one, found in zip(variants, verdicts, strict=True)
    )


def precise_enough(precision: float) -> Until:
    """A stopping rule: the change of every city's win rate is known to so many percentage points."""

    def reached(sink: Sink) -> bool:
        assert isinstance(sink, Rows)
        if not sink.equally_far:
            return False
        # A run that was stopped may have played some arms farther: it goes on to where it would have been.
        every = [sink.sides(arm, equally_far=True).cities("win_share") for arm in range(1, len(sink.arms))]
        return max(widest_margin(found["win_share"]) for found in every) <= precision / 100

    return reached


COMMAND = WhatIfAnalysis()
