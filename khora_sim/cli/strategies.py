"""`khora strategies`: who can play, how they play, and whether a plug-in is sound."""

from pathlib import Path
from typing import Annotated, Any

import typer

from khora_sim.cli.generate import LazyGroup, list_analyses
from khora_sim.cli.output import AsJson, print_json, print_table
from khora_sim.cli.stopping import end_when_endless
from khora_sim.errors import printable

app = typer.Typer(
    help="See who plays, write a strategy, and check it.",
    cls=LazyGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
)
list_analyses(app, "strategies")


@app.command("list", epilog="Example: khora strategies list --quick")
def list_strategies(
    quick: Annotated[
        bool, typer.Option("--quick", help="Without measuring speed, and without compiling.")
    ] = False,
    json: AsJson = False,
) -> None:
    """List built-in and installed strategies and the files in ./strategies, with the speed of built-in ones.

    What a file declares is read from its text; no plug-in is run.
    """
    from khora_sim.strategy.declarations import declaration
    from khora_sim.strategy.finding import available, local

    found = [declaration(name, path) for name, path in (available() | local()).items()]
    rows = [_facts(one) | ({"problem": one.problem} if one.problem else {}) for one in found]
    if not quick:
        _add_speeds(rows)
    rows.sort(key=lambda row: (row["family"], row["name"]))
    if json:
        print_json(rows)
        return
    cells = []
    for row in rows:
        tie_break = {True: "first", False: "random"}.get(row["deterministic"], "")
        speed = f"{row['games_per_second']:,.0f}" if "games_per_second" in row else ""
        summary = row.get("problem") or row["summary"]
        cells.append((row["name"], row["family"], row["kind"], tie_break, speed, summary))
    columns = ("Name", "Family", "Kind", "Tie-break", "Games/s", "Summary")
    print_table(columns, cells, right=("Games/s",))


def _facts(strategy: Any) -> dict[str, Any]:
    names = ("name", "family", "kind", "deterministic", "summary", "source")
    return {name: getattr(strategy, name) for name in names}


def _add_speeds(rows: list[dict[str, Any]]) -> None:
    """Measure games a second of the built-in ones, four of a kind on one thread; nothing else is run."""
    from rich.console import Console
    from rich.progress import track

    from khora_sim.analyses.bench import speed_of
    from khora_sim.strategy.finding import is_built_in
    from khora_sim.strategy.loading import load

    built_in = [row for row in rows if is_built_in(row["name"])]
    console = Console(stderr=True)
    how: dict[str, Any] = {"console": console, "transient": True, "disable": not console.is_terminal}
    for row in track(built_in, "Measuring speed", **how):
        row["games_per_second"] = speed_of(load(row["name"])).games_per_second


@app.command(epilog="Example: khora strategies show merchant")
def show(
    name: Annotated[str, typer.Argument(help="A name, or the path of a plug-in.")], json: AsJson = False
) -> None:
    """Say how a strategy plays and why, what it declares, and what can be set."""
    from khora_sim.strategy.finding import find, is_built_in
    from khora_sim.strategy.loading import describe
    from khora_sim.strategy.parameters import BASE, split_spec

    given, _ = split_spec(name)
    strategy = describe(find(given))
    called = strategy.name if is_built_in(given) else given  # as it can be typed again
    settable = [
        {"name": one.name, "default": one.default, "range": one.range, "help": one.help}
        for one in strategy.declared
    ]
    if strategy.base:
        what = "the strategy it builds on; all that follows are its parameters"
        settable.append({"name": BASE, "default": strategy.base, "range": "a strategy", "help": what})
    if json:
        made = {"made": strategy.made.model_dump(mode="json")} if strategy.made.lines() else {}
        described = {**_facts(strategy), "name": called, "text": strategy.text, "parameters": settable}
        print_json(described | made)
        return
    at_random = "breaks ties between equal options at random"
    tie_break = "takes the first of equal options" if strategy.deterministic else at_random
    print(f"{called} ({strategy.family}, {strategy.kind}; {tie_break})")
    print(f"{strategy.summary}\n\n{strategy.text}\n\nSource: {strategy.source}")
    for line in strategy.made.lines():
        print(printable(line))
    for one in settable:
        print(f"  {called}:{one['name']}={one['default']}   {one['help']} ({one['range']})")


@app.command(epilog="Example: khora strategies new my-idea --kind compiled")
def new(
    name: Annotated[str, typer.Argument(help="What it is called: lower-case letters, digits and hyphens.")],
    kind: Annotated[str, typer.Option(metavar="KIND", help="compiled, weights or python.")] = "compiled",
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where to write it.")] = Path("strategies"),
) -> None:
    """Write a working template with its test, to start from."""
    from khora_sim.common.commands import checking_strategy
    from khora_sim.strategy.templates import write_template

    for path in write_template(name, kind, folder):
        print(f"wrote {path}")
    file = folder / f"{name.replace('-', '_')}{'.toml' if kind == 'weights' else '.py'}"
    print(f"Change it, then: {checking_strategy(file)}")


@app.command(epilog="Example: khora strategies check ./my_idea.py")
def check(
    strategy: Annotated[str, typer.Argument(metavar="PATH", help="A plug-in's path, or a name.")],
    json: AsJson = False,
) -> None:
    """Run the conformance suite on a plug-in and say what is wrong, line by line (exit code 1)."""
    from khora_sim.analyses.check import check_strategy

    verdicts = []
    end_when_endless()
    for verdict in check_strategy(strategy):
        verdicts.append(verdict)
        if not json:
            print(f"{'ok' if verdict.problem is None else 'failed':6}  {verdict.claim}", flush=True)
            if verdict.problem is not None:
                print(f"        {verdict.problem}")
    wrong = sum(verdict.problem is not None for verdict in verdicts)
    if json:
        print_json([{"claim": one.claim, "problem": one.problem} for one in verdicts])
    else:
        print(f"{strategy}: {len(verdicts) - wrong} of {len(verdicts)} checks passed")
    if wrong:
        raise typer.Exit(1)
