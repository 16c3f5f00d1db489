"""`khora replay` tells a whole game: every phase, every decision with its outcome, every state."""

import json
import re
import subprocess
import sys

import pytest

from khora_sim.cli.main import run
from khora_sim.engine.ledger import Column
from khora_sim.records.record_format import GameOptions
from khora_sim.records.set_up import options_of, seeded_match
from khora_sim.records.state import steps
from khora_sim.records.telling import Line, Table, Teller
from khora_sim.rules import load_rules
from tests.records.games import BASE, any_option, generous_variant

PHASES = (
    "A. Event announced",
    "B. Tax",
    "C. Dice",
    "D. Actions",
    "E. Progress",
    "F. Event: ",
    "G. Achievements",
    "After round ",
)


@pytest.fixture
def khora(monkeypatch, capsys, tmp_path):
    """Runs a command line in a folder of its own: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def call(line: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", line.split())
        with pytest.raises(SystemExit) as stop:
            run()
        printed = capsys.readouterr()
        return int(stop.value.code or 0), printed.out, printed.err

    return call


def test_every_phase_of_every_round_is_described_in_order(khora):
    code, output, _ = khora("khora replay --seed 1 --players 3 --strategies random")
    assert code == 0
    lines = output.splitlines()
    places = [n for n, line in enumerate(lines) if re.fullmatch(r"Round \d", line)]
    assert [lines[n] for n in places] == [f"Round {number}" for number in range(1, 10)]
    for start, end in zip(places, [*places[1:], lines.index("Final scoring")], strict=True):
        headings = [line for line in lines[start + 1 : end] if line and line.startswith(PHASES)]
        assert len(headings) == len(PHASES)
        assert all(line.startswith(phase) for line, phase in zip(headings, PHASES, strict=True))


def test_the_game_of_seed_1_reads_so(khora):
    output = khora("khora replay --seed 1 --players 3 --strategies random")[1]
    expected = """
    Khôra, 3 players, seed 1
      Olympia: seat 1, played by random. Dealt: Persians, Lighthouse, Peripteros, Contribution and
      Olympia: keeps Lighthouse.
      Athens: 3 philosophy tokens. +3 philosophy tokens (3).
      Growing Population: Right after the roll, dice that sum to 4 or less give 1 philosophy token.
      Olympia: +1 drachma (5).
      Athens: rolls 1 3.
      First player: Athens, with a sum of 4.
      Athens: +1 philosophy token (4).
      Athens: places philosophy on the 3 and legislation on the 1.
      Athens: spends no philosophy token: 3 citizens left.
      Athens: takes the legislation action (1): +3 citizens (6), draws Reformists and Archives.
      Athens: keeps none.
      Corinth: keeps Public Market.
      Olympia: takes the culture action (2): +1 VP (1: culture action).
      Olympia: has too few troops to explore.
      Corinth: plays Rivalry for free. 1 free military level if every other player has a higher one.
      Athens: moves up to economy 2 for 2 drachmas: -2 drachmas (2), +3 citizens (9), +1 economy (2).
      Olympia: declines to move up.
      It took effect after the roll.
      Nothing new.
      Conscripting Troops: Most troops: 3 citizens. Least: lose 3 citizens.
      Olympia: sets politics aside: 3 citizens left.
      Corinth: pays 2 citizens for politics: 4 citizens left.
      Athens: pays 3 citizens for development, spends 1 philosophy token for 3 citizens: 9 citizens left.
      Olympia: buys a minor blue token for 5 drachmas: -5 drachmas (3), +1 minor blue (1).
      Athens: cannot buy a token.
      Corinth: plays Council for free: draws Old Guard and Constructing the Mint. Draw 2 cards.
      Athens: cannot develop.
      Olympia: most troops: +3 citizens (6).
      Athens: least troops: -3 citizens (6).
      12 citizens: Athens, +1 tax or +1 glory.
      Athens: takes 1 tax: +1 tax (1).
    """
    lines = [line.strip() for line in output.splitlines()]
    place = -1
    for beginning in expected.strip().splitlines():
        found = [n for n, line in enumerate(lines) if n > place and line.startswith(beginning.strip())]
        assert found, beginning
        place = found[0]
    assert lines[-1] == "Corinth wins with 9 VP."


def test_every_decision_of_the_record_is_described_in_its_order(khora, tmp_path):
    (tmp_path / "generous.toml").write_text(generous_variant(), encoding="utf-8")
    code, output, errors = khora(
        "khora replay --seed 3 --strategies random --reroll --rules generous.toml --record g.json --states"
    )
    assert code == 0
    assert errors == "Recorded in g.json; khora verify g.json plays it again.\n"
    rest = output
    record = json.loads((tmp_path / "g.json").read_text(encoding="utf-8"))
    names = dict(zip(BASE.city_ids, BASE.city_names, strict=True))
    for decision in record["decisions"]:
        line = f"  {names[decision['player']]}: {decision['option']}"
        assert line in rest, decision
        rest = rest[rest.index(line) + len(line) :]
    assert len(record["decisions"]) > 150
    assert khora("khora verify g.json")[0] == 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_players_state_is_described_after_every_round(players):
    match = seeded_match(BASE, players, 9, options_of(BASE, GameOptions()))
    teller = Teller(match, ["anyone"] * players)
    lines = [one for step in steps(match, any_option(9)) for one in teller.tell(step)]
    tables = [one for one in lines if isinstance(one, Table)]
    assert len(tables) == 10
    for round_number, table in enumerate(tables[:-1]):
        for seat, row in enumerate(table.rows):
            numbers = dict(zip(table.columns, row, strict=True))
            after = match.ledger.after_round[round_number, seat]
            for column in ("VP", "DRACHMAS", "CITIZENS", "TROOPS", "TAX", "GLORY", "PHILOSOPHY"):
                name = "VP" if column == "VP" else column.capitalize()
                assert int(numbers[name]) == after[Column[column]]
            assert numbers["Levels"] == "/".join(
                str(after[column]) for column in (Column.ECONOMY, Column.CULTURE, Column.MILITARY)
            )
            assert int(numbers["Dev."]) == after[Column.DEVELOPMENT]
    scores = sorted((int(row[3]) for row in tables[-1].rows), reverse=True)
    assert scores == sorted(match.game.vp[:players].tolist(), reverse=True)


def test_nothing_is_said_twice_in_a_row_and_every_line_ends():
    rules = load_rules()
    for seed in range(3):
        match = seeded_match(rules, 3, seed, options_of(rules, GameOptions(reroll=True, shared_dice=True)))
        teller = Teller(match, ["anyone"] * 3)
        lines = [one for step in steps(match, any_option(seed)) for one in teller.tell(step)]
        texts = [line for line in lines if isinstance(line, Line)]
        assert all(line.text.endswith(".") for line in texts if line.level == 3)
        assert all(": ." not in line.text and ".." not in line.text for line in texts)


def test_what_a_card_or_development_does_is_said_when_it_comes_into_play(khora, tmp_path):
    (tmp_path / "generous.toml").write_text(generous_variant(), encoding="utf-8")
    output = khora("khora replay --seed 3 --strategies random --rules generous.toml")[1]
    played = [line for line in output.splitlines() if ": plays " in line or ": unlocks " in line]
    texts = [card.text for card in BASE.model.cards.values()]
    texts += [step.text for city in BASE.model.cities.values() for step in city.developments.in_order()]
    assert len(played) > 10
    assert all(any(line.endswith(f". {text}") for text in texts) for line in played)


def test_in_a_pipe_the_text_is_plain_and_the_same_every_time(khora):
    output = khora("khora replay --seed 5 --players 2 --strategies random")[1]
    assert "\x1b" not in output
    assert output == khora("khora replay --seed 5 --players 2 --strategies random")[1]
    assert output != khora("khora replay --seed 6 --players 2 --strategies random")[1]


def test_quiet_tells_only_how_it_ended(khora):
    code, output, errors = khora(
        "khora replay --seed 1 --players 3 --strategies random --quiet --record g.json"
    )
    assert (code, errors) == (0, "")
    assert output.startswith(
        "\nFinal scoring\n  Olympia: 4 VP on the score track, 1 from glory x major tokens: 5.\n"
    )
    assert len(output.splitlines()) == 11


def test_cities_first_player_strategies_and_options_are_as_asked(khora):
    output = khora(
        "khora replay --seed 2 --players 3 --cities sparta,random,argos --first-player 3 "
        "--strategies random,first-legal,idle --shared-dice --no-draft"
    )[1]
    assert "Sparta: seat 1, played by random." in output
    assert "Argos: seat 3, played by idle." in output
    assert "First player: Argos." in output
    assert ", shared dice, no draft." in output
    assert "No draft: everyone keeps the cards dealt." in output
    assert "keeps" not in output.split("No draft")[0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--players 2 --cities spata", 'cities: unknown city "spata"; did you mean sparta'),
        ("--players 2 --cities sparta,sparta", "cities sparta, sparta: every player has a city of its own"),
        ("--players 2 --cities sparta,argos,athens", "3 cities for 2 players"),
        ("--players 2 --first-player 3", "first player 3: with 2 players the seats are 1 to 2"),
        ("--players 3 --strategies random,idle", "2 for 3 players; name one, or one a seat"),
        ("--seed -1", "--seed -1: expected a whole number from 0 to 18446744073709551615"),
        ("--strategies randm", "did you mean random"),
        ("--states", "--states goes into a record; add --record FILE"),
        (
            "--record nowhere/g.json --strategies random --quiet",
            "nowhere/g.json: cannot be written (No such file or directory)",
        ),
    ],
)
def test_what_was_typed_wrong_is_reported_in_one_line(khora, line, message):
    code, _, errors = khora(f"khora replay {line}")
    assert code == 2
    assert message in errors
    assert len(errors.splitlines()) == 1


def test_a_replay_loads_no_frames_and_no_figures():
    code = (
        "import sys; sys.argv = ['khora', 'replay', '--seed', '1', '--players', '3', '--quiet']\n"
        "from khora_sim.cli.main import run\n"
        "try:\n    run()\nexcept SystemExit:\n    pass\n"
        "sys.exit(any(name in sys.modules for name in ('polars', 'matplotlib', 'pandas', 'joblib')))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False).returncode == 0
    )
