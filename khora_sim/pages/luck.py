"""What luck two studies of the same seed share, and what not: cities, dice, deck, events, first player."""

from khora_sim.common.wording import listed
from khora_sim.errors import UserError
from khora_sim.rules import read_rules
from khora_sim.rules.schema import Game
from khora_sim.simulation.manifest import Manifest


def shared_luck(first: Manifest, second: Manifest) -> list[str]:
    """What luck games of the same number share, from the manifests of two paired studies, and what not."""
    same, other = ["cities", "seats"], []
    plans = first.plan, second.plan
    one, two = _model(first), _model(second)
    if plans[0].shared_dice == plans[1].shared_dice:
        same.append("dice")
    else:
        other.append("The dice are not: everyone uses the same two in one of the studies.")
    if set(first.enums.cards) != set(second.enums.cards):
        other.append(
            "The decks lie in the same order but for the cards that only one of the studies has; behind each "
            "of them hands and draws move by a card."
        )
    elif (one and one.hand_dealt) != (two and two.hand_dealt):
        same.append("order of the deck")
        other.append("The hands are not: the studies deal different numbers of cards.")
    else:
        same += ["hands", "order of the deck"]
    side = "of the studies"
    if one is not None and two is not None:
        exceptions = events_except(one, two, side)
    else:
        exceptions = [] if set(first.enums.events) == set(second.enums.events) else [_of_one(side)]
    if exceptions:
        other.append(f"The events are the same except {listed(exceptions)}.")
    else:
        same.append("events")
    if plans[0].first_player == plans[1].first_player:
        same.append("first player")
    else:
        other.append("The first player is not: the studies choose it in different ways.")
    return [f"Game by game the same in both: {listed(same)}.", *other]


def events_except(one: Game, two: Game, side: str) -> list[str]:
    """Rounds in which games of the same seed may have different events; none: all events are the same.

    Both games draw the events between the first and the last round in the same order. The shorter game ends
    with the last event, where the longer one draws on.
    """
    rounds = min(one.rounds, two.rounds)
    found = []
    if _events(one, "first") != _events(two, "first"):
        found.append("in round 1")
    if one.rounds != two.rounds:
        found.append(f"from round {rounds} on")
    elif _events(one, "last") != _events(two, "last"):
        found.append(f"in round {rounds}")
    if _events(one, "middle") != _events(two, "middle"):
        found.append(_of_one(side))
    return found


def _events(game: Game, slot: str) -> set[str]:
    return {name for name, event in game.events.items() if event.slot == slot}


def _of_one(side: str) -> str:
    return f"in the rounds of those that only one {side} has, and of those that make room for them"


def _model(manifest: Manifest) -> Game | None:
    """The rules of a study; None for rules of another version of khora, which this one cannot read."""
    try:
        return read_rules(manifest.rules.toml).model
    except UserError:
        return None
