"""What lies on the table after a round and at the end: tables, and lines for what does not fit into one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from khora_sim.common.options import differing
from khora_sim.common.wording import listed
from khora_sim.engine.ledger import Source
from khora_sim.engine.match import Match
from khora_sim.records.scores import ranks
from khora_sim.records.state import members
from khora_sim.records.steps import Step
from khora_sim.rules.terms import Track


@dataclass(frozen=True)
class Table:
    """A table of the story; the columns named in `right` hold numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[str]


def options_in_force(match: Match) -> str:
    """The options that are not as in the rulebook, in words, to follow the name of the rules."""
    return "".join(f", {option.in_words(on)}" for option, on in differing(int(match.game.settings)).items())


def cities(match: Match) -> list[str]:
    """The cities' names by seat."""
    return [match.rules.city_names[city] for city in match.game.city[: match.game.players]]


def state_table(match: Match) -> Table:
    """How every player stands; tokens are red, blue, green."""
    game = match.game
    numbers = ("VP", "Drachmas", "Citizens", "Troops", "Tax", "Glory", "Philosophy")
    columns = ("City", *numbers, "Levels", "Minor", "Major", "Dev.")
    rows = [
        [
            city,
            *(str(game[number.lower()][seat]) for number in numbers),
            "/".join(str(game.level[seat, track]) for track in Track),
            "/".join(str(tokens) for tokens in game.minor[seat]),
            "/".join(str(tokens) for tokens in game.major[seat]),
            str(game.development[seat]),
        ]
        for seat, city in enumerate(cities(match))
    ]
    return Table(columns, rows, columns[1:])


def card_lines(match: Match) -> Iterator[tuple[str, str]]:
    """The cards of every player: who, and what is in play and in hand."""
    names = match.rules.card_names
    for seat, city in enumerate(cities(match)):
        in_play = listed([names[card] for card in members(match.game.in_play[seat])])
        hand = listed([names[card] for card in members(match.game.hand[seat])])
        yield city, f"in play {in_play or 'nothing'}; in hand {hand or 'nothing'}."


def final_table(match: Match, scoring: Step, strategies: Sequence[str]) -> Table:
    """The final scores and what they are made of."""
    columns = (
        "Place",
        "City",
        "Strategy",
        "Score",
        "Score track",
        "Cards",
        "Developments",
        "Glory",
        "Drachmas",
    )
    gained = match.ledger.points - scoring.points
    rows = [
        [
            str(rank),
            cities(match)[seat],
            strategies[seat],
            str(match.game.vp[seat]),
            str(scoring.before.vp[seat]),
            str(gained[seat, : Source.DEVELOPMENT].sum()),
            str(gained[seat, Source.DEVELOPMENT : Source.EVENT].sum()),
            str(gained[seat, Source.GLORY]),
            str(match.game.drachmas[seat]),
        ]
        for rank, seat in sorted((rank, seat) for seat, rank in enumerate(ranks(match)))
    ]
    return Table(columns, rows, ("Place", *columns[3:]))


def verdict(match: Match) -> str:
    """Who won."""
    best = [seat for seat, rank in enumerate(ranks(match)) if rank == 1]
    names = listed([cities(match)[seat] for seat in best])
    score = match.game.vp[best[0]]
    if len(best) > 1:
        return f"{names} share the victory with {score} VP and equal drachmas."
    tied = [seat for seat in range(match.game.players) if match.game.vp[seat] == score]
    return f"{names} wins with {score} VP{' and more drachmas' if len(tied) > 1 else ''}."
