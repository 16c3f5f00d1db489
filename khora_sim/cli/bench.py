"""`khora bench`: how fast it is, on this machine."""

from typing import Annotated, Any

import typer

from khora_sim.cli.output import print_json, print_table
from khora_sim.errors import UserError


def bench(
    study: Annotated[bool, typer.Option("--study", help="Measure whole studies, written to disk.")] = False,
    strategies: Annotated[
        str | None,
        typer.Option(
            help="Who is measured, four of the same at a table (with --study: who plays it): name,name,…",
            show_default="random play; with --study four archetypes",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repeats, and no compiling in an empty cache.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the figures for a script.")] = False,
) -> None:
    """Measure how fast games are played: processor time of one thread, the best of several runs.

    Studies (--study) and compiling are measured in seconds of waiting.
    """
    from khora_sim.simulation.study_file import split_list

    named = None if strategies is None else tuple(split_list(strategies))
    if named == ():
        raise UserError("--strategies: none is named")
    if study:
        from khora_sim.analyses.bench_study import measure_study, print_study

        figures = measure_study(quick=quick, strategies=named)
        print_json(figures) if json else print_study(figures)
        return
    from khora_sim.analyses.bench import measure, measure_strategies

    if named:
        figures = measure_strategies(named)
        print_json(figures) if json else _print_strategies(figures)
        return
    figures = measure(quick)
    print_json(figures) if json else _print_engine(figures)


def _print_engine(figures: dict[str, Any]) -> None:
    print("Random legal play, processor time of one thread, views and ledger included, the best run:")
    columns = (
        "players",
        "games/s",
        "µs/game",
        "decisions/game",
        "ns/decision",
        "uncompiled µs/game",
        "times as fast",
    )
    rows = [
        (
            str(row["players"]),
            f"{row['games_per_second']:,.0f}",
            f"{row['microseconds_per_game']:.1f}",
            f"{row['decisions_per_game']:.0f}",
            f"{row['nanoseconds_per_decision']:.0f}",
            f"{row['uncompiled_microseconds_per_game']:,.0f}",
            f"{row['times_as_fast']:,.0f}",
        )
        for row in figures["random_play"]
    ]
    print_table(columns, rows, right=columns)
    print(
        f"A game is {figures['record_bytes']} bytes; a copy takes {figures['nanoseconds_per_copy']:.0f} ns, "
        f"a view {figures['nanoseconds_per_view']:.0f} ns."
    )
    if "compile_seconds" in figures:
        print(
            f"Compiling the engine, once: {figures['compile_seconds']:.0f} s; "
            f"starting from the compiled cache: {figures['start_from_cache_seconds']:.1f} s."
        )
    _print_load(figures)


def _print_strategies(figures: dict[str, Any]) -> None:
    print("Four of the same at a table, processor time of one thread, the best run:")
    columns = ("strategy", "µs/game", "games/s", "ms/decision")
    rows = [
        (
            row["strategy"],
            f"{row['microseconds_per_game']:,.1f}",
            f"{row['games_per_second']:,.0f}",
            f"{row['milliseconds_per_decision']:.4f}",
        )
        for row in figures["strategies"]
    ]
    print_table(columns, rows, right=columns[1:])
    _print_load(figures)


def _print_load(figures: dict[str, Any]) -> None:
    print(f"Load of the machine: {figures['load_average']:.1f} on {figures['cores']} cores.")
