"""A what-if that is stopped loses nothing finished, and ends as if it had not been stopped."""

import json
from pathlib import Path

import pytest

import khora_sim
from khora_sim import UserError
from khora_sim.analyses.what_if.measure import Rows

CHANGE = "cards.lighthouse.cost=3"
ASKED = {"set": CHANGE, "strategies": "random", "also_with": "none", "games": 560, "seed": 5, "workers": 1}


def keep_counted(monkeypatch: pytest.MonkeyPatch, most: int | None = None) -> list:
    """The chunks that are played from now on; Ctrl-C comes after so many."""
    keep, kept = Rows.keep, []

    def counted(self, chunk):
        if len(kept) == most:
            raise KeyboardInterrupt
        kept.append(chunk.place)
        keep(self, chunk)

    monkeypatch.setattr(Rows, "keep", counted)
    return kept


def chunks_played(monkeypatch: pytest.MonkeyPatch, **asked) -> tuple[int, str]:
    """How many chunks a question plays, and its answer."""
    with monkeypatch.context() as patched:
        kept = keep_counted(patched)
        answer = khora_sim.what_if(**asked)
    return len(kept), json.dumps(answer.data())


def stopped(monkeypatch: pytest.MonkeyPatch, after: int, **asked) -> None:
    with monkeypatch.context() as patched:
        keep_counted(patched, after)
        with pytest.raises(KeyboardInterrupt):
            khora_sim.what_if(**asked)


@pytest.mark.parametrize("extent", [{}, {"games": None, "precision": 5.0}])
def test_a_stopped_run_is_resumed_where_it_was(extent: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked, out = {**ASKED, **extent}, tmp_path / "answer"
    whole, straight = chunks_played(monkeypatch, **asked)
    stopped(monkeypatch, 3, **asked, out=out)
    assert len(list((out / "parts").iterdir())) == 3
    rest, resumed = chunks_played(monkeypatch, out=out, resume=True, workers=1)
    assert resumed == straight
    assert rest == whole - 3


def test_a_damaged_part_is_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "answer"
    _, straight = chunks_played(monkeypatch, **ASKED, out=out)
    part = sorted((out / "parts").iterdir())[0]
    whole = part.read_bytes()
    part.write_bytes(whole[:100])
    again, answer = chunks_played(monkeypatch, out=out, resume=True, workers=1)
    assert (again, answer) == (1, straight)
    assert part.read_bytes() == whole


def test_a_folder_is_resumed_by_the_same_question_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "answer"
    stopped(monkeypatch, 3, **ASKED, out=out)
    with pytest.raises(UserError, match="an unfinished run; continue with --resume, begin anew with --rep"):
        khora_sim.what_if(**ASKED, out=out)
    with pytest.raises(UserError, match="--games differs from what it was begun with"):
        khora_sim.what_if(**{**ASKED, "games": 700}, out=out, resume=True)
    with pytest.raises(UserError, match="holds nothing to resume"):
        khora_sim.what_if(**ASKED, out=tmp_path / "elsewhere", resume=True)
    found = khora_sim.what_if(**ASKED, out=out, resume=True)
    assert json.loads((out / "answer.json").read_text()) == json.loads(json.dumps(found.data()))


def test_a_variant_that_changed_since_is_not_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file, out = tmp_path / "variant.toml", tmp_path / "answer"
    asked = {name: value for name, value in ASKED.items() if name != "set"}
    file.write_text('name = "mine"\nrounds = 8\n', encoding="utf-8")
    stopped(monkeypatch, 1, variants=str(file), **asked, out=out)
    file.write_text('name = "mine"\nrounds = 7\n', encoding="utf-8")
    with pytest.raises(UserError, match=f"another version of {file}"):
        khora_sim.what_if(out=out, resume=True)


def test_finished_answers_and_trained_players_stay(tmp_path: Path):
    out = tmp_path / "answer"
    khora_sim.what_if(**{**ASKED, "games": 140}, out=out)
    (out / "adapted").mkdir()
    (out / "adapted" / "expert.toml").write_text("hours of training")
    before = (out / "answer.json").read_bytes()
    with pytest.raises(UserError, match="a finished answer; show it again with --resume, begin anew with --"):
        khora_sim.what_if(**{**ASKED, "games": 280}, out=out)
    with pytest.raises(UserError, match="belongs to khora what-if"):
        khora_sim.power("tracks", strategies="random", games=140, workers=1, out=out)
    khora_sim.what_if(out=out, resume=True)
    assert (out / "answer.json").read_bytes() == before
    assert (out / "adapted" / "expert.toml").exists()
    khora_sim.what_if(**{**ASKED, "games": 280}, out=out, replace=True)
    assert json.loads((out / "answer.json").read_text())["variants"][0]["verdicts"][0]["games"] == 280
    assert not (out / "adapted").exists()
