"""Rules that no game could follow get one clear line each: the file, the key, and what was expected."""

import pytest

from khora_sim.errors import UserError
from khora_sim.rules import load_rules, read_rules

CARD = 'name = "New"\nkind = "immediate"\ncost = 1\neffects = [{ on = "at-once", gain = { vp = 1 } }]\n'


def lighthouse(effect: str) -> str:
    return f"[cards.lighthouse]\neffects = [{effect}]"


def drought(lines: str) -> str:
    return f"[events.drought]\n{lines}"


REACH = {
    "a need nobody can meet": (
        "[cards.bank]\nneeds = { red = 10 }",
        "cards.bank.needs.red: nobody can gather 10 red tokens; expected at most 9",
    ),
    "a need of a development nobody can meet": (
        "[cities.argos.developments.4]\nneeds = { blue = 12 }",
        "cities.argos.developments.4.needs.blue: nobody can gather 12 blue tokens; expected at most 9",
    ),
    "a space nobody can explore": (
        "[spaces.persepolis]\nneeded = 23",
        "spaces.persepolis.needed: nobody can have 23 troops; expected at most 22 (15, and 7 in the action)",
    ),
    "an achievement nobody can reach": (
        "[achievements]\ncitizens = 16",
        "achievements.citizens: nobody can reach 16; expected at most 15",
    ),
    "a start above a limit": (
        "[start]\ncitizens = 16",
        "start.citizens: 16 is above limits.citizens; expected at most 15",
    ),
    "a start above the top level": (
        "[start]\nculture = 6\n[limits]\nlevel = 5",
        "start.culture: 6 is above limits.level; expected at most 5",
    ),
    "too many rounds": ("rounds = 13", "rounds: 13 given; expected a whole number from 2 to 12"),
    "too few cards to deal": (
        'hand_dealt = 8\n[remove]\ncards = ["bank", "austerity", "proskenion", "power", '
        '"oracle", "stadion", "quarry", '
        '"council", "archives"]',
        "cards: 31 are too few; expected at least 32, 8 each for 4 players",
    ),
    "too few cities": (
        '[remove]\ncities = ["argos", "athens", "sparta", "thebes"]',
        "cities: 3 are too few; expected at least 4, one for each player",
    ),
    "too few events": (
        'rounds = 12\n[remove]\nevents = ["drought", "prosperity", "outbreak-of-war", "military-victory", '
        '"plague-of-athens"]',
        'events: 9 events with slot = "middle"; expected at least 10, for 12 rounds',
    ),
    "no event for the first round": (
        '[remove]\nevents = ["growing-population"]',
        'events: 0 events with slot = "first"; expected exactly one, for the first round',
    ),
    "two events for the last round": (
        drought('slot = "last"'),
        'events: 2 events with slot = "last"; expected exactly one, for the last round',
    ),
    "too many cards": (
        "".join(f"[cards.new-{n}]\n{CARD.replace('New', f'New {n}')}" for n in range(25)),
        "cards: 65 are too many; expected at most 64",
    ),
    "too many spaces": (
        "".join(f'[spaces.new-{n}]\ntokens = ["minor-red"]\nneeded = 1\nlost = 1\n' for n in range(27)),
        "spaces: 61 are too many; expected at most 60",
    ),
    "too many events": (
        "".join(
            f'[events.new-{n}]\nname = "New {n}"\nslot = "middle"\neffect = {{ on = "at-once", '
            f"gain = {{ vp = 1 }} }}\n"
            for n in range(17)
        ),
        "events: 33 are too many; expected at most 32",
    ),
    "a second card that takes cards back": (
        '[cards.bank]\nkind = "immediate"\neffects = [{ on = "at-once", special = "take-back-card" }]',
        'cards.ostracism.effects: "take-back-card" is on "bank" already; expected on one card, '
        "or turns might never end",
    ),
    "a level that gives a level": (
        "[tracks.economy]\n2 = { gain = { culture = 1 } }",
        "tracks.economy.2.gain.culture: no gain of a level; expected one of: vp, drachmas, "
        "citizens, troops, tax, "
        "glory, philosophy, dice",
    ),
}

