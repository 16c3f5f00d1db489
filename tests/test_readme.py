"""Everything the README shows is run; every link in the documentation leads somewhere."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import khora_sim

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
FILE = re.compile(r"<!-- file: (\S+) -->\s*```\w+\n(.*?)```", re.S)
CONSOLE = re.compile(r"```console\n(.*?)```", re.S)
SHOWING = [ROOT / "README.md", ROOT / "docs" / "findings.md"]  # pages with commands and what they print
QUOTED = re.compile(r"Olympia wins (\S+ % ± \S+) of its four-player games \(khora (\S+), rules (\w+),")
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")


def commands_of(block: str) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with the output that is shown below it."""
    commands: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif line.strip():
            commands[-1][1].append(line.rstrip())
    return commands


def first_missing(shown: list[str], printed: str) -> str | None:
    """The first shown line that the output does not have, in order; `…` stands for anything."""
    lines = iter(printed.splitlines())
    for wanted in shown:
        if wanted.strip() == "…":
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in wanted.strip().split("…")))
        if not any(pattern.fullmatch(line.strip()) for line in lines):
            return wanted
    return None


@pytest.mark.slow
@pytest.mark.parametrize("page", SHOWING, ids=lambda page: page.name)
def test_every_command_works_and_prints_what_is_shown(page: Path, tmp_path: Path) -> None:
    text = page.read_text()
    for name, content in FILE.findall(text):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    commands = [
        (command, shown)
        for block in CONSOLE.findall(text)
        for command, shown in commands_of(block)
        if command.startswith("khora")
    ]
    assert len(commands) >= 4
    for command, shown in commands:
        result = subprocess.run(
            [sys.executable, "-m", "khora_sim", *shlex.split(command)[1:]],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "100"},
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, f"{command}: {result.stderr}"
        missing = first_missing(shown, result.stdout + result.stderr)
        assert missing is None, f"{command} does not print: {missing}\n{result.stdout}"


def test_the_readme_quotes_the_figure_that_its_table_shows() -> None:
    text = (ROOT / "README.md").read_text()
    quoted = QUOTED.search(text)
    assert quoted is not None
    assert re.search(rf"^olympia +{re.escape(quoted[1])} ", text, re.M)
    assert quoted[2] == khora_sim.__version__
    assert quoted[3] == khora_sim.load_rules().short_hash


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    targets = [target for target, _ in LINK.findall(page.read_text()) if "://" not in target]
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


def test_the_project_names_no_machine_and_no_registry() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    suspects = re.compile(r"/(?:work|root|home)/\w|https?://(?:pypi|registry|deb)\.")
    texts = [name for name in tracked if name.endswith((".py", ".md", ".toml", ".txt", "Makefile", ".ipynb"))]
    texts.remove("tests/test_readme.py")  # it names what it looks for
    assert [name for name in texts if suspects.search((ROOT / name).read_text())] == []
