"""Play numbers of the rules over ranges: every combination is a variant on the same dice and deals.

Few variants are all evaluated with as many games. Of many, stages on choosing seeds leave the leaders (see
`variants.eliminate`), which are evaluated on seeds that had no part in choosing them.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import polars as pl

from khora_sim.analyses.analysis import Analysis, Games, Run
from khora_sim.analyses.variants import (
    WORSE,
    Elimination,
    Stage,
    Subject,
    VariantGames,
    VariantsOptions,
    VariantsResult,
    change_column,
    eliminate,
    target_of,
    write_variant,
)
from khora_sim.common.command_options import CHANGE, Flag, Texts
from khora_sim.common.wording import counted, listed
from khora_sim.errors import UserError
from khora_sim.pages import plots, table
from khora_sim.pages.page_model import Figure, Page, Section
from khora_sim.pages.plots import ACCENT, INK, MUTED, city_colours, city_markers
from khora_sim.pages.published_answers import in_stronger_hands
from khora_sim.pages.table import Column, Table, count, p_value, pp, text
from khora_sim.pages.wording import (
    NOT_ADAPTED,
    POINTS,
    Row,
    estimate_of,
    in_points,
    percent,
    seated,
    share,
    shortened,
)
from khora_sim.rules import Rules, load_rules, set_rules, variant_data
from khora_sim.rules.assignments import RANGE, Number, numbers_of
from khora_sim.simulation.result import FrameJson, estimate_columns
from khora_sim.stats import Estimate, Sums, holm
from khora_sim.stats.dispersion import Distances

if TYPE_CHECKING:
    from khora_sim.pages.plots import Canvas

ALL_EVALUATED = 30  # variants; more than that are ranked by stages first
LEADERS = 12  # variants that the stages leave to be evaluated
STAGE = 15  # times the games of an evaluated variant has a stage for all of its variants
MOST_VARIANTS = 1000
BEST_FILE = "best.toml"
ALPHA = 0.05
BEST, ALIKE = "best", "not distinguishable"  # beside the reasons why a stage drops a variant
MOST_VALUES = 8  # whose changes of every city the terminal prints side by side
MOST_ROWS = 15  # of the ranking, in the terminal
SHOWN = 30  # variants whose cities the page shows; the files have all
RANKED = 20  # variants that a picture shows
TEXT_COLUMNS = 10  # of a heat map whose cells have room for numbers
TICKS = 12
FRESH = (
    "The leaders were judged on luck that had no part in choosing them; the games of a stage are those that "
    "its variants were chosen by, so the best of many look better there than they are."
)


class SweepOptions(VariantsOptions):
    """Every combination of values is a variant, on the same dice and deals as the base game.

    More than 30 variants are ranked by stages: those that are surely worse are dropped early, and the leaders
    are judged on fresh seeds.
    """

    command = "sweep"

    vary: Annotated[
        Texts,
        Flag(
            "A number of the rules and its values: cards.lighthouse.cost=0..4, 0..6:2 or 0,2,4. May be given "
            "again, for all combinations.",
            CHANGE,
            "PATH=VALUES",
            repeated=True,
        ),
    ] = ()
    target: Annotated[
        Texts,
        Flag(
            "The win share that is wanted, in per cent, such as argos=25. May be given again.",
            CHANGE,
            "CITY=SHARE",
            default="the fair share for every city",
            repeated=True,
        ),
    ] = ()
    games: Annotated[
        Games, "Games of each variant that is judged. More than 30 variants are ranked by stages before."
    ] = None

    def check(self) -> None:
        """Refuse what cannot be played."""
        if not self.vary:
            raise UserError(f"no number is named; give --vary, such as {RANGE}")
        super().check()
        _ = self.combinations

    @cached_property
    def subject(self) -> Subject:
        """The numbers and the target, or one error."""
        base = load_rules(self.rules)
        return Subject(base, numbers_of(self.vary, base.model), target_of(self.target, base, self.players))

    @cached_property
    def combinations(self) -> dict[tuple[int, ...], Rules]:
        """The rules of every combination of values but the base game's, or one error."""
        numbers, start = self.subject.numbers, variant_data(self.rules)
        many = math.prod(len(number.values) for number in numbers)
        if many > MOST_VARIANTS:
            raise UserError(
                f"--vary: {many:,} variants; at most {MOST_VARIANTS:,} are played, so take fewer values"
            )
        found = {}
        for values in product(*(number.values for number in numbers)):
            typed = assignments(numbers, values)
            if typed:
                found[values] = set_rules(typed, start, f"--vary {' '.join(typed)}")
        return found


