"""`khora rules`: list what the game is made of, show one thing, check a variant."""

from typing import Annotated, Any

import typer

from khora_sim.cli.generate import LazyGroup
from khora_sim.cli.output import AsJson, print_json, print_table
from khora_sim.errors import UserError, nearest

app = typer.Typer(cls=LazyGroup, help="Look at the rules, and check a variant of them.", no_args_is_help=True)


SECTIONS = ("cards", "cities", "events", "spaces", "tracks")
RulesFile = Annotated[
    str | None, typer.Option("--rules", metavar="FILE", help="A variant in TOML, laid over the base game.")
]


@app.command("list", epilog="Example: khora rules list cards")
def list_rules(
    section: Annotated[str, typer.Argument(metavar="|".join(SECTIONS), help="What to list.")],
    rules_file: RulesFile = None,
    as_json: AsJson = False,
) -> None:
    """List all cards, cities, events, spaces or tracks."""
    from khora_sim.cli.rules_in_words import entries, table_of
    from khora_sim.rules import load_rules

    if section not in SECTIONS:
        raise UserError(f'no list of "{section}"; {nearest(section, SECTIONS)}')
    rules = load_rules(rules_file)
    if as_json:
        print_json(entries(rules, section))
        return
    print_table(*table_of(rules, section))
    under = "" if rules.name == "base" else f" in {rules.name}"
    print(f"\n{len(entries(rules, section))} {section}{under}")


@app.command("show", epilog="Example: khora rules show lighthouse")
def show_rule(
    name: Annotated[str, typer.Argument(help="Id or name of a card, city, event, space or track.")],
    rules_file: RulesFile = None,
    as_json: AsJson = False,
) -> None:
    """Show one card, city, event, space or track."""
    from khora_sim.cli.rules_in_words import entry_in_words, find
    from khora_sim.rules import load_rules

    rules = load_rules(rules_file)
    found = find(rules, name)
    if as_json:
        print_json([{"section": section, **entry} for section, entry in found])
        return
    print("\n\n".join(entry_in_words(rules, section, entry) for section, entry in found))


@app.command("check", epilog="Example: khora rules check my-variant.toml")
def check_rules(
    variant: Annotated[str, typer.Argument(metavar="FILE", help="A variant in TOML.")],
    as_json: AsJson = False,
) -> None:
    """Check a variant, and say what it changes against the base game."""
    from dataclasses import asdict

    from khora_sim.common.wording import counted
    from khora_sim.rules import load_rules

    rules = load_rules(variant)
    found = rules.changes()
    if as_json:
        data: dict[str, Any] = {"file": variant, "name": rules.name, "hash": rules.hash}
        print_json(data | {"changes": [asdict(change) for change in found]})
        return
    print(f"{variant}: ok. {rules.name}: {rules.model.text}")
    for change in found:
        print(f"  {change.in_words()}")
    count = counted(len(found), "change") if found else "no changes"
    print(f"{count} against the base game; rules {rules.short_hash}")
