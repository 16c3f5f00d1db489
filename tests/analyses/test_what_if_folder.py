"""A what-if that is stopped loses nothing finished, and ends as if it had not been."""

import json
from pathlib import Path

import pytest

import khora_sim
from khora_sim import UserError
from khora_sim.analyses.what_if import what_if
from khora_sim.analyses.what_if import Plan
from khora_sim.analyses.what_if.measure import Rows
from khora_sim.simulation.run import Watch

CHANGE = "cards.lighthouse.cost=3"
FEW = Plan(assignments=(CHANGE,), strategies=("random",), beside="none", games=560, seed=5)
ASKED = {"set": CHANGE, "strategies": "random", "beside": None, "games": 560, "seed": 5, "workers": 1}


class Counting(Watch):
    """Counts the chunks that are played."""

    def __init__(self):
        self.chunks = 0

    def kept(self, chunk):
        self.chunks += 1


def stop_after(monkeypatch: pytest.MonkeyPatch, chunks: int) -> None:
    """Ctrl-C once so many chunks are kept."""
    keep, kept = Rows.keep, []

    def keep_some(self, chunk):
        if len(kept) == chunks:
            raise KeyboardInterrupt
        kept.append(chunk.place)
        keep(self, chunk)

    monkeypatch.setattr(Rows, "keep", keep_some)


@pytest.mark.parametrize("extent", [{}, {"games": None, "precision": 5.0}])
def test_a_stopped_run_goes_on_where_it_was(extent: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    plan, whole, rest = FEW._replace(**extent), Counting(), Counting()
    straight = what_if(plan, 1, whole)
    with monkeypatch.context() as patched:
        stop_after(patched, 3)
        with pytest.raises(KeyboardInterrupt):
            what_if(plan, 1, parts=tmp_path)
    assert len(list(tmp_path.rglob("*.parquet"))) == 3
    resumed = what_if(plan, 1, rest, parts=tmp_path)
    assert json.dumps(resumed.data()) == json.dumps(straight.data())
    assert rest.chunks == whole.chunks - 3


def test_a_damaged_part_is_played_again(tmp_path: Path):
    straight = what_if(FEW, 1, parts=tmp_path)
    part = sorted(tmp_path.rglob("*.parquet"))[0]
    whole = part.read_bytes()
    part.write_bytes(whole[:100])
    again = Counting()
    assert json.dumps(what_if(FEW, 1, again, parts=tmp_path).data()) == json.dumps(straight.data())
    assert again.chunks == 1
    assert part.read_bytes() == whole


def test_a_folder_is_gone_on_with_by_the_same_question_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "answer"
    with monkeypatch.context() as patched:
        stop_after(patched, 3)
        with pytest.raises(KeyboardInterrupt):
            khora_sim.what_if(**ASKED, out=out)
    with pytest.raises(UserError, match="not finished; go on with --resume, or choose another --out"):
        khora_sim.what_if(**ASKED, out=out)
    with pytest.raises(UserError, match="was begun with games 560; ask for the same again"):
        khora_sim.what_if(**{**ASKED, "games": 700}, out=out, resume=True)
    with pytest.raises(UserError, match="holds nothing to go on with"):
        khora_sim.what_if(**ASKED, out=tmp_path / "elsewhere", resume=True)
    found = khora_sim.what_if(**ASKED, out=out, resume=True)
    assert json.loads((out / "answer.json").read_text()) == json.loads(json.dumps(found.data()))
