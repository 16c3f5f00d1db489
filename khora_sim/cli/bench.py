"""`khora bench`: how fast it is, on this machine."""

from typing import Annotated, Any

import typer

from khora_sim.cli.output import print_json, print_table


def bench(
    study: Annotated[bool, typer.Option("--study", help="Measure whole studies, written to disk.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repeats, and no compiling in an empty cache.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the figures for a script.")] = False,
) -> None:
    """Measure how fast the engine plays, on one thread, against the same source run uncompiled."""
    if study:
        from khora_sim.lab.bench import measure_study, print_study

        figures = measure_study(quick=quick)
        print_json(figures) if json else print_study(figures)
        return
    from khora_sim.bench import measure

    figures = measure(quick)
    print_json(figures) if json else _print_engine(figures)


def _print_engine(figures: dict[str, Any]) -> None:
    print("Random legal play, one thread, views and ledger included:")
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
            f"Compiling everything, once: {figures['compile_seconds']:.0f} s; "
            f"starting from the compiled cache: {figures['start_from_cache_seconds']:.1f} s."
        )
    print(f"Load of the machine: {figures['load_average']:.1f} on {figures['cores']} cores.")
