"""What luck two sides of the same seed share, and what not: cities, dice, deck, events, first player."""

from typing import NamedTuple

from khora_sim.common.wording import listed
from khora_sim.errors import UserError
from khora_sim.lab.manifest import Manifest
from khora_sim.rules import Rules, read_rules
from khora_sim.rules.schema import Game


class Drawn(NamedTuple):
    """What chance draws from."""

    cities: frozenset[str]
    cards: frozenset[str]
    events: frozenset[str]  # of the rounds between the first and the last
    dealt: int | None  # cards of a hand
    rounds: int | None
    shared_dice: bool | None
    first_player: int | str


def shared_luck(first: Manifest, second: Manifest) -> list[str]:
    """What luck games of the same number share, from the manifests of two paired studies, and what not."""
    return luck_in_words(_of_study(first), _of_study(second), "studies")


def luck_of_rules(first: Rules, second: Rules) -> list[str]:
    """The same of games of two rules, played with the options that each of them says."""
    return luck_in_words(_of_rules(first), _of_rules(second), "two games")


def luck_in_words(one: Drawn, two: Drawn, sides: str) -> list[str]:
    """What luck is the same on both sides, and what is not."""
    same, other = [], []
    if one.cities == two.cities:
        same += ["cities", "seats"]
    else:
        other.append(
            f"The cities sit in the same seats but for those that only one of the {sides} has: there sits "
            "the first that was not drawn."
        )
    if one.shared_dice == two.shared_dice:
        same.append("dice")
    else:
        other.append(f"The dice are not: everyone uses the same two in one of the {sides}.")
    if one.cards != two.cards:
        other.append(
            f"The decks lie in the same order but for the cards that only one of the {sides} has; behind "
            "each of them hands and draws move by a card."
        )
    elif one.dealt != two.dealt:
        same.append("order of the deck")
        other.append(f"The hands are not: the {sides} deal different numbers of cards.")
    else:
        same += ["hands", "order of the deck"]
    if one.events == two.events and one.rounds == two.rounds:
        same.append("events")
    elif one.events == two.events:
        other.append(f"The events are the same up to the last round but one of the shorter of the {sides}.")
    else:
        other.append(
            f"The events are the same but in the rounds of those that only one of the {sides} has, and of "
            "those that make room for them."
        )
    if one.first_player == two.first_player:
        same.append("first player")
    else:
        other.append(f"The first player is not: the {sides} choose it in different ways.")
    return [f"Game by game the same in both: {listed(same)}.", *other]


def _of_study(manifest: Manifest) -> Drawn:
    enums, plan = manifest.enums, manifest.plan
    try:
        rules: Game | None = read_rules(manifest.rules.toml).model
    except UserError:  # rules of another version of khora, which this one cannot read
        rules = None
    return Drawn(
        frozenset(),  # paired studies have the same cities in the same seats
        frozenset(rules.cards if rules else enums.cards),
        _middle(rules) if rules else frozenset(enums.events),
        rules.hand_dealt if rules else None,
        rules.rounds if rules else None,
        plan.shared_dice,
        plan.first_player,
    )


def _of_rules(rules: Rules) -> Drawn:
    game = rules.model
    options = game.options
    return Drawn(
        frozenset(game.cities),
        frozenset(game.cards),
        _middle(game),
        game.hand_dealt,
        game.rounds,
        options.shared_dice,
        "random",
    )


def _middle(game: Game) -> frozenset[str]:
    return frozenset(name for name, event in game.events.items() if event.slot == "middle")
