"""`khora rules` lists, shows and checks; mistakes are one line and exit code 2."""

import json
import subprocess
import sys

import pytest

from khora_sim import __version__
from khora_sim.cli import main


@pytest.fixture
def khora(monkeypatch, capsys):
    """Runs a command; gives its exit code, what it printed and what it said on stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["khora", *arguments])
        with pytest.raises(SystemExit) as stop:
            main.run()
        printed = capsys.readouterr()
        return int(stop.value.code or 0), printed.out, printed.err

    return run


@pytest.mark.parametrize(
    ("section", "count"), [("cards", 40), ("cities", 7), ("events", 16), ("spaces", 34), ("tracks", 3)]
)
def test_list_shows_all_and_counts_them(khora, section, count):
    code, out, err = khora("rules", "list", section)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == f"{count} {section}"
    code, out, err = khora("rules", "list", section, "--json")
    entries = json.loads(out)
    assert (code, err, len(entries)) == (0, "", count)
    assert len({entry["id"] for entry in entries}) == count


def test_list_of_cards_has_a_line_for_each(khora):
    lines = khora("rules", "list", "cards")[1].splitlines()
    assert len(lines) == 2 + 40 + 2
    lighthouse = next(line for line in lines if line.startswith("lighthouse"))
    cells = "lighthouse Lighthouse ongoing 1 1 red A trade action also gives 3 VP."
    assert " ".join(lighthouse.split()) == cells


def test_list_of_cities_events_spaces_and_tracks_reads_well(khora):
    assert "2 drachmas, needs 1 red, 3 blue, 1 green" in khora("rules", "list", "cities")[1]
    assert "rounds 2-8" in khora("rules", "list", "events")[1]
    spaces = [line.split() for line in khora("rules", "list", "spaces")[1].splitlines()]
    assert ["major-blue-7", "major-blue", "9", "9", "4", "4"] in spaces
    tracks = [line.split() for line in khora("rules", "list", "tracks")[1].splitlines()]
    assert ["economy", "7", "4", "10", "VP"] in tracks


def test_list_of_a_variant_names_it(khora, tmp_path):
    path = tmp_path / "fewer.toml"
    path.write_text('[remove]\ncards = ["bank"]')
    assert khora("rules", "list", "cards", "--rules", str(path))[1].splitlines()[-1] == "39 cards in fewer"


@pytest.mark.parametrize("name", ["lighthouse", "LIGHTHOUSE", " Lighthouse ", "Lïghthouse"])
def test_show_finds_a_card_however_it_is_written(khora, name):
    code, out, _ = khora("rules", "show", name)
    assert code == 0
    assert out.splitlines() == [
        "Lighthouse (card lighthouse)",
        "ongoing; 1 drachma, needs 1 red",
        "A trade action also gives 3 VP.",
    ]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "Hall of Statues",
            [
                "Hall of Statues (card hall-of-statues)",
                "end-game; 2 drachmas, needs 1 red, 1 blue, 1 green",
                "At the end, 1 VP for each knowledge token.",
            ],
        ),
        (
            "sparta",
            [
                "Sparta (city sparta)",
                "1. Exploring loses 1 troop less. (ongoing; free)",
                "2. A military action also gives 1 tax. (ongoing; 1 drachma, needs 2 blue)",
                "3. Take 2 military actions. (immediate; 2 drachmas, needs 1 red, 3 blue, 1 green)",
                "4. At the end, 4 VP for each blue token. "
                "(end-game; 4 drachmas, needs 2 red, 3 blue, 2 green)",
            ],
        ),
        ("drought", ["Drought (event drought)", "comes in rounds 2-8", "Everyone loses 2 drachmas."]),
        (
            "major-red-2",
            [
                "major red, needs 6, loses 3, gives 2 drachmas (space major-red-2)",
                "major-red; needs 6 troops, loses 3, gives 2 drachmas",
            ],
        ),
    ],
)
def test_show_tells_one_thing_in_words(khora, name, lines):
    assert khora("rules", "show", name)[1].splitlines() == lines


def test_show_tells_a_track_level_by_level(khora):
    lines = khora("rules", "show", "Culture")[1].splitlines()
    assert lines[0] == "culture (track culture)"
    assert lines[3] == "4. 6 drachmas; gives 1 die"


def test_show_as_json_says_what_it_is(khora):
    (entry,) = json.loads(khora("rules", "show", "bank", "--json")[1])
    assert (entry["section"], entry["id"], entry["cost"], entry["needs"]) == ("cards", "bank", 0, {"red": 2})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "lighthose"), 'nothing in the rules is called "lighthose"; did you mean lighthouse?'),
        (
            ("show", "zzz"),
            'nothing in the rules is called "zzz"; khora rules list cards shows all cards, and so on',
        ),
        (("list", "card"), 'no list of "card"; did you mean cards?'),
        (
            ("list", "cards", "--rules", "gone.toml"),
            "gone.toml: no such file; expected the path of a variant in TOML",
        ),
        (("check", "gone.toml"), "gone.toml: no such file; expected the path of a variant in TOML"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(khora, arguments, message):
    assert khora("rules", *arguments) == (2, "", f"khora: {message}\n")


def test_check_tells_what_a_variant_changes(khora, tmp_path):
    path = tmp_path / "dear.toml"
    path.write_text('text = "Dear."\n[cards.lighthouse]\ncost = 2')
    code, out, err = khora("rules", "check", str(path))
    assert (code, err) == (0, "")
    first, change, last = out.splitlines()
    assert first == f"{path}: ok. dear: Dear."
    assert change == "  cards.lighthouse.cost: 1 -> 2"
    assert last.startswith("1 change against the base game; rules ")


def test_check_as_json_lists_the_changes(khora, tmp_path):
    path = tmp_path / "dear.toml"
    path.write_text("[cards.lighthouse]\ncost = 2")
    data = json.loads(khora("rules", "check", str(path), "--json")[1])
    assert data["name"] == "dear"
    assert len(data["hash"]) == 64
    assert data["changes"] == [
        {"key": "cards.lighthouse.cost", "what": "changed", "before": "1", "after": "2"}
    ]


def test_check_lists_every_problem_on_a_line_of_its_own(khora, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('[cards.lighthouse]\ncost = -2\nkind = "ongoin"')
    code, out, err = khora("rules", "check", str(path))
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        f'khora: {path}: cards.lighthouse.kind: unknown kind "ongoin"; did you mean ongoing?',
        f"khora: {path}: cards.lighthouse.cost: -2 given; expected a whole number from 0 to 99",
    ]


def test_a_variant_that_changes_nothing_says_so(khora, tmp_path):
    path = tmp_path / "same.toml"
    path.write_text("")
    assert "no changes against the base game" in khora("rules", "check", str(path))[1]


def test_khora_alone_shows_where_to_start(khora):
    code, out, _ = khora()
    assert code == 0
    assert out.startswith("Khôra, played by the million. Where to start:")
    assert "khora rules show lighthouse" in out


def test_version_is_the_packages(khora):
    assert khora("--version") == (0, f"khora {__version__}\n", "")


def test_help_loads_nothing_heavy():
    heavy = "{'numba', 'polars', 'numpy', 'pydantic', 'matplotlib', 'scipy', 'joblib'}"
    code = f"import sys, khora_sim.cli.main; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_rules_load_neither_compiler_nor_frames():
    code = "import sys, khora_sim.rules; print(sorted({'numba', 'polars'} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_an_interrupted_command_ends_with_130_and_no_traceback(khora, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("khora_sim.rules.load_rules", interrupt)
    code, _, err = khora("rules", "list", "cards")
    assert code == 130
    assert "Traceback" not in err


def test_a_reader_that_stops_early_is_no_error():
    command = [sys.executable, "-m", "khora_sim.cli.main", "rules", "list", "cards"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
