"""What the tests of the rules share: writing a variant and loading it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from khora_sim.errors import UserError
from khora_sim.rules import Rules, load_rules


@pytest.fixture
def variant(tmp_path: Path) -> Callable[[str], Rules]:
    """Loads the text of a variant as the file `v.toml`."""

    def load(text: str) -> Rules:
        path = tmp_path / "v.toml"
        path.write_text(text, encoding="utf-8")
        return load_rules(path)

    return load


@pytest.fixture
def problems(variant: Callable[[str], Rules], tmp_path: Path) -> Callable[[str], list[str]]:
    """The lines of the error that the text of a variant gives, without the folder."""

    def lines_of(text: str) -> list[str]:
        with pytest.raises(UserError) as caught:
            variant(text)
        return str(caught.value).replace(f"{tmp_path}/", "").splitlines()

    return lines_of
