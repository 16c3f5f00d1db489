"""`khora data`: look into a study, check it, take it elsewhere."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from khora_sim.cli.generate import LazyGroup
from khora_sim.cli.output import AsJson, print_brief, print_json
from khora_sim.errors import UserError, printable

if TYPE_CHECKING:
    import polars as pl

    from khora_sim.simulation.study import OpenStudy

app = typer.Typer(cls=LazyGroup, help="Look into a study, check it, take it elsewhere.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a study.")]
SHARES = ("strategy", "city", "seat")


@app.command("show", epilog="Example: khora data show runs/first")
def show(folder: Folder, as_json: AsJson = False) -> None:
    """Say what a study is, and its first win shares with their intervals."""
    from khora_sim.simulation.manifest import as_data
    from khora_sim.simulation.study import open_study

    study = open_study(folder)
    shares = _shares(study) if study.game_count else {}
    if as_json:
        manifest = as_data(study.manifest)
        rules = {key: manifest["rules"][key] for key in ("name", "hash", "version")}
        facts = {key: value for key, value in manifest.items() if key not in ("chunks", "enums", "parts")}
        tables = {column: table.to_dicts() for column, table in shares.items()}
        print_json(facts | {"finished_games": study.game_count, "rules": rules, "win_shares": tables})
        return
    for name, fact in _lines(study):
        print(f"{name:<12}{printable(fact)}")
    for column, table in shares.items():
        _print_shares(column, table)
    print_brief([line for one in _stronger(study, shares) for line in ("", one)])


@app.command("check", epilog="Example: khora data check runs/first --repair")
def check(
    folder: Folder,
    repair: Annotated[bool, typer.Option("--repair", help="Play again what is missing or damaged.")] = False,
    strategies: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="For the repair: the study's strategies again, if not all are built in."
        ),
    ] = None,
    by_city: Annotated[
        str | None,
        typer.Option(
            metavar="CITY=STRATEGY,…",
            help="For the repair: the strategies that are tied to cities, likewise.",
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Workers for the repair, all processors if not given.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare every part of a study with its checksum; exit code 1 if any is missing or damaged."""
    from khora_sim.simulation.study import check as checked

    given = {"strategies": strategies, "by_city": by_city}
    named = {key: value for key, value in given.items() if value is not None}
    if named and not repair:
        raise UserError(f"--{next(iter(named)).replace('_', '-')} is for a repair; add --repair")
    report = checked(folder)
    if as_json:
        print_json(
            {
                "parts": report.parts,
                "planned": report.planned,
                "damages": [damage._asdict() for damage in report.damages],
                "strangers": [str(path) for path in report.strangers],
            }
        )
    else:
        _tell(folder, report)
    if report.sound:
        return
    if not repair:
        raise typer.Exit(1)
    _repair(folder, named, workers)


@app.command("export", epilog="Example: khora data export runs/first --csv")
def export(
    folder: Folder,
    csv: Annotated[bool, typer.Option("--csv", help="Write CSV files.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where to; DIR/csv if not given.")
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this table: games, players or rounds; may be repeated."),
    ] = None,
) -> None:
    """Write the tables of a study in another format."""
    from khora_sim.simulation.study import export_csv, open_study

    if not csv:
        raise UserError("say which format: --csv")
    if out is None and (folder / "csv").is_symlink():
        raise UserError(f"{folder / 'csv'}: is a link; say where the files go: --out FOLDER")
    for path in export_csv(open_study(folder), out or folder / "csv", table):
        print(path)


def _shares(study: "OpenStudy") -> dict[str, "pl.DataFrame"]:
    """Win shares by each of some columns, from one pass over the games."""
    import polars as pl

    from khora_sim.stats import shares, sums_of

    sums = sums_of(study.players, ["players", *SHARES], {"win_share": pl.col("win_share")})
    return {
        column: shares(sums, ["players", column], "win_share", rows_per_group=study.rows_per_group)
        for column in SHARES
    }


