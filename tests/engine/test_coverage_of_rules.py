"""Every card, development, event, space, level, achievement, ruling and worked example has a scenario.

python -m tests.engine.test_coverage_of_rules     prints how many there are of each kind
"""

from importlib import import_module
from pathlib import Path

import pytest

from tests.engine.covering import COVERED
from tests.engine.scene import BASE, TRACKS

#: The rulings in the order of the rules, several where one speaks of several things.
RULINGS = [
    "Growing Population pays right after the roll",
    "a third die is rolled from the next round on",
    "tiles are set aside one by one, with tokens spent at any points",
    "payments without a choice are settled first",
    "losses stop at 0: drachmas",
    "losses stop at 0: philosophy tokens",
    "losses stop at 0: citizens",
    "losses stop at 0: troops",
    "losses stop at 0: VP",
    "losses stop at 0: cards",
    "tax past 10 is lost",
    "glory past 10 is lost",
    "citizens past 15 are lost at once",
    "citizens from legislation may pass 15 until the phase ends",
    "troops past 15 are lost at once",
    "troops past 15 count inside a military action",
    "between two military actions troops fall to 15",
    "mercenaries at 13 troops with economy 5 end at 15",
    "triggers fire on every action of Sparta 3",
    "triggers fire on every action of Olympia 4",
    "triggers fire on the action of Conquest of the Persians",
    "what a trade action adds can help to buy the token",
    "Oracle needs a development really unlocked",
    "the development of the set-up is no action",
    "Helepole and Sparta 1 add up",
    "Power and Public Market also pay when tied",
    "Rivalry wants all others strictly higher",
    "Old Guard: a free step by Constructing the Mint breaks it",
    "Old Guard: Peripteros, developments and events do not break it",
    "Old Guard looks at one phase at a time",
    "Gradualism also lowers event steps",
    "discounts of Gradualism and Corinth 3 add up in the progress phase",
    "Constructing the Mint and Corinth 3 work in the progress phase only",
    "Constructing the Mint is free for levels bought with philosophy too",
    "Reformists and Corinth 3 do not add up",
    "philosophy tokens buy no level in what an event grants",
    "philosophy tokens stand in for no knowledge in what an event grants",
    "philosophy tokens stand in for knowledge inside Ostracism in phase D",
    "philosophy tokens buy no level in phase D and no citizens in phase E",
    "Ostracism cannot take itself back",
    "with no other card in play Ostracism still has its politics action",
    "every card played fires the card-played effects",
    "Thebes 2 is offered before paying in phase D",
    "Thebes may sell glory in a development action with all developments",
    "free levels may be declined where a card rewards being low",
    "Thebes 2 is offered before paying in phase E",
    "Thebes 2 is offered in events that ask for drachmas",
    "Thebes 2 is offered before the achievements while sales can earn one",
    "Thebes 2 is offered before the final scoring",
    "Thebes 2 is for who has unlocked it",
    "Miletus 2 takes two different tracks",
    "Argos 1 and 2 are immediate, once",
    "discarded cards go under the deck",
    "no reshuffle: what is left is drawn",
    "legislation with one card left, and with none",
    "Conquest of the Persians comes before achievements and scoring",
    "Ionic Columns are Corinthian Columns",
]
DEVELOPMENTS = [f"{city} {number}" for city in BASE.city_ids for number in (1, 2, 3, 4)]
#: What must have a scenario, and how many that is in the base game.
WANTED = {
    "card": (BASE.card_ids, 40),
    "development": (DEVELOPMENTS, 28),
    "price": ([*BASE.card_ids, *(name for name in DEVELOPMENTS if not name.endswith("1"))], 61),
    "event": (BASE.event_ids, 16),
    "space": (BASE.space_ids, 34),
    "level": ([f"{track} {level}" for track in TRACKS for level in range(2, 8)], 18),
    "achievement": (["victory-points", "citizens", "troops", "economy", "politics"], 5),
    "ruling": (RULINGS, len(RULINGS)),
    "example": (
        [
            "Miletus starts at economy 2 with 6 citizens",
            "economy 2 to 3 costs 2 drachmas and gives 3 citizens",
            "the red major that needs 6",
            "13 troops with military 4",
            "citizens 12 and 14 in the same round",
            "Green, Black and Orange resolve their tiles",
        ],
        6,
    ),
    "option": (["no draft", "reroll", "shared dice", "progress bonuses stack", "open dice"], 5),
}


def gather() -> None:
    """Import every file of scenarios, so that all of them have registered what they cover."""
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        import_module(f"tests.engine.{file.stem}")


@pytest.mark.parametrize("kind", WANTED)
def test_nothing_is_without_a_scenario(kind):
    gather()
    wanted, count = WANTED[kind]
    assert len(set(wanted)) == count
    assert set(COVERED[kind]) == set(wanted)


def main() -> None:
    gather()
    for kind, ids in COVERED.items():
        print(f"{kind:16} {len(ids):3} with {sum(ids.values()):4} scenarios")


if __name__ == "__main__":
    main()
