"""`make docs`: run every command that README and findings show and put in what it prints; run the notebooks.

A shown line begins a piece of output up to the next `…`. The piece is found again by its first word and
replaced by as many lines as it had. Sentences are not touched: read them again.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tests.test_readme import CONSOLE, FILE, ROOT, SHOWING


def refreshed(block: str, folder: Path) -> str:
    """A console block with what its commands print now."""
    lines: list[str] = []
    printed: list[str] = []
    shown: list[str] = []

    def flush() -> None:
        nonlocal printed
        if shown and shown[0].strip():
            first = shown[0].split()[0]
            start = next(i for i, line in enumerate(printed) if line.split()[:1] == [first])
            lines.extend(line.rstrip() for line in printed[start : start + len(shown)])
            printed = printed[start + len(shown) :]
        shown.clear()

    for line in block.splitlines():
        if line.startswith("$ ") or line.strip() == "…":
            flush()
            lines.append(line)
        else:
            shown.append(line)
        if line.startswith("$ khora"):
            printed = run(line[2:], folder)
    flush()
    return "\n".join(lines) + "\n"


def run(command: str, folder: Path) -> list[str]:
    """What a command prints, line by line."""
    print(command, flush=True)
    environment = {**os.environ, "COLUMNS": "100", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "khora_sim", *shlex.split(command)[1:]]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return (done.stdout + done.stderr).splitlines()


def refresh_page(page: Path) -> None:
    """Run the commands of a page in order, in one folder."""
    text = page.read_text()
    with tempfile.TemporaryDirectory(prefix="khora-docs-") as name:
        folder = Path(name)
        for file, content in FILE.findall(text):
            (folder / file).write_text(content)
        text = CONSOLE.sub(lambda found: f"```console\n{refreshed(found[1], folder)}```", text)
        for picture in folder.glob("*.png"):
            if (ROOT / "docs" / picture.name).exists():
                (ROOT / "docs" / picture.name).write_bytes(picture.read_bytes())
    page.write_text(text)


def refresh_notebook(path: Path) -> None:
    """Run a notebook from a clean kernel and keep its results."""
    print(path.name, flush=True)
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it was run
    notebook.metadata.get("language_info", {}).pop("version", None)
    text = re.sub(r"(?:/[\w.-]+)+/khora-", "khora-", nbformat.writes(notebook))
    path.write_text(text.rstrip() + "\n")


def main() -> None:
    """Refresh all of it."""
    for page in SHOWING:
        refresh_page(page)
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        refresh_notebook(notebook)


if __name__ == "__main__":
    main()
