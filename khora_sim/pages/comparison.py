"""Two sides compared: paired game by game where they met the same seeds, else as wholes.

`report --compare` has two studies as sides, `what-if` the base game and a change. Both measure with `Sides`,
correct all differences of one family together (`stats.corrected`), and word and show them with `Comparison`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING

import polars as pl

from khora_sim.common.wording import counted, listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.table import Column, Table, amount, count, number, p_value, pp, share, sides, text
from khora_sim.pages.wording import (
    POINTS,
    SHOWN_UNKNOWN,
    Row,
    estimate_of,
    in_points,
    is_significant,
    rows_of,
    shortened,
)
from khora_sim.rules.schema import Game
from khora_sim.stats import decimals_of, format_estimate, unpaired_table, wilson
from khora_sim.stats.paired import paired_tables
from khora_sim.stats.sums import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Label = Callable[[Row], str]  # names a row of a table
OVERALL = "overall"
NO_CITY_SEEN = "no city's win share changes by an amount that can be seen"
NO_CHANGE = "No change in "  # begins every sentence that claims nothing
SHARED_DRAWS = (
    "The random draws that both sides share are in the interval of each side: changes are known better."
)


@dataclass(frozen=True, kw_only=True)
class Sides:
    """The rows of two sides; where they are paired, a row's partner has the same keys."""

    first: Frame
    second: Frame
    paired: bool = True
    keys: tuple[str, ...] = ("game", "seat")

    def compared(self, by: str, *values: str) -> dict[str, pl.DataFrame]:
        """Second minus first, value by value, for every city, seat, strategy or number of players."""
        if self.paired:
            found = paired_tables(self.first, self.second, by, values, keys=self.keys)
        else:
            found = {one: unpaired_table(self.first, self.second, by, value=one) for one in values}
        return {one: table.with_columns(pl.col(pl.Enum).cast(pl.String)) for one, table in found.items()}

    def overall(self, *values: str) -> dict[str, pl.DataFrame]:
        """Second minus first, value by value, over all rows: a row for each value."""
        sides = [frame.with_columns(pl.lit("all").alias(OVERALL)) for frame in (self.first, self.second)]
        whole = Sides(first=sides[0], second=sides[1], paired=self.paired, keys=self.keys)
        return {one: table.drop(OVERALL) for one, table in whole.compared(OVERALL, *values).items()}


def stacked(tables: Mapping[str, pl.DataFrame], column: str, labels: Mapping[str, str]) -> pl.DataFrame:
    """The tables of several values as one, with a column that names the value."""
    return pl.concat(
        [tables[name].select(pl.lit(text).alias(column), pl.all()) for name, text in labels.items()]
    )


def significant(table: pl.DataFrame) -> list[Row]:
    """The rows that change significantly after correction, the largest change first."""
    rows = [row for row in rows_of(table) if is_significant(row["p_holm"])]
    return sorted(rows, key=lambda row: -abs(row["value"]))


def before_after_change(row: Row, *, percent: bool = False) -> list[str]:
    """Both sides of a row and its change as they are shown; a dash where one is unknown."""
    return [
        SHOWN_UNKNOWN
        if row[side] is None
        else format_estimate(estimate_of(row, side), percent=percent, signed=side == "value", with_n=False)
        for side in ("first", "second", "value")
    ]


def equal_results(games: int, groups: int) -> str:
    """Return what is known where every game came out the same."""
    bound = 100 * wilson(0, groups).high
    rare = f"{bound:.{max(decimals_of(bound), 0)}f} %"
    return (
        f"All scores and winners of {counted(games, 'game')} in {counted(groups, 'rotation group')} are the "
        f"same. A change that shows in more than {rare} of the rotation groups is excluded (95 %); a rarer "
        "one is not."
    )


def pairing_worth(city_wins: pl.DataFrame) -> str:
    """Return how many games the same seeds on both sides save."""
    gains = city_wins["pairing_gain"].drop_nulls()
    middle = float(gains.filter(gains.is_finite()).median() or 1.0)  # type: ignore[arg-type]
    if middle < 1.05:
        return "Pairing gains little here: the games went their own ways soon after the same start."
    return (
        f"Pairing is worth {middle:.1f} times the games (median city): unpaired studies would have needed "
        "that many for the same intervals."
    )


def correction(comparisons: int, family: str) -> str:
    """Explain how p-values and intervals are to be read together."""
    return (
        f"p (Holm) is corrected for all {comparisons} comparisons of {family} together; an interval is for "
        "its own number alone, so some leave out zero by chance."
    )