def assignments(numbers: Sequence[Number], values: Sequence[int]) -> list[str]:
    """A variant as it is typed: the numbers that differ from the base game."""
    return [
        number.typed(value) for number, value in zip(numbers, values, strict=True) if value != number.base
    ]


class Sweep(VariantsResult):
    """The answer: every variant with its distance from the target, every city's share and change."""

    strategies: tuple[str, ...]
    lineup: str
    games: int  # of each variant that was evaluated
    stages: tuple[Stage, ...]  # on choosing seeds; none where every variant was evaluated
    #: A row for each variant, the nearest to the target first: rank, its values, status, stage (None: it was
    #: evaluated), games; distance from the target and its change from the base game, with low and high.
    variants: FrameJson
    #: A row for each variant and city: rank, city, share with low, high and n, its change and p_holm.
    cities: FrameJson

    @property
    def best(self) -> Row:
        """The variant that is nearest to the target."""
        return self.variants.row(0, named=True)

    @property
    def base(self) -> Row:
        """The base game, which is played beside all variants."""
        return next(row for row in self.variants.to_dicts() if self.is_base(row))

    def is_base(self, row: Row) -> bool:
        """Tell if a variant is the game that was changed."""
        return not self.assignments(row)

    def values(self, row: Row) -> tuple[int, ...]:
        """The values of a variant, in the order of the numbers."""
        return tuple(row[number.path] for number in self.numbers)

    def assignments(self, row: Row) -> tuple[str, ...]:
        """A variant as it is typed: the numbers that differ from the base game."""
        return tuple(assignments(self.numbers, self.values(row)))

    @property
    def alike(self) -> list[Row]:
        """The other variants that are not distinguishable from the best one."""
        return self.variants.filter(status=ALIKE).to_dicts()

    @property
    def flat(self) -> bool:
        """True where no win share of any city differs at any value."""
        return bool((self.cities["change"] == 0).all())

    @property
    def concerned(self) -> list[str]:
        """The cities in the order in which they are shown: those that a number belongs to, then by change."""
        own = [number.city for number in self.numbers if number.city is not None]
        most = dict(self.cities.group_by("city").agg(pl.col("change").abs().max()).iter_rows())
        others = sorted((city for city in self.names if city not in own), key=lambda city: -most[city])
        return [*dict.fromkeys(own), *others]

    def share(self, row: Row, city: str) -> Row:
        """The row of a city in a variant."""
        return self.cities.filter(rank=row["rank"], city=city).row(0, named=True)

    @property
    def who(self) -> str:
        """The players that all of it holds for."""
        return seated(self.strategies, self.lineup)


class RankedVariant(NamedTuple):
    """A variant with its place in the ranking, and the sums it rests on."""

    values: tuple[int, ...]
    status: str
    stage: int | None  # in which it was dropped; None: it was evaluated
    own: Sums
    base: Sums  # of the same games
    found: Distances  # of the variants that it was evaluated with
    place: int  # among them

    @property
    def distance(self) -> Estimate:
        """The distance from the target."""
        return self.found.distance(self.place)

    @property
    def change(self) -> Estimate:
        """The change of the distance from the base game."""
        return self.found.change(0, self.place)


