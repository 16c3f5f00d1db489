"""Answers about cities that nobody played, whose truth is planted."""

from khora_sim.analyses.cities import words_for
from khora_sim.pages.published_answers import (
    Against,
    CitiesAnswer,
    CityShare,
    GameFacts,
    SelfPlay,
    TableVerdict,
)
from khora_sim.rules import load_rules
from khora_sim.simulation.result import RulesPlayed
from khora_sim.stats import Estimate

SHARES = {"above": 0.40, "below": 0.10, "open": 0.25}
FAMILIES = {"random": "control"}


def number(value: float, margin: float = 0.01) -> Estimate:
    return Estimate(value=value, low=max(value - margin, 0.0), high=value + margin, n=10_000)


def made_up_answer(
    players: int = 4,
    peers: dict[str, float] | None = None,
    peer: str = "peer",
    unlocked: dict[str, float] | None = None,
    **ladder: dict[str, Against],
) -> CitiesAnswer:
    """An answer of one table: where each player of a ladder has each city, what a peer does."""
    rules = load_rules()
    found = tuple(self_play(name, standing, unlocked or {}) for name, standing in ladder.items())
    others = ()
    if peers is not None:
        one = self_play(peer, {}, {})
        changed = {
            city: one.cities[city].model_copy(update={"share": number(x)}) for city, x in peers.items()
        }
        others = (one.model_copy(update={"cities": one.cities | changed}),)
    table = TableVerdict(players=players, ladder=found, peers=others, words=words_for(found))
    return CitiesAnswer(
        khora="0.2.0",
        rules=RulesPlayed.of(rules),
        seed=3_000_000_000,
        games=17_500,
        precision=None,
        names=dict(zip(rules.city_ids, rules.city_names, strict=True)),
        tables=(table,),
    )


def self_play(name: str, standing: dict[str, Against], unlocked: dict[str, float]) -> SelfPlay:
    cities = {}
    for city in load_rules().city_ids:
        against = standing.get(city, "open")
        rate = number(unlocked.get(city, 0.5), 0.001)
        cities[city] = CityShare(
            share=number(SHARES[against]),
            p_holm=0.5,
            against_fair=against,
            unlocked={2: rate, 3: rate, 4: rate},
        )
    some = number(0.5)
    facts = GameFacts(
        score=number(60, 1),
        winning_score=number(75, 1),
        experienced_winners=some,
        margin=some,
        lead_changes=some,
        leader_wins=(some,) * 9,
        military_wins=(some, some),
    )
    return SelfPlay(
        strategy=name,
        digest="0" * 16,
        family=FAMILIES.get(name, "balanced"),
        games=17_500,
        cities=cities,
        facts=facts,
    )