EFFECTS = {
    "a kind that does not fit": (
        '[cards.bank]\nkind = "ongoing"',
        'cards.bank.kind: "ongoing" given, but effects on = "final-scoring"; expected "end-game"',
    ),
    "a discard that stands for good": (
        lighthouse('{ on = "always", special = "discard", number = 2 }'),
        'cards.lighthouse.effects[1].special: "discard" with on = "always"; expected on = "at-once"',
    ),
    "a token price at once": (
        '[cards.quarry]\neffects = [{ on = "at-once", special = "token-price", number = 2 }]',
        'cards.quarry.effects[1].special: "token-price" with on = "at-once"; expected on = "always"',
    ),
    "a choice at the final scoring": (
        '[cards.bank]\neffects = [{ on = "final-scoring", special = "choose-gain", choices = '
        "[{ vp = 1 }, { vp = 2 }] }]",
        'cards.bank.effects[1].special: "choose-gain" with on = "final-scoring"; '
        'expected on = "at-once" or an action',
    ),
    "a standing gain": (
        lighthouse('{ on = "always", gain = { vp = 1 } }'),
        'cards.lighthouse.effects[1].on: "always" asks for a special of: token-price, cheaper-levels, '
        "cheaper-progress, progress-levels, free-economy, spares-troops, explorations, sells-glory",
    ),
    "a standing condition": (
        lighthouse('{ on = "always", if = "lowest-culture", special = "free-economy" }'),
        'cards.lighthouse.effects[1].if: no condition can hold "always"; expected none',
    ),
    "a missing number": (
        lighthouse('{ on = "always", special = "token-price" }'),
        'cards.lighthouse.effects[1].number: missing; "token-price" expects 0 to 99',
    ),
    "a number too high": (
        lighthouse('{ on = "always", special = "explorations", number = 5 }'),
        'cards.lighthouse.effects[1].number: 5 given; "explorations" expects 1 to 4',
    ),
    "a missing action": (
        '[cards.quarry]\neffects = [{ on = "at-once", special = "take-actions", number = 1 }]',
        'cards.quarry.effects[1].action: missing; "take-actions" expects the action, such as "culture"',
    ),
    "a choice of one": (
        '[cards.quarry]\neffects = [{ on = "at-once", special = "choose-gain", choices = [{ vp = 1 }] }]',
        'cards.quarry.effects[1].choices: "choose-gain" expects 2 to 4 gains to choose from',
    ),
    "a gain of nothing": (
        lighthouse('{ on = "trade" }'),
        "cards.lighthouse.effects[1].gain: missing; expected what the effect gives, such as { vp = 3 }",
    ),
    "a gain that a special effect has no use for": (
        lighthouse('{ on = "always", special = "free-economy", gain = { vp = 1 } }'),
        'cards.lighthouse.effects[1].gain: "free-economy" has no gain; expected none',
    ),
    "a number without use": (
        lighthouse('{ on = "trade", gain = { vp = 1 }, number = 2 }'),
        "cards.lighthouse.effects[1].number: has no meaning here; expected none",
    ),
    "an action without use": (
        lighthouse('{ on = "trade", gain = { vp = 1 }, action = "trade" }'),
        'cards.lighthouse.effects[1].action: only "take-actions" has one; expected none',
    ),
    "a track without use": (
        lighthouse('{ on = "trade", gain = { vp = 1 }, track = "culture" }'),
        'cards.lighthouse.effects[1].track: only "cheaper-step" has one; expected none',
    ),
    "choices without use": (
        lighthouse('{ on = "trade", gain = { vp = 1 }, choices = [{ vp = 2 }] }'),
        'cards.lighthouse.effects[1].choices: only "choose-gain" has them; expected none',
    ),
    "a special effect that is counted": (
        lighthouse('{ on = "always", special = "free-economy", per = "tax" }'),
        'cards.lighthouse.effects[1].per: "free-economy" is not counted by anything; expected none',
    ),
    "every without per": (
        lighthouse('{ on = "trade", gain = { vp = 1 }, every = 2 }'),
        "cards.lighthouse.effects[1].every: nothing is counted without per; expected per as well",
    ),
    "a die lost": (
        lighthouse('{ on = "trade", gain = { dice = -1 } }'),
        "cards.lighthouse.effects[1].gain.dice: -1 given, but it cannot be lost; expected 1 or more",
    ),
    "glory for glory": (
        lighthouse('{ on = "always", special = "sells-glory", gain = { glory = 1 } }'),
        "cards.lighthouse.effects[1].gain.glory: not for sold glory; "
        "expected VP, drachmas, citizens, troops, philosophy",
    ),
    "drachmas at the final scoring": (
        '[cards.bank]\neffects = [{ on = "final-scoring", gain = { drachmas = 1 } }]',
        "cards.bank.effects[1].gain.drachmas: only VP count at the final scoring; expected vp",
    ),
    "very much per something": (
        lighthouse('{ on = "trade", gain = { vp = 11 }, per = "citizens" }'),
        "cards.lighthouse.effects[1].gain.vp: 11 per citizens; expected at most 10",
    ),
    "very much per drachma": (
        lighthouse('{ on = "trade", gain = { vp = 4 }, per = "drachmas" }'),
        "cards.lighthouse.effects[1].gain.vp: 4 per drachmas; expected at most 3",
    ),
    "drachmas that breed": (
        lighthouse('{ on = "trade", gain = { drachmas = 1 }, per = "drachmas", every = 2 }'),
        "cards.lighthouse.effects[1].gain.drachmas: drachmas per drachmas would grow without end; "
        "expected another gain or another per",
    ),
    "tokens per something": (
        lighthouse('{ on = "trade", gain = { tokens = 1 }, per = "tax" }'),
        "cards.lighthouse.effects[1].gain.tokens: not to be had for each of something; expected no per",
    ),
    "the same special effect twice": (
        lighthouse(", ".join(['{ on = "always", special = "free-economy" }'] * 2)),
        'cards.lighthouse.effects: special = "free-economy" twice; expected once',
    ),
    "a trigger only events have": (
        lighthouse('{ on = "dice-phase", gain = { vp = 1 } }'),
        'cards.lighthouse.effects[1].on: "dice-phase" for a card; expected an event',
    ),
    "a condition at the wrong time": (
        lighthouse('{ on = "trade", if = "no-progress", gain = { vp = 1 } }'),
        'cards.lighthouse.effects[1].if: "no-progress" with on = "trade"; expected on = "progress-end"',
    ),
    "an event on an action": (
        drought('effect = { on = "trade", gain = { vp = 1 } }'),
        'events.drought.effect.on: "trade" for an event; expected "at-once" or "dice-phase"',
    ),
    "a lowest half for all": (
        drought('lowest = { on = "at-once", gain = { vp = 1 } }'),
        'events.drought.lowest: only events with scope = "troops" have a lowest; expected none',
    ),
    "an event of the roll by troops": (
        '[events.growing-population]\nscope = "troops"',
        'events.growing-population.scope: an event on = "dice-phase" is for everyone; expected scope = "all"',
    ),
    "a roll without a sum": (
        drought('effect = { on = "dice-phase", if = "low-dice", gain = { vp = 1 } }'),
        'events.drought.effect.number: missing; "low-dice" expects the highest sum that counts',
    ),
    "tokens in the dice phase": (
        drought('effect = { on = "dice-phase", gain = { tokens = 1 } }'),
        "events.drought.effect.gain.tokens: no tokens are chosen in the dice phase; expected another gain",
    ),
    "a first development with a cost": (
        "[cities.argos.developments.1]\ncost = 1",
        "cities.argos.developments.1: the first development is free at set-up; "
        "expected cost = 0 and needs = {}",
    ),
    "an action at set-up": (
        '[cities.argos.developments.1]\neffects = [{ on = "at-once", special = '
        '"take-actions", action = "trade", '
        "number = 1 }]",
        'cities.argos.developments.1.effects[1].special: "take-actions" cannot happen at '
        "set-up; expected one of: "
        "token-price, cheaper-levels, cheaper-progress, progress-levels, free-economy, "
        "spares-troops, explorations, "
        "sells-glory, none, choose-gain, choose-tracks",
    ),
    "seven cards that ask on one trigger": (
        "".join(
            f'[cards.new-{n}]\nname = "New {n}"\nkind = "ongoing"\ncost = 1\n'
            'effects = [{ on = "trade", gain = { tokens = 1 } }]\n'
            for n in range(7)
        ),
        'cards.new-6: 7 cards ask for a choice on "trade"; expected at most 6',
    ),
}


@pytest.mark.parametrize("case", REACH)
def test_what_cannot_be_played_is_reported(problems, case):
    text, message = REACH[case]
    assert problems(text) == [f"v.toml: {message}"]


@pytest.mark.parametrize("case", EFFECTS)
def test_effects_without_sense_are_reported(problems, case):
    text, message = EFFECTS[case]
    assert problems(text) == [f"v.toml: {message}"]


def test_two_cities_too_many_are_reported(problems):
    steps = "".join(
        f'developments.{n} = {{ kind = "immediate", cost = 0, effects = [{{ on = "at-once", '
        f"gain = {{ vp = 1 }} }}] }}\n"
        for n in (1, 2, 3, 4)
    )
    text = "".join(f'[cities.new-{n}]\nname = "New {n}"\n{steps}' for n in range(11))
    assert problems(text) == ["v.toml: cities: 18 are too many; expected at most 16"]


def test_a_missing_level_of_a_whole_game_is_reported():
    text = load_rules().to_toml().replace("[tracks.economy.5]\ncost = 3\ngain = { citizens = 5 }\n", "")
    with pytest.raises(UserError, match=r"rules: tracks\.economy\.5: missing; expected its cost and gain"):
        read_rules(text)
