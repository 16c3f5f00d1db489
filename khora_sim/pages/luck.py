"""Random draws that two sides of the same seed share: of two studies in short, of two rules one by one."""

import polars as pl

from khora_sim.common.wording import listed
from khora_sim.errors import UserError
from khora_sim.rules import Rules, read_rules
from khora_sim.rules.schema import Game
from khora_sim.simulation.manifest import Manifest

YES, NO, PARTLY = "yes", "no", "in part"
Row = tuple[str, str, str]  # stream, whether it is the same, how


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
    if _in_slot(one, "first") != _in_slot(two, "first"):
        found.append("in round 1")
    if one.rounds != two.rounds:
        found.append(f"from round {rounds} on")
    elif _in_slot(one, "last") != _in_slot(two, "last"):
        found.append(f"in round {rounds}")
    if _in_slot(one, "middle") != _in_slot(two, "middle"):
        found.append(_of_one(side))
    return found


def _in_slot(game: Game, slot: str) -> set[str]:
    return {name for name, event in game.events.items() if event.slot == slot}


def _of_one(side: str) -> str:
    return f"in the rounds of those that only one {side} has, and of those that make room for them"


def _model(manifest: Manifest) -> Game | None:
    """The rules of a study; None for rules of another version of khora, which this one cannot read."""
    try:
        return read_rules(manifest.rules.toml).model
    except UserError:
        return None


def streams(first: Rules, second: Rules) -> pl.DataFrame:
    """Every stream of luck, whether it is the same on both sides, and how far."""
    one, two = first.model, second.model
    rows = [
        ("first player of the game", YES, "By the game's seed."),
        _cities(one, two),
        _dice(one, two),
        *_rerolls(one, two),
        _deck(one, two),
        _hands(one, two),
        (
            "cards drawn later",
            PARTLY,
            "The order of the deck is fixed, but who draws which card depends on how many were drawn before: "
            "the same until the games part, then not.",
        ),
        _events(one, two),
        (
            "players' own luck",
            PARTLY,
            "By seat, round and how many decisions the player has made in that round: the same until that "
            "number differs, and again from the next round. It decides between options that a player rates "
            "alike, and the possible worlds of players that look ahead.",
        ),
    ]
    return pl.DataFrame(rows, schema=["stream", "same", "how"], orient="row")


def in_short(found: pl.DataFrame) -> str:
    """All streams in a sentence."""
    heads = {YES: "Game by game the same on both sides", PARTLY: "in part", NO: "not"}
    parts = [
        f"{head}: {listed(found.filter(same=same)['stream'].to_list())}"
        for same, head in heads.items()
        if not found.filter(same=same).is_empty()
    ]
    return f"{'; '.join(parts)}."


def _cities(one: Game, two: Game) -> Row:
    if set(one.cities) == set(two.cities):
        return (
            "cities and seats",
            YES,
            "All sets of cities come equally often, in the same seats of the same games.",
        )
    how = (
        "Drawn by chance, in the order of keys of their own: seats keep their cities but for those of a city "
        "that only one side has; there sits the first that was not drawn."
    )
    return "cities and seats", PARTLY, how


def _dice(one: Game, two: Game) -> Row:
    if one.options.shared_dice == two.options.shared_dice:
        how = "By seat, round and die, to the end of the game, whatever is decided; a third die, too."
        return "dice", YES, how
    how = "Not the first two: on one side all use the same two, rolled for no seat. A third die is the same."
    return "dice", PARTLY, how


def _rerolls(one: Game, two: Game) -> list[Row]:
    allowed = (one.options.reroll, two.options.reroll)
    if not any(allowed):
        return []
    how = "By seat, round and die, apart from the first roll: the same wherever both sides roll a die again."
    if all(allowed):
        return [("rerolls", YES, how)]
    return [
        (
            "rerolls",
            NO,
            "Only one side rerolls. First rolls are the same; what a reroll brings has no partner.",
        )
    ]


def _deck(one: Game, two: Game) -> Row:
    if set(one.cards) == set(two.cards):
        return "order of the deck", YES, "By keys of the cards' own."
    how = "The same but for the cards that only one side has; behind each of them all draws move by a card."
    return "order of the deck", PARTLY, how


def _hands(one: Game, two: Game) -> Row:
    if one.hand_dealt != two.hand_dealt:
        return "hands dealt", NO, "The sides deal different numbers of cards from the same deck."
    if set(one.cards) != set(two.cards):
        return (
            "hands dealt",
            PARTLY,
            "The same up to the first card that only one side has; from there by a card on.",
        )
    if one.options.draft != two.options.draft:
        how = "The same cards are dealt; on one side they are drafted, on the other they are kept."
        return "hands dealt", YES, how
    return "hands dealt", YES, "Five cards or as many as the rules say; what is kept of them is decided."


def _events(one: Game, two: Game) -> Row:
    exceptions = events_except(one, two, "side")
    if not exceptions:
        return "events", YES, "By round."
    return "events", PARTLY, f"The same except {listed(exceptions)}."