class SweepAnalysis(Analysis[SweepOptions, Sweep]):
    """Numbers of the rules over ranges."""

    Options = SweepOptions
    own = (BEST_FILE,)

    def run(self, options: SweepOptions, run: Run) -> Sweep:
        """Play every combination, and rank them by their distance from the target."""
        base, _, target = options.subject
        games = VariantGames(options.strategies, options.players, base, run)
        every = list(options.combinations.values())
        stages, leaders = Elimination(), list(range(len(every)))
        if len(every) > ALL_EVALUATED:
            each = STAGE * (options.games_wanted or options.usual_games)
            stages = eliminate(games, every, target, each, LEADERS, options.seed)
            leaders = stages.leaders
        run.progress.step(f"judging {len(leaders)} variants")
        sums, played = games.evaluated([every[place] for place in leaders], options)
        evaluated = dict(zip([None, *leaders], sums, strict=True))
        variants, cities = frames(options, games, ranked(options, games, evaluated, stages))
        return Sweep(
            **options.head,
            strategies=options.strategies,
            lineup=games.lineup,
            games=played,
            stages=stages.stages,
            variants=variants,
            cities=cities,
        )

    def brief(self, result: Sweep, *, full: bool = False) -> Sequence[str | Table]:
        """The verdict, then every value of one number, or the ranking of several."""
        return [
            f"{numbers_in_words(result)}: {result.players} players, seed {result.seed}",
            *(f"  {stage_in_words(stage)}" for stage in result.stages),
            f"  {evaluated_in_words(result)}",
            f"\n{headline(result)}\n{detail(result)}",
            *(_by_value(result, full) if len(result.numbers) == 1 else _nearest(result, full)),
            f"\n{NOT_ADAPTED}",
            *stronger(result),
        ]

    def page(self, result: Sweep, options: SweepOptions) -> Page:
        """The verdict, pictures, the ranking, every city, and how the ranking came about."""
        base = ", ".join(f"{number.path} {number.base}" for number in result.numbers)
        in_base = f"{evaluated_in_words(result)} In the base game: {base}."
        stages = " ".join([*map(stage_in_words, result.stages), evaluated_in_words(result)])
        ranking = _table(result, [count("Rank", "rank"), _value(result)], result.variants.to_dicts())
        return Page(
            kind="Sweep",
            title=" · ".join(number.path for number in result.numbers),
            facts=[
                counted(len(result.variants) - 1, "variant"),
                f"{result.games:,} games of each that was judged",
                result.who,
                *result.facts,
            ],
            headline=headline(result),
            detail=detail(result),
            sections=[
                Section("response", "What every value does", in_base, figures(result)),
                Section("ranking", "The ranking", stages, tables=[ranking]),
                _cities(result),
            ],
            sure=_sure(result),
            limits=[
                *stronger(result),
                NOT_ADAPTED,
                "Only these players played: others may lie nearer or farther at other values.",
            ],
        )

    def written(self, result: Sweep, options: SweepOptions, folder: Path) -> None:
        """Write the variant nearest to the target, where that is not the game that was changed."""
        typed = result.assignments(result.best)
        if typed:
            write_variant(folder / BEST_FILE, typed, options.rules, text=headline(result))


def ranked(
    options: SweepOptions, games: VariantGames, evaluated: Mapping[int | None, Sums], stages: Elimination
) -> list[RankedVariant]:
    """The best variant and those not distinguishable from it, then the others by their gain on the base game.

    The base game (None) and the leaders were evaluated together. Stages have seeds of their own; the paired
    change is what can be compared between them.
    """
    _, numbers, target = options.subject
    unchanged, every = tuple(number.base for number in numbers), list(options.combinations)
    values = [unchanged if variant is None else every[variant] for variant in evaluated]
    sums = list(evaluated.values())
    found = games.compared(sums, target)
    worse, order = found.worse_than_best(ALPHA), sorted(range(len(sums)), key=lambda at: found.squares[at])
    variants = []
    for place in order:
        status = BEST if place == order[0] else WORSE if worse[place] else ALIKE
        variants.append(RankedVariant(values[place], status, None, sums[place], sums[0], found, place))
    for stage in stages.stages:
        ended = [one for one in enumerate(stages.placings) if one[1].stage == stage.number]
        dropped = {every[variant]: end for variant, end in ended if end.why is not None}
        if dropped:
            base = next(iter(dropped.values())).base
            found = games.compared([base, *(end.own for end in dropped.values())], target)
            for place, (own, end) in enumerate(dropped.items(), 1):
                variants.append(RankedVariant(own, str(end.why), end.stage, end.own, base, found, place))
    leading = (BEST, ALIKE)
    return sorted(variants, key=lambda one: (0, 0) if one.status in leading else (1, one.change.value))


