"""Commands of analyses: listed from the registry, and made from their options when one is called."""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from khora_sim.analyses import REGISTRY, Entry


class LazyGroup(TyperGroup):
    """A group of commands in which an analysis is loaded only when it is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that was typed."""
        name, command, rest = super().resolve_command(ctx, args)
        typed = name if ctx.parent is None else f"{self.name} {name}"
        entry = next((one for one in REGISTRY.values() if one.command == typed), None)
        return name, command if entry is None else made(entry), rest


def made(entry: Entry) -> Any:
    """The command of an analysis, made from its options."""
    from khora_sim.cli.generate import analysis_command

    module = import_module(entry.module)
    made = module.cli_command(entry.summary) if hasattr(module, "cli_command") else analysis_command(entry)
    alone = typer.Typer(rich_markup_mode="rich", add_completion=False, pretty_exceptions_enable=False)
    name = entry.command.rpartition(" ")[2]
    alone.command(name, epilog=f"Example: {entry.example}")(made)
    return typer.main.get_command(alone)


def list_analyses(app: typer.Typer, group: str = "") -> None:
    """List the analyses of a group among its commands."""
    for one in REGISTRY.values():
        if one.group == group:
            name = one.command.rpartition(" ")[2]
            app.command(name, help=one.summary, rich_help_panel=None if group else one.panel)(_stand_in)


def _stand_in() -> None:
    """Stand in for an analysis in the list of commands."""
