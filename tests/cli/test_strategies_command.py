"""khora strategies: list, show, new and check, from any folder."""

import json

import pytest

from khora_sim.cli.main import run


@pytest.fixture
def khora(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(*words):
        monkeypatch.setattr("sys.argv", ["khora", "strategies", *words])
        with pytest.raises(SystemExit) as stop:
            run()
        output = capsys.readouterr()
        return stop.value.code, output.out, output.err

    return call


def test_list_tells_family_kind_and_traits(khora):
    code, out, _ = khora("list", "--quick", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert code == 0
    assert rows["random"] == {
        "name": "random",
        "family": "control",
        "kind": "compiled",
        "deterministic": False,
        "summary": "Takes any legal option.",
        "source": "the usual null model",
    }
    assert rows["steward"]["kind"] == "weights"
    assert rows["plain-example"]["kind"] == "python"


def test_show_tells_how_it_plays_and_what_can_be_set(khora):
    code, out, _ = khora("show", "steward", "--json")
    data = json.loads(out)
    assert code == 0
    assert data["text"].startswith("The balanced player")
    assert [one["name"] for one in data["parameters"]][:2] == ["points", "working"]


def test_an_unknown_name_offers_the_nearest(khora):
    code, out, output = khora("show", "first-leagal")
    assert (code, out) == (2, "")
    assert output == "khora: there is no strategy 'first-leagal'; did you mean first-legal?\n"


@pytest.mark.parametrize(("kind", "file"), [("compiled", "py"), ("weights", "toml"), ("python", "py")])
def test_a_new_strategy_of_each_kind_passes_its_own_check(khora, tmp_path, kind, file):
    code, out, _ = khora("new", "my-idea", "--kind", kind)
    assert (code, out.splitlines()[:2]) == (
        0,
        [f"wrote strategies/my_idea.{file}", "wrote strategies/test_my_idea.py"],
    )
    code, out, _ = khora("check", f"strategies/my_idea.{file}")
    assert (code, out.splitlines()[-1]) == (0, f"strategies/my_idea.{file}: 6 of 6 checks passed")
    code, out, _ = khora("show", f"./strategies/my_idea.{file}")
    assert (code, out.split()[0]) == (0, f"./strategies/my_idea.{file}")


def test_nothing_is_overwritten(khora, tmp_path):
    khora("new", "my-idea")
    before = (tmp_path / "strategies" / "my_idea.py").read_text()
    code, _, output = khora("new", "my-idea", "--kind", "python")
    assert code == 2
    assert "my_idea.py" in output
    assert (tmp_path / "strategies" / "my_idea.py").read_text() == before


def test_check_names_what_is_wrong_and_exits_with_1(khora, tmp_path):
    (tmp_path / "odd.py").write_text('"""Odd."""\n')
    code, out, _ = khora("check", "odd.py")
    assert code == 1
    assert out.splitlines()[0] == "failed  loads, and declares what it is"
    assert "odd.py: declares no traits" in out