def frames(
    options: SweepOptions, games: VariantGames, found: Sequence[RankedVariant]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The variants, and their cities with changes that are corrected for all of them together."""
    variants = [
        {
            "rank": rank,
            **dict(zip([number.path for number in options.subject.numbers], one.values, strict=True)),
            "status": one.status,
            "stage": one.stage,
            "games": one.own.rows // games.players,
            **estimate_columns("distance", one.distance),
            **estimate_columns("change", one.change),
        }
        for rank, one in enumerate(found, 1)
    ]
    every = pl.concat(
        games.by_city(one.base, one.own).select(pl.lit(rank).alias("rank"), pl.all())
        for rank, one in enumerate(found, 1)
    )
    known = every["p_value"].is_not_null()  # the base game is not compared with itself
    corrected = pl.Series(holm(every.filter(known)["p_value"].to_numpy()))
    p_holm = pl.Series("p_holm", [None] * len(every), pl.Float64).scatter(known.arg_true(), corrected)
    return (
        pl.DataFrame(variants, schema_overrides={"stage": pl.Int64}),
        every.drop("p_value").with_columns(p_holm),
    )


def short(number: Number) -> str:
    """A path without the words that it does without: `argos.2.cost`."""
    parts = number.path.split(".")
    kept = parts[1:] if parts[0] in ("cities", "cards", "events", "spaces") else parts
    return ".".join(part for part in kept if part not in ("developments", "effects", "gain"))


def values_in_words(answer: Sweep, row: Row) -> str:
    """A variant in a few words: its value, or what differs from the base game."""
    if len(answer.numbers) == 1:
        return str(row[answer.numbers[0].path])
    changed = [number for number in answer.numbers if row[number.path] != number.base]
    return ", ".join(f"{short(number)} {row[number.path]}" for number in changed) or "the base game"


def numbers_in_words(answer: Sweep) -> str:
    """The paths of the numbers."""
    return listed([number.path for number in answer.numbers])


def distance(row: Row, of: str = "distance") -> Estimate:
    """The distance of a variant from the target, or its change from the base game."""
    return estimate_of({**row, "n": row["games"]}, of)


def stronger(answer: Sweep) -> list[str]:
    """The caveat on cities that win otherwise in the base game with the strongest published player."""
    rates = {city: answer.share(answer.base, city)["value"] for city in answer.concerned}
    return in_stronger_hands(answer.rules, answer.players, answer.strategies, rates)


def headline(answer: Sweep) -> str:
    """The value that comes nearest to the target, and for whom that holds."""
    players, best = f"With {answer.who}", answer.best
    if answer.flat:
        return f"{players}, no win share differs at any value of {numbers_in_words(answer)}."
    others = [values_in_words(answer, row) for row in answer.alike]
    value, base = values_in_words(answer, best), "the base game"
    if len(answer.numbers) == 1:
        (number,) = answer.numbers
        value, base = f"{number.path}={value}", f"the base game's {number.path}={number.base}"
    else:
        based = any(answer.is_base(row) for row in answer.alike)
        more = len(others) - based
        others = [*(["the base game"] if based else []), *([counted(more, "other")] if more else [])]
    unsure = f"; {shortened(others, 'more')} cannot be distinguished from it" if others else ""
    if answer.is_base(best):
        return f"{players}, nothing comes nearer to {answer.target_text} than {base} does{unsure}."
    return f"{players}, {value} comes nearest to {answer.target_text}{unsure}."


def detail(answer: Sweep) -> str:
    """The numbers behind it."""
    best = answer.best
    if answer.flat:
        return f"All {counted(len(answer.variants), 'variant')} give every city the same share of wins."
    one_city = next(iter(answer.target.cities)) if len(answer.target.cities) == 1 else None
    whose = "A city's typical" if one_city is None else "The"
    typical = in_points(distance(best), signed=False)
    sentence = f"{whose} distance from the target is {typical} {POINTS}"
    if not answer.is_base(best):
        before = in_points(distance(answer.base), signed=False)
        change = in_points(distance(best, "change"))
        sentence += f"; in the base game it is {before}, a change of {change}"
    if one_city is None:
        return f"{sentence}."
    wins = share(estimate_of(answer.share(best, one_city)), with_n=True)
    return f"{sentence}. {answer.names[one_city]} then wins {wins}."


def stage_in_words(stage: Stage) -> str:
    """A stage in one sentence."""
    return (
        f"Stage {stage.number}: {counted(stage.variants, 'variant')}, {stage.games:,} games each; "
        f"{stage.worse:,} surely worse than the best, {stage.left:,} left behind, {stage.on:,} go on."
    )


def evaluated_in_words(answer: Sweep) -> str:
    """The number of evaluated variants and of their games."""
    variants = counted(answer.variants["stage"].null_count() - 1, "variant")
    how = "judged on fresh luck" if answer.stages else "played"
    return f"{variants} and the base game {how}, {answer.games:,} games each, on the same luck."


def _table(answer: Sweep, own: Sequence[Column], rows: Sequence[Row]) -> Table:
    """A table of variants: columns of its own, then distance, games and how sure the place is."""

    def status(row: Row) -> str:
        based = "base game, " if len(answer.numbers) > 1 and answer.is_base(row) else ""
        stage = "" if row["stage"] is None else f" (stage {row['stage']})"
        return f"{based}{row['status']}{stage}"

    columns = [
        *own,
        pp("Distance", ("distance", "distance_low", "distance_high", "games"), signed=False),
        change_column("Its change", ("change", "change_low", "change_high", "games"), answer.is_base),
        count("n games", "games"),
        text("Against best", status),
    ]
    title = "Every variant, the nearest to the target first"
    note = f"Distance from the target and its change from the base game in {POINTS}."
    return Table.of("variants", title, rows, columns, note=note, open=True, frame=answer.variants)


def _value(answer: Sweep) -> Column:
    """The value of a single number, or what differs from the base game."""
    if len(answer.numbers) > 1:
        return text("Variant", lambda row: values_in_words(answer, row), long=True)
    path = answer.numbers[0].path
    return text(
        "Value", lambda row: f"{row[path]}{' (base)' * answer.is_base(row)}", key=lambda row: row[path]
    )


def _by_value(answer: Sweep, full: bool) -> list[str | Table]:
    """A row for every value; of few values also every city's change."""
    first, rows = answer.concerned[0], _rows(answer)
    own = [
        _value(answer),
        table.share(answer.names[first], lambda row: estimate_of(answer.share(row, first))),
        change_column("Change", lambda row: _change(answer, row, first), answer.is_base),
    ]
    values = _table(answer, own, rows)
    others = [row for row in rows if not answer.is_base(row)]
    if len(others) > MOST_VALUES and not full:
        return [values]
    base = f"{answer.numbers[0].base} (base)"
    columns = [
        text("City", answer.names.get),
        table.number(
            base, lambda city: answer.share(answer.base, city)["value"], lambda one: percent(one, 1)
        ),
        *(pp(str(answer.values(row)[0]), partial(_change, answer, row)) for row in others),
    ]
    cities = Table.of("", "", answer.concerned, columns)
    return [values, "", cities, f"  Changes from the base game in {POINTS}, paired, with 95 % intervals."]


def _change(answer: Sweep, row: Row, city: str) -> Estimate:
    """The change of a city's share from the base game."""
    return estimate_of(answer.share(row, city), "change")


def _nearest(answer: Sweep, full: bool) -> list[str | Table]:
    """The variants nearest to the target, and the base game."""
    rows = answer.variants.to_dicts()
    shown = rows if full else [row for row in rows if row["rank"] <= MOST_ROWS or answer.is_base(row)]
    numbers = [count(short(number), number.path) for number in answer.numbers]
    more = len(rows) - len(shown)
    rest = [f"  {more:,} more variants follow; --full, --out or --json has them all."] if more else []
    return [_table(answer, [count("Rank", "rank"), *numbers], shown), *rest]


def _cities(answer: Sweep) -> Section:
    order = {city: place for place, city in enumerate(answer.concerned)}
    ranks = {row["rank"]: row for row in answer.variants.head(SHOWN).to_dicts()}
    cities = answer.cities.filter(pl.col("rank") <= len(ranks)).to_dicts()
    columns = [
        count("Rank", "rank"),
        text("Variant", lambda row: values_in_words(answer, ranks[row["rank"]]), long=True),
        text("City", "city", answer.names),
        table.share("Win share"),
        change_column(
            "Change", ("change", "change_low", "change_high", "n"), lambda row: row["p_holm"] is None
        ),
        p_value(),
        count("n", "n"),
    ]
    first = answer.concerned[0]
    before, best = (share(estimate_of(answer.share(row, first))) for row in (answer.base, answer.best))
    lead = (
        f"{answer.names[first]} wins {before} in the base game and {best} in the "
        "variant nearest to the target. Changes are paired with the base game."
    )
    rows = sorted(cities, key=lambda row: (row["rank"], order[row["city"]]))
    shown = {"open": len(ranks) <= 10, "frame": answer.cities}
    shares = Table.of("cities", "Win share of every city", rows, columns, **shown)
    return Section("cities", "Every city", lead, tables=[shares])


def _sure(answer: Sweep) -> list[str]:
    """The dice and deals that are shared, and the comparison with the best variant."""
    compared = len(answer.cities) - len(answer.names)
    lines = [
        "All variants met the same luck, game by game: dice by seat and round, hands, the order of the deck, "
        "events, cities and seats. Who draws which card depends on how many were drawn before.",
        "Variants are compared with the best one by the paired difference of their mean squared distances "
        "from the target, without what chance adds to them, after Holm's correction over all variants (5 %; "
        "1 % in a stage).",
        f"p (Holm) is corrected for all {compared:,} comparisons of cities together.",
    ]
    return [*lines, FRESH] if answer.stages else lines


def figures(answer: Sweep) -> list[Figure]:
    """The pictures that fit so many numbers."""
    if len(answer.numbers) == 1:
        return [_curves(answer), _distances(answer)]
    return [_heat(answer)] if len(answer.numbers) == 2 else [_best_dots(answer)]


def _rows(answer: Sweep) -> list[Row]:
    """The variants of one number by its value."""
    return answer.variants.sort(answer.numbers[0].path).to_dicts()


def _over_values(
    answer: Sweep, canvas: "Canvas", series: Sequence[tuple[str, Sequence[Estimate], str, str]], scale: float
) -> Any:
    """Lines over the values of one number; a dotted line is at the base game."""
    (number,) = answer.numbers
    axes, values = canvas.subplots(), [row[number.path] for row in _rows(answer)]
    axes.axvline(number.base, color=MUTED, linewidth=1, linestyle=(0, (1, 2)), zorder=1)
    plots.measured_lines(axes, values, series, scale)
    if len(values) <= TICKS:
        axes.set_xticks(values)
    axes.set_xlabel(number.path)
    return axes


def _curves(answer: Sweep) -> Figure:
    fair, colours, markers = 1 / answer.players, city_colours(answer.names), city_markers(answer.names)

    def paired(row: Row) -> Estimate:
        """A share with the interval of its change from the base game."""
        start = row["value"] - row["change"]
        return Estimate(row["value"], start + row["change_low"], start + row["change_high"], row["n"])

    def draw(canvas: "Canvas") -> None:
        series = [
            (
                answer.names[city],
                [paired(answer.share(row, city)) for row in _rows(answer)],
                colours[city],
                markers[city],
            )
            for city in answer.concerned
        ]
        axes = _over_values(answer, canvas, series, 1)
        axes.axhline(fair, color=MUTED, linewidth=1, linestyle=(0, (3, 3)), zorder=1)
        axes.set_ylabel("win share")
        plots.as_percent(axes.yaxis)
        plots.legend_below(canvas, axes, 4)

    return Figure(
        "sweep-cities",
        "Win share of every city at every value",
        f"With {answer.who}; dashed: the fair share {percent(fair)}, dotted: the base game.",
        draw,
        3.9,
        f"n {answer.games:,} games of each value; bars: paired 95 % intervals of changes from the base",
    )


def _distances(answer: Sweep) -> Figure:
    def draw(canvas: "Canvas") -> None:
        series = [("distance", [distance(row) for row in _rows(answer)], ACCENT, "o")]
        axes = _over_values(answer, canvas, series, 100)
        axes.set_ylim(bottom=0)
        axes.set_ylabel(f"distance, {POINTS}")
        plots.as_plain(axes.yaxis)

    return Figure(
        "sweep-distance",
        "Distance from the target at every value",
        f"Target: {answer.target_text}. Lower is nearer; dotted: the base game.",
        draw,
        2.9,
        f"n {answer.games:,} games of each value; bars are 95 % intervals, and differences are known better",
    )


def _heat(answer: Sweep) -> Figure:
    down, across = answer.numbers
    cells = {answer.values(row): row for row in answer.variants.to_dicts()}
    lines, columns = (sorted({values[place] for values in cells}) for place in (0, 1))
    grid = np.full((len(lines), len(columns)), np.nan)
    for (y, x), row in cells.items():
        grid[lines.index(y), columns.index(x)] = 100 * row["distance"]
    shown = len(columns) <= TEXT_COLUMNS
    texts = [["" if np.isnan(one) or not shown else f"{one:.1f}" for one in line] for line in grid]
    base = 100 * answer.base["distance"]
    # What chance alone explains should look pale.
    evaluated = [row for row in cells.values() if row["stage"] is None and not answer.is_base(row)]
    unsure = max((100 * distance(row, "change").margin for row in evaluated), default=0.0)

    def draw(canvas: "Canvas") -> None:
        axes = canvas.subplots()
        names = [str(y) for y in lines], [str(x) for x in columns]
        plots.heat(axes, -grid, texts, *names, -base, max(unsure, 0.5))  # less distance is better: blue
        y, x = lines.index(down.base), columns.index(across.base)
        axes.plot([x - 0.4, x + 0.4], [y + 0.38] * 2, color=INK, linewidth=1.2)
        axes.set_xlabel(short(across))
        axes.xaxis.set_label_position("top")
        axes.set_ylabel(short(down))

    return Figure(
        "sweep-heat",
        "Distance from the target",
        f"Target: {answer.target_text}. In {POINTS}; blue: nearer than the base game "
        "(underlined), orange: farther; pale: within what chance explains.",
        draw,
        max(0.9 + 0.28 * len(lines), 0.8 + 0.08 * len(short(down))),
        "intervals and n of every variant are in the table",
    )


def _best_dots(answer: Sweep) -> Figure:
    rows = answer.variants.filter(pl.col("stage").is_null()).head(RANKED).to_dicts()
    dots = [
        plots.Dot(
            "base game" if answer.is_base(row) else " · ".join(map(str, answer.values(row))),
            *(100 * row[name] for name in ("distance", "distance_low", "distance_high")),
        )
        for row in rows
    ]

    def draw(canvas: "Canvas") -> None:
        axes = canvas.subplots()
        plots.dots(axes, dots, null=100 * answer.base["distance"], null_label="the base game")
        axes.set_xlabel(f"distance from the target, {POINTS}")
        plots.as_plain(axes.xaxis)

    paths = " · ".join(map(short, answer.numbers))
    return Figure(
        "sweep-ranking",
        "The variants nearest to the target",
        f"Target: {answer.target_text}. Values of {paths}.",
        draw,
        plots.dots_height(len(dots)) + 0.1,
        f"n {answer.games:,} games of each judged; bars: 95 % intervals; differences are known better",
    )


COMMAND = SweepAnalysis()
