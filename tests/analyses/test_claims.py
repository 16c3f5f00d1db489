"""What people say: confirmed, refuted or open by stated thresholds."""

from khora_sim.analyses.cities.page import CLAIMS, evaluated_claims
from khora_sim.pages.published_answers import BetterPlayer, CitiesAnswer, TableVerdict
from tests.analyses.made_up_cities import made_up_answer, number

OLYMPIA, CORINTH, THEBES, UNBALANCED, CATCHING_UP, EVENTS, LUCK, MILITARY, NINETY = (
    claim.text for claim in CLAIMS
)


def findings(answer: CitiesAnswer) -> dict[str, str]:
    return {one.claim.text: one.finding for one in evaluated_claims(answer)}


def with_facts(answer: CitiesAnswer, **facts: object) -> CitiesAnswer:
    """An answer in which the games of the strongest player go otherwise."""
    (table,) = answer.tables
    own = table.strongest.model_copy(update={"facts": table.strongest.facts.model_copy(update=facts)})
    return with_table(answer, ladder=(*table.ladder[:-1], own))


def with_table(answer: CitiesAnswer, **changes: object) -> CitiesAnswer:
    (table,) = answer.tables
    return answer.model_copy(update={"tables": (TableVerdict(**{**dict(table), **changes}),)})


def test_the_strongest_cities_are_confirmed_only_above_all_others():
    both = made_up_answer(sage={"olympia": "above", "sparta": "above"})
    assert findings(both)[OLYMPIA] == "confirmed"
    assert findings(made_up_answer(sage={"sparta": "below"}))[OLYMPIA] == "refuted"
    assert findings(made_up_answer(sage={}))[OLYMPIA] == "open"
    assert findings(made_up_answer(sage={"olympia": "above"}))[OLYMPIA] == "open"


def test_the_spread_between_players_keeps_a_claim_open():
    apart = made_up_answer(peers={"sparta": 0.1}, sage={"olympia": "above", "sparta": "above"})
    assert findings(apart)[OLYMPIA] == "open"


def test_a_city_is_too_weak_where_it_is_below_its_fair_share():
    found = findings(made_up_answer(sage={"corinth": "below", "thebes": "above"}))
    assert (found[CORINTH], found[THEBES], found[UNBALANCED]) == ("confirmed", "refuted", "confirmed")
    assert findings(made_up_answer(sage={}))[UNBALANCED] == "refuted"


def test_catching_up_is_evaluated_by_the_leader_halfway():
    for share, finding in ((0.9, "confirmed"), (0.6, "open"), (0.3, "refuted")):
        answer = with_facts(made_up_answer(sage={}), leader_wins=(number(share),) * 9)
        assert findings(answer)[CATCHING_UP] == finding


def test_events_favour_the_military_player_where_more_of_them_bring_it_more_wins():
    for few, many, finding in ((0.3, 0.35, "confirmed"), (0.3, 0.31, "open"), (0.35, 0.3, "refuted")):
        answer = with_facts(made_up_answer(sage={}), military_wins=(number(few), number(many)))
        assert findings(answer)[EVENTS] == finding


def test_luck_is_evaluated_by_how_often_the_better_player_wins():
    assert findings(made_up_answer(sage={}))[LUCK] == "open"
    for share, finding in ((0.85, "confirmed"), (0.4, "refuted")):
        better = BetterPlayer(strategy="sage", against="expert", share=number(share))
        assert findings(with_table(made_up_answer(sage={}), better_player=better))[LUCK] == finding


def test_ninety_points_mark_experience_where_only_the_strongest_reach_them():
    reached = with_facts(made_up_answer(merchant={}, sage={}), experienced_winners=number(0.8))
    assert findings(reached)[NINETY] == "open"  # the merchant wins half of its games so
    rarely = with_facts(made_up_answer(merchant={}, sage={}), experienced_winners=number(0.2))
    assert findings(rarely)[NINETY] == "refuted"


def test_military_cities_are_evaluated_at_tables_of_two():
    assert MILITARY not in findings(made_up_answer(sage={}))
    two = findings(made_up_answer(players=2, sage={}))
    assert two == {MILITARY: "refuted"}


def test_every_claim_comes_with_its_numbers_and_their_n():
    for one in evaluated_claims(made_up_answer(merchant={}, sage={})):
        assert "n 10,000" in one.numbers or one.claim.text == LUCK