@dataclass(frozen=True)
class Comparison:
    """Words, tables and figures of a comparison, made from tables that were corrected together."""

    sides: tuple[str, str]  # titles of the first side and of the second
    change: str  # title of the change
    cities: Mapping[str, str]  # names by id
    family: str  # what was corrected together: `this page`
    prefix: str  # of the names of tables and figures
    percent: bool = True  # wins are shares; else they are counted against the fair share

    @property
    def correction(self) -> str:
        """The correction after which something is significant."""
        return f"after correction for all comparisons of {self.family}"

    def city(self, row: Row) -> str:
        """The name of a row's city."""
        return self.cities[row["city"]]

    def winners(self, city_wins: pl.DataFrame) -> str:
        """The cities that win more and less for certain, in a clause; empty where there are none."""
        # Which city changes most is not tested: all significant changes are named, the largest change first.
        moved, parts = significant(city_wins), []
        for word, sign in (("more", 1), ("less", -1)):
            cities = [self.city(row) for row in moved if sign * row["value"] > 0]
            if cities:
                verb = "win" if len(cities) > 1 else "wins"
                parts.append(f"{shortened(cities, 'more cities')} {verb} {word}")
        return listed(parts)

    def lead(self, what: str, table: pl.DataFrame, label: Label, *, shares: bool = False) -> str:
        """The significant changes of a table in a sentence, the largest first."""
        changed, percent = [], shares and self.percent
        for row in significant(table):
            estimate = estimate_of(row)
            shown = in_points(estimate) if percent else format_estimate(estimate, signed=True, with_n=False)
            changed.append(f"{label(row)} {shown}")
        if not changed:
            return f"{NO_CHANGE}{what} is significant {self.correction}."
        return f"Significant changes in {what}{f', in {POINTS}' if percent else ''}: {listed(changed)}."

    def table(
        self,
        name: str,
        title: str,
        frame: pl.DataFrame,
        heads: Sequence[Column],
        *,
        shares: bool = False,
        shown: bool = True,
        note: str = "",
    ) -> Table:
        """Both sides, the change with its interval, and where it is tested its p-value and pairing gain."""
        percent, tested = shares and self.percent, "p_holm" in frame.columns
        columns = [
            *heads,
            *sides(self.sides, share if percent else amount),
            pp(self.change) if percent else amount(self.change, signed=True),
            *([p_value()] if tested else []),
            count("n", "n"),
        ]
        notes = [note] if note else []
        if percent:
            notes.append(f"{self.change} in {POINTS}.")
        if tested and "pairing_gain" in frame.columns:
            gain = number("Pairing gain", "pairing_gain", lambda one: "all" if isinf(one) else f"{one:.1f}")
            columns.append(gain)
            notes.append(SHARED_DRAWS)
        return Table.of(f"{self.prefix}{name}", title, frame, columns, note=" ".join(notes), open=shown)

    def city_tables(self, wins: pl.DataFrame, scores: pl.DataFrame) -> list[Table]:
        """Win share and mean score of every city."""
        heads = [text("City", "city", self.cities)]
        return [
            self.table("cities", "Win share of each city", wins, heads, shares=True),
            self.table("scores", "Mean score of each city", scores, heads, shown=False),
        ]

    def dots(
        self,
        name: str,
        titles: tuple[str, str, str],  # of the figure, what it shows in a sentence, and of its axis
        table: pl.DataFrame,
        label: Label,
        counted: str,
        *,
        shares: bool = False,
    ) -> Figure:
        """The changes of a table as dots, the largest on top; filled where they are significant."""
        title, sentence, axis = titles
        known = list(self.cities)
        colours, markers = plots.city_colours(known), plots.city_markers(known)
        rows = [
            plots.Dot(
                label(row),
                row["value"],
                row["low"],
                row["high"],
                colours.get(row.get("city", ""), plots.ACCENT),
                markers.get(row.get("city", ""), "o"),
                faint=not is_significant(row["p_holm"]),
            )
            for row in rows_of(table.sort("value", descending=True))
        ]

        def draw(canvas: "Canvas") -> None:
            axes = canvas.subplots()
            plots.dots(axes, rows, null=0.0, null_label="no change")
            axes.set_xlabel(axis)
            plots.as_percent(axes.xaxis) if shares and self.percent else plots.as_plain(axes.xaxis)

        return Figure(
            f"{self.prefix}{name}",
            title,
            f"{sentence} Filled dots are significant {self.correction}.",
            draw,
            plots.dots_height(len(rows)) + 0.1,
            f"{counted}; bars are 95 % intervals",
        )


# Random draws that games of the same seed share, stream by stream.

