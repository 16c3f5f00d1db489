"""What happened to a player, in words: the difference between the game before and after."""

from typing import Any

from khora_sim.common.wording import listed
from khora_sim.engine.ledger import SOURCES, Source
from khora_sim.engine.match import Match
from khora_sim.records.state import members
from khora_sim.records.steps import Step
from khora_sim.rules import Rules
from khora_sim.rules.describe import GAINED
from khora_sim.rules.terms import DEVELOPMENTS, MAX_CARDS, Colour, Track, word

COUNTED = ("drachmas", "citizens", "troops", "tax", "glory", "philosophy")
SOURCE_NAMES = {
    Source.EVENT: "event",
    Source.EVENT_LOWEST: "event",
    Source.TRACK_LEVEL: "level reached",
    Source.CULTURE_ACTION: "culture action",
    Source.EXPLORATION: "exploration",
    Source.GLORY: "glory x major tokens",
}


def source_name(rules: Rules, source: int) -> str:
    """Where points came from, as people say it."""
    if source < MAX_CARDS:
        return rules.card_names[source]
    if source < Source.DEVELOPMENT + DEVELOPMENTS:
        return f"development {source - Source.DEVELOPMENT + 1}"
    return SOURCE_NAMES[Source(source)]


def points_by_name(rules: Rules, points: Any) -> dict[str, int]:
    """The points of one player by the name of where they came from, without the nothings."""
    by_name: dict[str, int] = {}
    for source in range(SOURCES):
        if points[source]:
            name = source_name(rules, source)
            by_name[name] = by_name.get(name, 0) + int(points[source])
    return by_name


def changes(match: Match, step: Step, seat: int) -> str:
    """All that a step changed for one player: `+3 drachmas (7), +1 VP (4: Diolkos)`; empty if nothing."""
    before, after = step.before, match.game
    parts = []
    for count in COUNTED:
        amount = int(after[count][seat]) - int(before[count][seat])
        if amount:
            parts.append(f"{amount:+d} {GAINED[count][abs(amount) != 1]} ({after[count][seat]})")
    parts += _points(match, step, seat)
    for track in Track:
        amount = int(after.level[seat, track]) - int(before.level[seat, track])
        if amount:
            parts.append(f"{amount:+d} {word(track)} ({after.level[seat, track]})")
    for size in ("minor", "major"):
        for colour in Colour:
            amount = int(after[size][seat, colour]) - int(before[size][seat, colour])
            if amount:
                parts.append(f"{amount:+d} {size} {word(colour)} ({after[size][seat, colour]})")
    if after.dice_count[seat] != before.dice_count[seat]:
        parts.append(f"rolls {after.dice_count[seat]} dice from the next round on")
    return ", ".join(parts)


def _points(match: Match, step: Step, seat: int) -> list[str]:
    amount = int(match.game.vp[seat]) - int(step.before.vp[seat])
    sources = points_by_name(match.rules, match.ledger.points[seat] - step.points[seat])
    if not sources:
        return []
    named = [f"{name} {points:+d}" if len(sources) > 1 else name for name, points in sources.items()]
    return [f"{amount:+d} VP ({match.game.vp[seat]}: {', '.join(named)})"]


def cards_drawn(match: Match, step: Step, seat: int) -> str:
    """The cards that came to a player's hand, in words; empty if none did."""
    new = int(match.game.hand[seat]) & ~int(step.before.hand[seat])
    return listed([match.rules.card_names[card] for card in members(new)])


def new_text(match: Match, step: Step, seat: int) -> str:
    """The text of the card or development that a player has now and had not before, if there is one."""
    model, game = match.rules.model, match.game
    for card in members(int(game.in_play[seat]) & ~int(step.before.in_play[seat])):
        return list(model.cards.values())[card].text or ""
    if game.development[seat] > step.before.development[seat]:
        city = list(model.cities.values())[game.city[seat]]
        return city.developments.in_order()[game.development[seat] - 1].text or ""
    return ""
