"""Options of `khora what-if`, and the changes that they name."""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar

from khora_sim.analyses.analysis import AnalysisOptions, Games, Precision, TableSizes
from khora_sim.analyses.what_if.measure import Variant
from khora_sim.analyses.what_if.things import things_of
from khora_sim.common.command_options import CHANGE, Flag, Names, Texts
from khora_sim.common.options import ChosenOptions, as_assignments
from khora_sim.errors import UserError
from khora_sim.rules import Rules, load_rules, set_rules, variant_data
from khora_sim.rules.compare import changes
from khora_sim.training.making import budget_of

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
        self._check_line_ups()
        _ = self.changed  # rules that cannot be read are refused

    def _check_line_ups(self) -> None:
        many, others = len(self.strategies), len(self.changed_strategies)
        if not many:
            raise UserError("--strategies: nobody is named; say who plays, such as expert")
        if others > 1 and many > 1 and many != others:
            raise UserError(
                f"--changed-strategies {','.join(self.changed_strategies)}: {others} for {many} of "
                "--strategies; name as many, or one"
            )
        if self.adapt is None:
            return
        budget_of(self.adapt, "--adapt")
        if others:
            raise UserError(
                "--adapt and --changed-strategies: both say who plays the changed side; give one of them"
            )
        if many > 1:
            raise UserError("--adapt: players of one kind learn the changed rules; name one of --strategies")

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
        """The changes that are asked about, without verdicts yet."""
        return _variants_of(self, self.base)

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


def _variants_of(options: WhatIfOptions, base: Rules) -> list[Variant]:
    """The changes that are asked about, without verdicts yet."""
    typed, others = options.assignments, options.changed_strategies
    named: list[tuple[str, str | None, tuple[str, ...], Rules]] = [
        (file, file, (), load_rules(file, over=options.rules)) for file in options.variants
    ]
    if typed:
        named.append((", ".join(typed), None, typed, set_rules(typed, variant_data(options.rules))))
    if not named:
        named.append((f"{','.join(others)} in place of {','.join(options.strategies)}", None, (), base))
    found = []
    for label, file, assignments, rules in named:
        differing = tuple(changes(base.model, rules.model))
        things = things_of(differing, base, rules)
        found.append(
            Variant(
                label=label, file=file, assignments=assignments, rules=rules, changes=differing, things=things
            )
        )
    return found
