"""Final scores and where every point came from."""

from typing import Any

from khora_sim.engine.ledger import SOURCES, Source
from khora_sim.engine.match import Match
from khora_sim.engine.scoring import places
from khora_sim.records.record_format import Score
from khora_sim.records.state import city_ids
from khora_sim.records.steps import Step
from khora_sim.rules import Rules
from khora_sim.rules.terms import DEVELOPMENTS, MAX_CARDS, word


def source_id(rules: Rules, source: int) -> str:
    """Where points came from, as records write it: `card bank`, `development 4`, `culture-action`."""
    if source < MAX_CARDS:
        return f"card {rules.card_ids[source]}"
    if source < Source.DEVELOPMENT + DEVELOPMENTS:
        return f"development {source - Source.DEVELOPMENT + 1}"
    return word(Source(source))


def points_of(rules: Rules, points: Any) -> dict[str, int]:
    """The points of one player by where they came from, without the nothings."""
    return {source_id(rules, source): int(points[source]) for source in range(SOURCES) if points[source] != 0}


def ranks(match: Match) -> list[int]:
    """The place of each seat: by score, then by drachmas; who is still tied shares it."""
    players = int(match.game.players)
    found = places(match.game.vp[:players], match.game.drachmas[:players])
    return [int(place) for place in found]


def final_scores(match: Match, scoring: Step) -> list[Score]:
    """The scores of a game that is over; `scoring` is the step that scored it."""
    rules, game, ledger = match.rules, match.game, match.ledger
    start = {"start": rules.model.start.vp} if rules.model.start.vp else {}
    return [
        Score(
            player=city,
            score=int(game.vp[seat]),
            drachmas=int(game.drachmas[seat]),
            rank=rank,
            score_track=int(scoring.before.vp[seat]),
            final_scoring=points_of(rules, ledger.points[seat] - scoring.points[seat]),
            points={**start, **points_of(rules, ledger.points[seat])},
        )
        for seat, (city, rank) in enumerate(zip(city_ids(rules, game), ranks(match), strict=True))
    ]
