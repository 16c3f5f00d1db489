"""An error in the data of a file names the key, what was found and what was expected."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from khora_sim.common.checking import checked, first_problem
from khora_sim.errors import UserError


class Ship(BaseModel):
    """A model with a field of every kind."""

    model_config = ConfigDict(extra="forbid", strict=True)

    oars: Annotated[int, Field(ge=1, le=170)] = 50
    cargo: Annotated[int, Field(ge=0)] = 0
    number: Annotated[int, Field(ge=0, lt=2**64)] = 0
    speed: float = 1.5
    sail: bool = True
    kind: Literal["trireme", "merchant"] = "trireme"
    backend: list[str] = []
    load: int | str | None = None
    ports: dict[int, str] = {}
    home: Annotated[Literal["any"] | int, Field(description="any or the number of a port")] = "any"
    logbook: Path = Path("log")
    boat: "Ship | None" = None


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"oars": 0}, "oars: 0 given; expected a whole number from 1 to 170"),
        ({"cargo": -1}, "cargo: -1 given; expected a whole number, 0 or more"),
        (
            {"number": -1},
            "number: -1 given; expected a whole number from 0 to 18,446,744,073,709,551,615",
        ),
        ({"speed": "fast"}, 'speed: "fast" given; expected a number'),
        ({"sail": 1}, "sail: 1 given; expected true or false"),
        ({"kind": "raft"}, 'kind: "raft" given; expected one of: trireme, merchant'),
        ({"backend": "Jason"}, 'backend: "Jason" given; expected a list in [ ]'),
        ({"backend": ["Jason", 2]}, "backend[2]: 2 given; expected text in quotes, one line"),
        ({"load": []}, "load: a list given; expected a whole number or text in quotes, one line"),
        ({"ports": {"Athens": "x"}}, "ports.Athens: not a whole number; expected one"),
        ({"home": []}, "home: a list given; expected any or the number of a port"),
        ({"boat": {"oar": 2}}, "boat.oar: unknown key; did you mean oars or load or boat?"),
        ({"logbook": 3}, "logbook: 3 given; expected the path of a file or folder"),
        ({"boat": 3}, "boat: 3 given; expected a table"),
        ({"oars": None}, "oars: null given; expected a whole number from 1 to 170"),
    ],
    ids=str,
)
def test_a_problem_names_its_key_what_was_found_and_what_was_expected(data: dict[str, Any], said: str):
    with pytest.raises(UserError) as error:
        checked(Ship, data, "argo.toml")
    assert str(error.value) == f"argo.toml: {said}"


def test_several_problems_are_reported_line_by_line_and_the_rest_is_counted():
    with pytest.raises(UserError) as error:
        checked(Ship, {"oars": 0, "sail": 1}, "")
    assert str(error.value).splitlines() == [
        "oars: 0 given; expected a whole number from 1 to 170",
        "sail: 1 given; expected true or false",
    ]
    with pytest.raises(UserError) as error:
        checked(Ship, {"backend": [0] * 21}, "argo.toml")
    assert str(error.value).splitlines()[-1] == "argo.toml: and 1 problem more"


def test_items_of_a_json_file_count_from_0():
    data = {"backend": ["Jason", 2]}
    with pytest.raises(ValidationError) as found:
        Ship.model_validate(data)
    assert str(first_problem(Ship, found.value, data)).startswith("backend[1]: 2 given")
