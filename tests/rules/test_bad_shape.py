"""Files of the wrong shape get one clear line each: the file, the key, and what was expected."""

import pytest

from khora_sim.errors import UserError
from khora_sim.rules import load_rules

CARD = 'name = "New"\nkind = "immediate"\ncost = 1\neffects = [{ on = "at-once", gain = { vp = 1 } }]\n'


def lighthouse(effect: str) -> str:
    return f"[cards.lighthouse]\neffects = [{effect}]"


SHAPE = {
    "an unknown key of the file": (
        "rouns = 9",
        "rouns: unknown key; did you mean rounds or options or actions?",
    ),
    "an unknown key of a card": (
        "[cards.bank]\nprice = 1",
        "cards.bank.price: unknown key; known: cost, effects, kind, name, needs, text",
    ),
    "an unknown key of a setting": ("[start]\nvps = 1", "start.vps: unknown key; did you mean vp?"),
    "an unknown key of an effect": (
        lighthouse('{ on = "trade", gian = { vp = 1 } }'),
        "cards.lighthouse.effects[1].gian: unknown key; did you mean gain?",
    ),
    "text for a number": ('rounds = "9"', 'rounds: "9" given; expected a whole number from 2 to 12'),
    "a fraction for a number": (
        "[cards.bank]\ncost = 1.5",
        "cards.bank.cost: 1.5 given; expected a whole number from 0 to 99",
    ),
    "true for a number": (
        "[start]\nvp = true",
        "start.vp: true given; expected a whole number from 0 to 99",
    ),
    "a number for a name": (
        "[cards.bank]\nname = 7",
        "cards.bank.name: 7 given; expected text in quotes, one line",
    ),
    "a number for an option": ("[options]\nreroll = 1", "options.reroll: 1 given; expected true or false"),
    "a word for a list": (
        '[spaces.persepolis]\ntokens = "major-red"',
        'spaces.persepolis.tokens: "major-red" given; expected a list in [ ]',
    ),
    "a number for a table": ("start = 4", "start: 4 given; expected a table, as in [start]"),
    "a number for a card": (
        "[cards]\nbank = 4",
        "cards.bank: 4 given; expected a table, as in [cards.bank]",
    ),
    "a number for a development": (
        "[cities.argos.developments]\n2 = 4",
        "cities.argos.developments.2: 4 given; expected a table",
    ),
    "a negative cost": (
        "[cards.bank]\ncost = -1",
        "cards.bank.cost: -1 given; expected a whole number from 0 to 99",
    ),
    "a negative cost of a level": (
        "[tracks.economy]\n2 = { cost = -1 }",
        "tracks.economy.2.cost: -1 given; expected a whole number from 0 to 99",
    ),
    "an unknown trigger": (
        lighthouse('{ on = "trad", gain = { vp = 3 } }'),
        'cards.lighthouse.effects[1].on: unknown trigger "trad"; did you mean trade?',
    ),
    "an unknown gain": (
        lighthouse('{ on = "trade", gain = { drachma = 3 } }'),
        'cards.lighthouse.effects[1].gain.drachma: unknown gain "drachma"; did you mean drachmas?',
    ),
    "an unknown special effect": (
        lighthouse('{ on = "always", special = "token-prize", number = 3 }'),
        'cards.lighthouse.effects[1].special: unknown special effect "token-prize"; did you '
        "mean token-price?",
    ),
    "an unknown condition": (
        lighthouse('{ on = "trade", if = "rich", gain = { vp = 3 } }'),
        'cards.lighthouse.effects[1].if: unknown condition "rich"; known: highest-economy, low-dice, '
        "lowest-culture, no-progress, none, persepolis-explored, weakest-military",
    ),
    "a colour that is not there": (
        "[cards.bank]\nneeds = { purple = 1 }",
        'cards.bank.needs.purple: unknown colour "purple"; known: blue, green, red',
    ),
    "an unknown token": (
        '[spaces.persepolis]\ntokens = ["mayor-red"]',
        'spaces.persepolis.tokens[1]: unknown token "mayor-red"; did you mean major-red or '
        "minor-red or major-green?",
    ),
    "an unknown track": (
        "[tracks.navy]\n2 = { cost = 1 }",
        "tracks.navy: unknown key; known: culture, economy, military",
    ),
    "a level that is not there": (
        "[tracks.economy]\n8 = { cost = 1 }",
        'tracks.economy.8: unknown level "8"; known: 2, 3, 4, 5, 6, 7',
    ),
    "a fifth development": (
        '[cities.argos.developments.5]\nkind = "immediate"',
        "cities.argos.developments.5: unknown key; known: 1, 2, 3, 4",
    ),
    "no trigger": (
        lighthouse("{ gain = { vp = 3 } }"),
        "cards.lighthouse.effects[1].on: missing; expected one of: always, at-once, tax-phase, dice-phase, "
        "progress-end, final-scoring, card-played, philosophy, legislation, culture, trade, "
        "military, development",
    ),
    "no effects": ("[cards.bank]\neffects = []", "cards.bank.effects: 0 given; expected at least 1"),
    "too many effects": (
        lighthouse(", ".join(['{ on = "trade", gain = { vp = 1 } }'] * 4)),
        "cards.lighthouse.effects: 4 given; expected at most 3",
    ),
    "a bad id": (
        f"[cards.Agora_1]\n{CARD}",
        "cards.Agora_1: not an id; expected lower-case letters, digits and single hyphens, at most 40",
    ),
    "a text over two lines": (
        '[cards.bank]\ntext = "a\\nb"',
        r'cards.bank.text: "a\nb" given; expected text in quotes, one line',
    ),
}

