"""Events that two games of the same seed share, as the pages report them and as games are set up."""

from pathlib import Path

import pytest

from khora_sim.engine.match import Match
from khora_sim.pages.comparison import events_except, streams
from khora_sim.rules import Rules, load_rules

SEEDS = range(60)
MOST_ROUNDS = 10
NEW = '[events.{id}]\nname = "New"\nslot = "{slot}"\neffect = {{ on = "at-once", gain = {{ vp = 1 }} }}\n'
REMOVE = '[remove]\nevents = ["{id}"]\n'
OTHER_FIRST = REMOVE.format(id="growing-population") + NEW.format(id="first-fruits", slot="first")
OTHER_LAST = REMOVE.format(id="conquest-of-the-persians") + NEW.format(id="final-battle", slot="last")
ROOM = "in the rounds of those that only one side has, and of those that make room for them"

#: A variant, the rounds in which its events differ from the base game in some games, and what is reported.
CASES = {
    "nothing": ("", [], []),
    "a number": ("[actions]\nlegislation_citizens = 2\n", [], []),
    "2 rounds": ("rounds = 2\n", [2, 3, 4, 5, 6, 7, 8, 9], ["from round 2 on"]),
    "6 rounds": ("rounds = 6\n", [6, 7, 8, 9], ["from round 6 on"]),
    "8 rounds": ("rounds = 8\n", [8, 9], ["from round 8 on"]),
    "10 rounds": ("rounds = 10\n", [9, 10], ["from round 9 on"]),
    "another first event": (OTHER_FIRST, [1], ["in round 1"]),
    "another last event": (OTHER_LAST, [9], ["in round 9"]),
    "another first event, 8 rounds": (
        f"rounds = 8\n{OTHER_FIRST}",
        [1, 8, 9],
        ["in round 1", "from round 8 on"],
    ),
}


def varied(folder: Path, text: str) -> Rules:
    path = folder / "varied.toml"
    path.write_text(text)
    return load_rules(path)


def events(rules: Rules, seed: int) -> list[str]:
    """Ids of the events of a game, round by round, and nothing after its last round."""
    game = Match(rules, players=3, seed=seed).game
    ids = [rules.event_ids[event] for event in game.events[: rules.model.rounds]]
    return ids + [""] * (MOST_ROUNDS - len(ids))


def differing(one: Rules, two: Rules) -> list[int]:
    """Rounds in which some game of the same seed has another event."""
    found = set()
    for seed in SEEDS:
        pairs = zip(events(one, seed), events(two, seed), strict=True)
        found |= {number for number, (first, second) in enumerate(pairs, 1) if first != second}
    return sorted(found)


@pytest.mark.parametrize("case", CASES)
def test_the_rounds_that_are_reported_are_those_in_which_games_differ(tmp_path: Path, case: str):
    text, rounds, expected = CASES[case]
    base, other = load_rules(), varied(tmp_path, text)
    assert differing(base, other) == rounds
    assert events_except(base.model, other.model) == expected
    assert events_except(other.model, base.model) == expected


@pytest.mark.parametrize("rounds", [9, 7])
@pytest.mark.parametrize("change", [REMOVE.format(id="drought"), NEW.format(id="dry-year", slot="middle")])
def test_an_event_that_one_side_lacks_changes_its_own_round_only(tmp_path: Path, change: str, rounds: int):
    base, other = load_rules(), varied(tmp_path, f"rounds = {rounds}\n{change}")
    expected = [ROOM] if rounds == 9 else ["from round 7 on", ROOM]
    assert events_except(base.model, other.model) == expected
    compared = rounds if rounds == 9 else rounds - 1
    changed = set()
    for seed in SEEDS:
        pairs = zip(events(base, seed)[:compared], events(other, seed)[:compared], strict=True)
        differ = [pair for pair in pairs if pair[0] != pair[1]]
        changed.add(len(differ))
        assert all(pair[0] == "drought" or pair[1] == "dry-year" for pair in differ)
    assert changed == {0, 1}


@pytest.mark.parametrize("case", CASES)
def test_a_what_if_reports_the_same_rounds(tmp_path: Path, case: str):
    text, _, expected = CASES[case]
    found = streams(load_rules().model, varied(tmp_path, text).model).filter(stream="events")
    how = f"The same except {' and '.join(expected)}." if expected else "By round."
    assert found.rows() == [("events", "in part" if expected else "yes", how)]
