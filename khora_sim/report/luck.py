"""What luck two studies share: the same seed gives the same dice, but only the same deck the same deals."""

from collections.abc import Sequence
from typing import Any

from khora_sim.common.wording import listed
from khora_sim.errors import UserError
from khora_sim.lab.manifest import Manifest
from khora_sim.rules import read_rules


def shared_luck(first: Manifest, second: Manifest) -> list[str]:
    """What luck games of the same number share, from the manifests of two paired studies, and what not."""
    same, other = ["cities", "seats"], []
    plans = first.plan, second.plan
    one, two = (_drawn(manifest) for manifest in (first, second))
    if plans[0].shared_dice == plans[1].shared_dice:
        same.append("dice")
    else:
        other.append("The dice are not: everyone uses the same two in one of the studies.")
    if not _same_order(one["cards"], two["cards"]):
        other.append(
            "The hands and the deck are not: the studies have different cards, and shuffling another deck "
            "can put any of its cards in another place."
        )
    elif one["dealt"] != two["dealt"]:
        same.append("order of the deck")
        other.append("The hands are not: the studies deal different numbers of cards.")
    else:
        same += ["hands", "order of the deck"]
    if _same_order(one["events"], two["events"]):
        same.append("events")
    else:
        other.append(
            "The events are not: the studies have different ones to draw from, and shuffling another set "
            "can put any of its events in another place."
        )
    if plans[0].first_player == plans[1].first_player:
        same.append("first player")
    else:
        other.append("The first player is not: the studies choose it in different ways.")
    return [f"Game by game the same in both: {listed(same)}.", *other]


def _drawn(manifest: Manifest) -> dict[str, Any]:
    """What is shuffled, in the order in which it lies before."""
    enums = manifest.enums
    try:
        rules = read_rules(manifest.rules.toml).model
    except UserError:  # rules of another version of khora, which this one cannot read
        return {"cards": enums.cards, "events": enums.events, "dealt": None}
    middle = [name for name, event in rules.events.items() if event.slot == "middle"]
    return {"cards": list(rules.cards), "events": middle, "dealt": rules.hand_dealt}


def _same_order(one: Sequence[str], two: Sequence[str]) -> bool:
    """Whether one shuffle does the same to both: as many, and what both have at the same places."""
    known = set(one) & set(two)
    return len(one) == len(two) and all(
        a == b or (a not in known and b not in known) for a, b in zip(one, two, strict=True)
    )
