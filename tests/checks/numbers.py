"""`make numbers`: every figure that README, docs, notebooks and the sample report print, from real runs.

Console blocks are run in the order of their page, files of the page are written where they stand. Without `…`
all that a command prints is shown. Otherwise each piece between two `…` is found again by how its first line
begins, whatever its figures are, and replaced by as many lines as it had. A block after `<!-- not run -->`
stays. Sentences stay: read them again.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from functools import partial
from itertools import takewhile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

import khora_sim
from tests.checks.examples import EXAMPLES, run_again
from tests.test_readme import QUOTED, ROOT, SHOWING, commands_of

# Pages of docs with commands.
COMMANDS = ("power", "records", "strategies", "sweep", "what-if", "gate", "dice-variants")
PAGES = [*SHOWING, *(ROOT / "docs" / f"{name}.md" for name in COMMANDS)]
PIECE = re.compile(
    r"<!-- file: (?P<file>\S+) -->\s*```\w+\n(?P<content>.*?)```"
    r"|<!-- not run -->\s*```console\n.*?```"
    r"|```console\n(?P<commands>.*?)```",
    re.S,
)
FAILING = ("khora: ", "FAIL: ")  # an error, or a gate that stays closed
WAITING = ("Compiling ", "Compiled ", "Waiting for ")  # said once on a machine, and not shown on a page
SAMPLE = "steward merchant conqueror politician developer patron treasurer philosopher explorer"


def sample() -> None:
    """The sample report that the repository keeps."""
    study, report = Path("studies/sample"), Path("reports/sample")
    for folder in (study, report):
        shutil.rmtree(folder, ignore_errors=True)
    khora_sim.simulate(games=20_000, cities="all", seed=1, rounds=True, strategies=SAMPLE.split(), out=study)
    khora_sim.report(study, out=report)


def pages() -> None:
    """What the commands of all pages print, and the pictures they draw."""
    for page in PAGES:
        renew(page)


def renew(page: Path) -> None:
    """What the commands of a page print, and the pictures they draw."""
    print(page.name, flush=True)
    with own_folder() as folder:
        text = PIECE.sub(piece, page.read_text())
        for name, picture in pictures(folder).items():
            if (ROOT / "docs" / name).exists():
                (ROOT / "docs" / name).write_bytes(picture.read_bytes())
    page.write_text(quoted(text))


def pictures(folder: Path) -> dict[str, Path]:
    """The pictures that the commands of a page drew; those of an answer are named after its folder."""
    drawn = {picture.name: picture for picture in folder.glob("*.png")}
    return drawn | {f"{one.parents[1].name}-{one.name}": one for one in folder.glob("*/figures/*.png")}


def piece(found: re.Match[str]) -> str:
    """A file of a page, which is written, or a console block with what its commands print now."""
    if found["file"]:
        path = Path(found["file"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found["content"])
    if not found["commands"]:
        return found[0]
    lines: list[str] = []
    for command, shown in commands_of(found["commands"]):
        lines.append(f"$ {command}")
        printed = run(command, fails=any(line.startswith(FAILING) for line in shown))
        lines += printed_again(command, shown, printed) if shown else []
    return "```console\n" + "\n".join(lines) + "\n```"


def run(command: str, fails: bool) -> list[str]:
    """What a command prints, line by line."""
    print(f"  {command}", flush=True)
    if not command.startswith("khora "):
        return []
    environment = {**os.environ, "COLUMNS": "100", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "khora_sim", *shlex.split(command)[1:]]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        sys.exit(f"error: {command}: {done.stderr}")
    shown = (done.stdout + (done.stderr if fails else "")).splitlines()  # else it holds progress alone
    return [line.rstrip() for line in shown if not line.startswith(WAITING)]


def printed_again(command: str, shown: list[str], printed: list[str]) -> list[str]:
    """What is shown of a command's output, in the words of its output now."""
    if "…" not in (line.strip() for line in shown):
        return printed
    lines: list[str] = []
    at = 0  # where the output is
    for line, before in zip(shown, ["…", *shown], strict=False):
        if line.strip() == "…":
            lines.append(line)
            continue
        if before.strip() == "…":
            at = place_of(line, printed, at)
        while at < len(printed) and not printed[at]:  # blank lines are no lines of what is shown
            lines.append("")
            at += 1
        if at >= len(printed):
            sys.exit(f"error: {command} prints no line for: {line}")
        lines.append(printed[at])
        at += 1
    return lines


def place_of(line: str, printed: list[str], at: int) -> int:
    """Where a line is found again, from some place on: where most words are the same from its beginning on.

    The first word has to be the same. Behind it figures and signs do not count, so that the row of a table is
    the first one with its name. Of several places it is the first; the end, where there is none.
    """
    alike = {place: words_alike(line, printed[place]) for place in range(at, len(printed))}
    best = max(alike.values(), default=0)
    return next((place for place, words in alike.items() if words == best > 0), len(printed))


def words_alike(one: str, other: str) -> int:
    """How many words two lines have in common from their beginning on."""
    pairs = zip(words_of(one), words_of(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def words_of(line: str) -> list[str]:
    """The first word of a line, and all others that are no figures or signs."""
    first, *others = line.split() or [""]
    return [first, *(word for word in others if any(letter.isalpha() for letter in word))]


def quoted(text: str) -> str:
    """A page whose example of how to cite says what its table shows."""
    shown = re.search(r"^olympia +(\S+ % ± \S+) ", text, re.M)
    if shown is None or QUOTED.search(text) is None:
        return text
    versions = f"khora {khora_sim.__version__}, rules {khora_sim.load_rules().short_hash}"
    return QUOTED.sub(f"Olympia wins {shown[1]} of its four-player games ({versions},", text)


def python() -> None:
    """What the examples for Python print."""
    for page in EXAMPLES:
        print(page.name, "(Python)", flush=True)
        with own_folder() as folder:
            page.write_text(run_again(page.read_text(), folder, page.name))


def notebooks() -> None:
    """What the notebooks print and draw, each from a clean kernel."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        print(path.name, flush=True)
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)  # when it was run
        notebook.metadata.get("language_info", {}).pop("version", None)
        text = re.sub(r"(?:/[\w.-]+)+/khora-", "khora-", nbformat.writes(notebook))
        path.write_text(text.rstrip() + "\n")


@contextmanager
def own_folder() -> Iterator[Path]:
    """A folder to work in, which goes afterwards."""
    with tempfile.TemporaryDirectory(prefix="khora-numbers-") as name, chdir(name):
        yield Path(name)


KINDS: dict[str, Callable[[], None]] = {
    "sample": sample,
    "pages": pages,
    "python": python,
    "notebooks": notebooks,
    **{page.name: partial(renew, page) for page in PAGES},
}
ALL = ("sample", "pages", "python", "notebooks")


def main(wanted: list[str]) -> None:
    """Renew all kinds of figures, or those named; single pages are named by their file."""
    unknown = set(wanted) - set(KINDS)
    if unknown:
        sys.exit(f"error: no kind of figures is called {', '.join(unknown)}; known: {', '.join(KINDS)}")
    os.chdir(ROOT)
    for kind in wanted or ALL:
        KINDS[kind]()


if __name__ == "__main__":
    main(sys.argv[1:])
