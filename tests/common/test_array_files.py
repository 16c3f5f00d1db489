"""Files of arrays are read as they were written, and refused in one line where they are something else."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from khora_sim.common.files import ORIGIN, packed, read_packed
from khora_sim.errors import UserError

SOME = {"numbers": np.arange(3, dtype=np.int16)}
INSTEAD = "make one"


def archive(**members: bytes) -> bytes:
    """A zip file of any members."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as file:
        for name, data in members.items():
            file.writestr(f"{name}.npy", data)
    return memory.getvalue()


def array(numbers: bytes) -> bytes:
    """An array as such files hold it, its head damaged."""
    memory = io.BytesIO()
    np.save(memory, np.frombuffer(numbers, np.uint8))
    return memory.getvalue().replace(b"shape", b"sh\0\n(")


def test_what_was_packed_is_read_and_packing_is_the_same_every_time(tmp_path: Path):
    data = packed(SOME, {"format": 1})
    (tmp_path / "some.npz").write_bytes(data)
    read, arrays, origin = read_packed(tmp_path / "some.npz", "a panel", 10_000, INSTEAD)
    assert read == data == packed(SOME, {"format": 1})
    assert origin == {"format": 1}
    assert arrays.keys() == {"numbers"}
    assert arrays["numbers"].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"text", "is damaged, or no panel; make one"),
        (archive(numbers=b"text"), "is damaged, or no panel; make one"),
        (archive(numbers=array(b"123")), "is damaged, or no panel; make one"),
        (packed({"numbers": np.zeros(20_000, np.int8)}, {}), "holds more than a panel can; make one"),
        (packed({ORIGIN: np.zeros(3, np.uint8)}, {}), "does not say where it comes from"),
    ],
)
def test_what_is_something_else_is_refused_in_one_line(tmp_path: Path, data: bytes, said: str):
    (tmp_path / "some.npz").write_bytes(data)
    with pytest.raises(UserError) as error:
        read_packed(tmp_path / "some.npz", "a panel", 10_000, INSTEAD)
    assert str(error.value).startswith("some.npz: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)
