"""The Python examples of a page: `>>>` lines with what they print, run in order in one folder."""

import doctest
import re
from contextlib import chdir
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = [ROOT / "README.md", ROOT / "docs" / "python.md"]  # pages with Python and what it prints
BLOCK = re.compile(r"```python\n(>>> .*?)```", re.S)


class _Recorder(doctest.DocTestRunner):
    """Keeps what was printed otherwise than shown; an exception ends it."""

    def __init__(self) -> None:
        super().__init__(optionflags=doctest.ELLIPSIS)
        self.printed: list[tuple[doctest.Example, str]] = []

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        """Keep it."""
        self.printed.append((example, got))

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        """End it."""
        raise AssertionError(f"{test.name}: {example.source}") from exc_info[1]


def run_again(text: str, folder: Path, name: str = "page") -> str:
    """The text of a page with what its examples print now."""
    names: dict[str, Any] = {}

    def block(found: re.Match[str]) -> str:
        examples = doctest.DocTestParser().get_doctest(found[1], names, name, None, None)
        recorder = _Recorder()
        recorder.run(examples, clear_globs=False)
        names.update(examples.globs)
        lines = found[1].splitlines()
        for example, got in reversed(recorder.printed):
            first = example.lineno + example.source.count("\n")
            lines[first : first + example.want.count("\n")] = got.splitlines()
        return "```python\n" + "\n".join(lines) + "\n```"

    with chdir(folder):
        return BLOCK.sub(block, text)
