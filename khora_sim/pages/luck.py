"""What luck two studies of the same seed share, and what not: cities, dice, deck, events, first player."""

from typing import Any

from khora_sim.common.wording import listed
from khora_sim.errors import UserError
from khora_sim.rules import read_rules
from khora_sim.simulation.manifest import Manifest


def shared_luck(first: Manifest, second: Manifest) -> list[str]:
    """What luck games of the same number share, from the manifests of two paired studies, and what not."""
    same, other = ["cities", "seats"], []
    plans = first.plan, second.plan
    one, two = (_drawn(manifest) for manifest in (first, second))
    if plans[0].shared_dice == plans[1].shared_dice:
        same.append("dice")
    else:
        other.append("The dice are not: everyone uses the same two in one of the studies.")
    if one["cards"] != two["cards"]:
        other.append(
            "The decks lie in the same order but for the cards that only one of the studies has; behind each "
            "of them hands and draws move by a card."
        )
    elif one["dealt"] != two["dealt"]:
        same.append("order of the deck")
        other.append("The hands are not: the studies deal different numbers of cards.")
    else:
        same += ["hands", "order of the deck"]
    if one["events"] == two["events"]:
        same.append("events")
    else:
        other.append(
            "The events are the same but in the rounds of those that only one of the studies has, and of "
            "those that make room for them."
        )
    if plans[0].first_player == plans[1].first_player:
        same.append("first player")
    else:
        other.append("The first player is not: the studies choose it in different ways.")
    return [f"Game by game the same in both: {listed(same)}.", *other]


def _drawn(manifest: Manifest) -> dict[str, Any]:
    """What chance draws from."""
    enums = manifest.enums
    try:
        rules = read_rules(manifest.rules.toml).model
    except UserError:  # rules of another version of khora, which this one cannot read
        return {"cards": set(enums.cards), "events": set(enums.events), "dealt": None}
    middle = {name for name, event in rules.events.items() if event.slot == "middle"}
    return {"cards": set(rules.cards), "events": middle, "dealt": rules.hand_dealt}