YES, NO, PARTLY = "yes", "no", "in part"
Stream = tuple[str, str, str]  # its name, whether it is the same, how
#: Streams that part with the games, whatever the sides are.
LATER: tuple[Stream, ...] = (
    (
        "cards drawn later",
        PARTLY,
        "The order of the deck is fixed, but who draws which card depends on how many were drawn before: "
        "the same until the games part, then not.",
    ),
    (
        "players' own draws",
        PARTLY,
        "By seat, round and how many decisions the player has made in that round: the same until that "
        "number differs, and again from the next round. They decide between options that a player rates "
        "alike, and the possible worlds of players that look ahead.",
    ),
)


def streams(one: Game, two: Game, *, same_first_player: bool = True) -> pl.DataFrame:
    """Every stream of random draws, whether it is the same on both sides, and how far."""
    same_cards = set(one.cards) == set(two.cards)
    rows: list[Stream] = []
    if set(one.cities) == set(two.cities):
        rows.append(("cities", YES, "All sets of cities come equally often, in the same games."))
        rows.append(("seats", YES, "In the same games the cities sit in the same seats."))
    else:
        how = "Drawn by chance, by keys of their own: the same but for those that one side lacks."
        rows.append(("cities", PARTLY, how))
        how = "The same but for those of a city that one side lacks; there sits the first that was not drawn."
        rows.append(("seats", PARTLY, how))
    if one.options.shared_dice == two.options.shared_dice:
        how = "By seat, round and die, to the end of the game, whatever is decided; a third die, too."
        rows.append(("dice", YES, how))
    else:
        how = "On one side all use the same two, rolled for no seat; only a third die is the same."
        rows.append(("dice", PARTLY, how))
    if one.options.reroll and two.options.reroll:
        how = "By seat, round and die, apart from the first roll: the same wherever both sides reroll a die."
        rows.append(("rerolls", YES, how))
    elif one.options.reroll or two.options.reroll:
        how = "Only one side rerolls. First rolls are the same; what a reroll brings has no partner."
        rows.append(("rerolls", NO, how))
    if one.hand_dealt != two.hand_dealt:
        rows.append(("hands", NO, "The sides deal different numbers of cards from the same deck."))
    elif not same_cards:
        how = "The same up to the first card that only one side has; from there by a card on."
        rows.append(("hands", PARTLY, how))
    elif one.options.draft != two.options.draft:
        how = "The same cards are dealt; on one side they are drafted, on the other they are kept."
        rows.append(("hands", YES, how))
    else:
        how = "Five cards or as many as the rules say; what is kept of them is decided."
        rows.append(("hands", YES, how))
    how = "The same but for the cards that only one side has; behind each of them all draws move by a card."
    deck = (YES, "By keys of the cards' own.") if same_cards else (PARTLY, how)
    rows.append(("order of the deck", *deck))
    exceptions = events_except(one, two)
    events = (PARTLY, f"The same except {listed(exceptions)}.") if exceptions else (YES, "By round.")
    rows.append(("events", *events))
    chosen = (YES, "By the game's seed.") if same_first_player else (NO, "Chosen in different ways.")
    rows.append(("first player", *chosen))
    return pl.DataFrame([*rows, *LATER], schema=["stream", "same", "how"], orient="row")


def shared_draws(found: pl.DataFrame) -> list[str]:
    """List what games of the same seed share, with a sentence for each stream that the rules change."""
    same = found.filter(same=YES)["stream"].to_list()
    constant = [name for name, *_ in LATER]
    others = found.filter((pl.col("same") != YES) & ~pl.col("stream").is_in(constant))
    return [
        f"Game by game the same in both: {listed(same)}.",
        *(f"{name.capitalize()}: {how[0].lower()}{how[1:]}" for name, _, how in others.iter_rows()),
    ]


def draws_section(found: pl.DataFrame, prefix: str) -> Section:
    """All streams in a table."""
    columns = [text("Stream", "stream"), text("The same", "same"), text("How", "how", long=True)]
    return Section(
        "luck",
        "What luck is the same",
        "Game by game both sides meet the random draws of one seed. Stream by stream:",
        tables=[Table.of(f"{prefix}luck", "Streams of random draws", found, columns, open=True)],
    )


def events_except(one: Game, two: Game) -> list[str]:
    """Rounds in which games of the same seed may have different events; none: all events are the same.

    Both games draw the events between the first and the last round in the same order. The shorter game ends
    with the last event, where the longer one draws on.
    """
    first, middle, last = (
        [{name for name, event in game.events.items() if event.slot == slot} for game in (one, two)]
        for slot in ("first", "middle", "last")
    )
    rounds = min(one.rounds, two.rounds)
    found = []
    if first[0] != first[1]:
        found.append("in round 1")
    if one.rounds != two.rounds:
        found.append(f"from round {rounds} on")
    elif last[0] != last[1]:
        found.append(f"in round {rounds}")
    if middle[0] != middle[1]:
        found.append("in the rounds of those that only one side has, and of those that make room for them")
    return found