def _stronger(study: "OpenStudy", shares: dict[str, "pl.DataFrame"]) -> list[str]:
    """Caveats on cities that win otherwise with the strongest published player."""
    from khora_sim.pages.published_answers import study_in_stronger_hands

    if not shares:
        return []
    names = shares["strategy"]["strategy"].unique().to_list()
    return [
        line
        for (players,), own in shares["city"].group_by("players", maintain_order=True)
        for line in study_in_stronger_hands(
            study.manifest, players, names, dict(own.select("city", "value").iter_rows())
        )
    ]


def _print_shares(column: str, table: "pl.DataFrame") -> None:
    """A table of win shares, the best first, with what chance alone would give."""
    from khora_sim.pages.table import Table, count, number, share, text

    best_first = table.sort(["players", "value"], descending=[False, True]) if column != "seat" else table
    columns = [
        *([count("Players", "players")] if table["players"].n_unique() > 1 else []),
        text(column.capitalize(), column),
        share("Win share"),
        number("By chance", lambda row: 100 / row["players"], lambda chance: f"{chance:.3g} %"),
        count("Played", "n"),
    ]
    print_brief(["", Table.of(column, "", best_first, columns)])


def _lines(study: "OpenStudy") -> list[tuple[str, str]]:
    """The facts of a study, one by one."""
    from khora_sim.common.wording import listed
    from khora_sim.simulation.simulate import finished_in_words, lineup_in_words, size

    manifest, plan = study.manifest, study.plan
    bytes_ = sum(file.bytes for part in manifest.parts for file in part.tables.values())
    state = "complete" if study.complete else f"incomplete: {finished_in_words(manifest)}"
    players = listed([str(players) for players in plan.players])
    rules = f"{manifest.rules.name}, {manifest.rules.hash[:12]}"
    return [
        ("Study", f"{study.folder}, {manifest.study[:12]}, {state}"),
        ("Games", f"{study.game_count:,} with {players} players, {manifest.groups:,} rotation groups"),
        ("Line-up", lineup_in_words(plan)),
        ("Rotation", manifest.rotation),
        ("Rules", f"{rules}; seed {plan.seed}"),
        *([("", manifest.rules.version_note)] if manifest.rules.version_note else []),
        ("Tables", f"{', '.join(study.tables)}; {size(bytes_)} in {len(manifest.parts)} parts"),
    ]


def _tell(folder: Path, report: Any) -> None:
    for damage in report.damages:
        print(f"{folder}: part {damage.number} of {damage.table} is {damage.what}")
    for path in report.strangers:
        name = printable(str(path))
        print(f"{name}: is not in the manifest (left by a run that was killed; --resume overwrites it)")
    state = "all sound" if report.sound else f"{len({one.number for one in report.damages})} not sound"
    print(f"{folder}: {report.parts} of {report.planned} parts are finished, {state}")
    if not report.sound:
        from khora_sim.common.commands import repairing
        from khora_sim.simulation.manifest import made_elsewhere, read_manifest, with_strategies

        manifest = read_manifest(folder)
        if elsewhere := made_elsewhere(manifest):
            print(f"They cannot be played again here: {elsewhere}")
        else:
            print(f"Play them again with: {with_strategies(repairing(folder), manifest.plan)}")


def _repair(folder: Path, named: dict[str, str], workers: int | None) -> None:
    from khora_sim.cli.stopping import stoppable
    from khora_sim.common.commands import repairing
    from khora_sim.pages.progress import progress_shown
    from khora_sim.simulation.backend import backend_for
    from khora_sim.simulation.manifest import plan_of, read_manifest
    from khora_sim.simulation.run import run_study
    from khora_sim.simulation.simulate import outcome_in_words, stopped_in_words

    arm = plan_of(folder, read_manifest(folder), named, repairing(folder))
    with stoppable(lambda: stopped_in_words(folder)), progress_shown(True) as shown:
        outcome = run_study(arm, folder, backend_for(arm, workers), resume=True, progress=shown)
    print(outcome_in_words(outcome, folder))