IDS = {
    "a card to change that is not there": (
        "[cards.lighthose]\ncost = 2",
        "cards.lighthose: no card of this id to change (did you mean lighthouse?); "
        "a new card also needs name, kind, effects",
    ),
    "a space to change that is not there": (
        "[spaces.minor-red-9]\nlost = 2",
        "spaces.minor-red-9: no space of this id to change (did you mean minor-red-6 or "
        "minor-red-5 or minor-red-4?); "
        "a new space also needs tokens, needed",
    ),
    "a card to remove that is not there": (
        '[remove]\ncards = ["bnk"]',
        'remove.cards[1]: no card "bnk" to remove; did you mean bank?',
    ),
    "a removal of something else": (
        '[remove]\ntracks = ["economy"]',
        "remove.tracks: unknown key; did you mean spaces?",
    ),
    "a removal that is no list": (
        '[remove]\ncards = "bank"',
        'remove.cards: "bank" given; expected a list of ids',
    ),
    "a card removed twice": (
        '[remove]\ncards = ["bank", "bank"]',
        'remove.cards[2]: "bank" is removed twice; expected once',
    ),
    "a card changed and removed": (
        '[remove]\ncards = ["bank"]\n[cards.bank]\ncost = 1',
        'remove.cards[1]: "bank" is changed as well; expected one or the other',
    ),
    "the same id twice": (
        "[cards.bank]\ncost = 1\n[cards.bank]\ncost = 2",
        "cards.bank: given twice, again in line 3; expected once",
    ),
    "the same name twice": (
        '[cards.bank]\nname = "LIGHTHOUSE"',
        'cards.lighthouse.name: "Lighthouse" is the name of "bank" already; expected a name of its own',
    ),
}


@pytest.mark.parametrize("case", SHAPE)
def test_wrong_shape_is_reported(problems, case):
    text, message = SHAPE[case]
    assert problems(text) == [f"v.toml: {message}"]


@pytest.mark.parametrize("case", IDS)
def test_wrong_ids_are_reported(problems, case):
    text, message = IDS[case]
    assert problems(text) == [f"v.toml: {message}"]


def test_all_problems_of_a_file_are_reported_at_once(problems):
    lines = problems('[cards.bank]\ncost = -1\n[start]\nvp = "x"\n[cards.power]\nkind = "odd"')
    assert [line.split(": ")[1] for line in lines] == ["start.vp", "cards.bank.cost", "cards.power.kind"]


def test_only_the_first_twenty_problems_are_spelled_out(problems):
    lines = problems("".join(f"[cards.new-{n}]\ncost = 1\n" for n in range(30)))
    assert len(lines) == 21
    assert lines[-1] == "v.toml: and 10 problems more"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"rounds = ", "v.toml: not valid TOML: invalid value (at end of document)"),
        (
            b"rounds = 9\nrounds = 8\n",
            "v.toml: a key is given twice: cannot overwrite a value (at line 2, column 11)",
        ),
        (b"text = '\xff'", "v.toml: not UTF-8 text; expected a variant in TOML, saved as UTF-8"),
        (b"a = " + b"[" * 5000, "v.toml: not valid TOML: nested too deep"),
    ],
)
def test_what_is_no_toml_is_reported(tmp_path, content, message):
    path = tmp_path / "v.toml"
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        load_rules(path)
    assert str(caught.value) == f"{tmp_path}/{message}"


def test_a_file_with_a_byte_order_mark_is_read(tmp_path):
    path = tmp_path / "v.toml"
    path.write_bytes(b"\xef\xbb\xbfrounds = 8")
    assert load_rules(path).tables.rounds == 8


def test_a_missing_file_and_a_folder_are_reported(tmp_path):
    with pytest.raises(UserError, match=r"gone\.toml: no such file; expected the path of a variant in TOML"):
        load_rules(tmp_path / "gone.toml")
    with pytest.raises(UserError, match="a folder; expected the path of a variant in TOML"):
        load_rules(tmp_path)
    with pytest.raises(UserError, match="cannot be read"):
        load_rules("v\0.toml")
