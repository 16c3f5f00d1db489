"""What the tests of the engine share."""

import pytest

from khora_sim.rules import load_rules
from khora_sim.rules.describe import toml_text


@pytest.fixture(scope="session")
def variant(tmp_path_factory):
    """Loads the data of a variant."""

    def load(**data):
        path = tmp_path_factory.mktemp("variant") / "variant.toml"
        path.write_text(toml_text({"name": "for a test", **data}), encoding="utf-8")
        return load_rules(path)

    return load
