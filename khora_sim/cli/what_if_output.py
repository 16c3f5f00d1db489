"""The answer of `khora what-if` on a terminal."""

from typing import TYPE_CHECKING

from khora_sim.cli.output import print_table

if TYPE_CHECKING:
    import polars as pl

    from khora_sim.analyses.what_if_answer import Variant, Verdict, WhatIf


def print_in_words(answer: "WhatIf") -> None:
    """Print all variants, one after another."""
    for variant in answer.variants:
        _print(answer, variant)


def _print(answer: "WhatIf", variant: "Variant") -> None:
    from khora_sim.pages import what_if_words as say
    from khora_sim.pages.what_if_players import adaptation, adapted_or_not

    tables = ", ".join(map(str, answer.players))
    print(f"{variant.label}: {tables} players, seed {answer.seed}, rules {variant.rules.short_hash}")
    for line in say.changes(variant):
        print(f"  {line}")
    for verdict in variant.verdicts:
        print(f"\n{say.headline(answer, variant, verdict)}")
        if verdict.adapted is not None:
            print(f"  {adaptation(verdict, say.city_names(answer.base, variant.rules))}")
        if not verdict.same:
            _print_thing(verdict)
        print(say.detail(answer, variant, verdict))
        if not verdict.same:
            _print_changes(answer, variant, verdict)
    _print_games(answer, variant)
    if len(variant.verdicts) > 1 and len(answer.players) > 1:
        _print_side_by_side(answer, variant)
    for line in adapted_or_not(answer, variant):
        print(f"\n{line}")


def _print_thing(verdict: "Verdict") -> None:
    """How often the change came up, and what it did to the changed thing."""
    from khora_sim.pages import what_if_words as say
    from khora_sim.pages.wording import rows_of

    for line in (*say.exposure(verdict), say.elsewhere(verdict)):
        print(f"  {line}")
    for row in rows_of(verdict.tables.effects):
        print(f"  {say.effect(row)}.")


def _print_changes(answer: "WhatIf", variant: "Variant", verdict: "Verdict") -> None:
    """Win shares of the cities before and after, and of strategies where several play."""
    from khora_sim.pages import what_if_words as say

    _print_shares("City", verdict.tables.city_wins, say.city_names(answer.base, variant.rules))
    if len(verdict.tables.strategy_wins):
        _print_shares("Strategy", verdict.tables.strategy_wins, {})
    for line in (say.pairing(verdict), say.needed(verdict), say.scores(verdict)):
        if line:
            print(f"  {line}")


def _print_shares(title: str, table: "pl.DataFrame", names: dict[str, str]) -> None:
    from khora_sim.pages import what_if_words as say
    from khora_sim.pages.wording import estimate_of, in_percent, in_points, p_text, rows_of

    rows = [
        (
            str(names.get(row[title.lower()], row[title.lower()])),
            in_percent(row, "first"),
            in_percent(row, "second"),
            in_points(estimate_of(row)),
            p_text(row["p_holm"]),
            f"{row['n']:,}",
            say.gain(row["pairing_gain"]),
        )
        for row in rows_of(table.sort("value", descending=True))
    ]
    columns = (title, "Before", "After", "Change", "p (Holm)", "n", "Pairing gain")
    print_table(columns, rows, right=columns[1:])


def _print_games(answer: "WhatIf", variant: "Variant") -> None:
    """Where some games part that somebody else wins."""
    from khora_sim.pages import what_if_words as say
    from khora_sim.pages.what_if_games import parting_in_words

    games = variant.main.changed_games
    if games:
        print("\nGames that somebody else wins:")
    for game in games:
        print(f"  {parting_in_words(say.city_names(answer.base, variant.rules), game)}")


def _print_side_by_side(answer: "WhatIf", variant: "Variant") -> None:
    """The change of every city's win share in all verdicts, which are not compared with each other."""
    from khora_sim.pages import what_if_words as say
    from khora_sim.pages.what_if_players import label
    from khora_sim.pages.wording import estimate_of, in_points, rows_of

    names = say.city_names(answer.base, variant.rules)
    found = [
        {row["city"]: in_points(estimate_of(row)) for row in rows_of(verdict.tables.city_wins)}
        for verdict in variant.verdicts
    ]
    columns = [f"{verdict.players} players, {label(verdict)}" for verdict in variant.verdicts]
    known = [city for city in names if any(city in one for one in found)]
    rows = [(names[city], *(one.get(city, "") for one in found)) for city in known]
    rows.append(("Distance", *(in_points(verdict.fairness.change) for verdict in variant.verdicts)))
    rows.append(("Games", *(f"{verdict.games:,}" for verdict in variant.verdicts)))
    print("\nChanges side by side, in percentage points; they are not compared with each other:")
    print_table(("City", *columns), rows, right=columns)
