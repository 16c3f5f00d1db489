from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from khora_sim.pages.page_model import Section
from khora_sim.pages.sections import (
    MAKERS,
    achievements,
    actions,
    cards,
    cities,
    city_by_strategy,
    deciding,
    dice,
    events,
    growth,
    opponents,
    points,
    ratings,
    seats,
    strategies,
    tracks,
)
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.table import Table
from tests.pages.synthetic import CITY_TERMS, LUCKY_CARD, RICH_EVENT, RICH_EVENT_POINTS, STRATEGY_TERMS

Sections = Callable[[StudyData], list[Section]]


@pytest.fixture(scope="module")
def players(data: StudyData) -> pl.DataFrame:
    return data.study.players.collect()


def test_every_section_draws_or_excuses_the_figures_it_lists(
    data: StudyData, mixed: StudyData, tiny: StudyData, sections: Sections
) -> None:
    for study in (data, mixed, tiny):
        for maker, section in zip(MAKERS, sections(study), strict=True):
            kinds = [figure.kind for figure in section.figures]
            assert sorted([*kinds, *section.missing]) == sorted(maker.kinds)


def test_every_figure_has_a_sentence_and_its_n(data: StudyData, sections: Sections) -> None:
    for section in sections(data):
        for figure in section.figures:
            assert figure.sentence.endswith((".", "?"))
            assert figure.counted.startswith("n ")


def test_tables_show_as_many_cells_as_they_have_rows(
    data: StudyData, mixed: StudyData, tiny: StudyData, sections: Sections
) -> None:
    for study in (data, mixed, tiny):
        for section in sections(study):
            for table in section.tables:
                assert {len(row) for row in table.rows} == {len(table.columns)}, table.name
                assert len(table.rows) > 0, table.name


def test_win_shares_and_places_are_those_of_the_games(data: StudyData, players: pl.DataFrame) -> None:
    found = cities.strengths(data)
    direct = {
        "value": pl.col("win_share").mean(),
        "score_value": pl.col("score").mean(),
        "score_sd": pl.col("score").std(ddof=0),
        "place_1": (pl.col("place") == 1).mean(),
        "place_4": (pl.col("place") == 4).mean(),
    }
    own = players.group_by("city").agg(**direct).sort("city")
    for name in direct:
        assert found[name].to_list() == pytest.approx(own[name].to_list())


def test_planted_strong_and_weak_cities_are_distinguished_from_their_fair_share(data: StudyData) -> None:
    lead = cities.section(data).lead
    assert "Corinth, Thebes and Miletus won more and Argos and Athens won less" in lead


def test_spread_of_scores_is_that_of_the_games(data: StudyData, players: pl.DataFrame) -> None:
    found = cities.score_spread(data).row(0, named=True)
    scores = players.filter(pl.col("city") == found["city"])["score"]
    assert found["q50"] == pytest.approx(scores.quantile(0.5, "higher"), abs=1)
    assert found["n"] == len(scores)


def test_strong_hands_win_more_with_every_city(data: StudyData) -> None:
    table = city_by_strategy.by_strategy(data)
    for city in data.cities:
        own = dict(
            table.filter(pl.col("city").cast(pl.String) == city).select("strategy", "value").iter_rows()
        )
        assert own["strong"] > own["middling"] > own["weak"]


def test_one_strategy_alone_is_no_comparison_of_hands(tiny: StudyData) -> None:
    section = city_by_strategy.section(tiny)
    assert section.figures == ()
    assert section.missing == {"city-by-strategy": section.lead}
    assert "Only strong played" in section.lead


def test_a_planted_seat_is_found(data: StudyData) -> None:
    rows = {row["where"]: row for row in seats.by_seat(data).to_dicts()}
    assert rows["Seat 1"]["low"] > 0.25 > rows["Seat 4"]["high"]
    assert rows["First player"]["low"] < 0.25 < rows["First player"]["high"]
    assert seats.section(data).lead.startswith("The place at the table matters: Seat 1 at 4 players")


def test_who_finishes_ahead_agrees_with_a_join(data: StudyData, players: pl.DataFrame) -> None:
    own = players.select("game", "city", "place")
    pairs = own.join(own, on="game", suffix="_other").filter(pl.col("city") != pl.col("city_other"))
    ahead = (pl.col("place") < pl.col("place_other")) + 0.5 * (pl.col("place") == pl.col("place_other"))
    direct = pairs.group_by("city", "city_other").agg(ahead.mean().alias("value"), pl.len().alias("n"))
    direct = direct.sort("city", "city_other")
    found = opponents.against(data, "city", False)
    assert found["value"].to_list() == pytest.approx(direct["value"].to_list())
    assert found["n"].to_list() == direct["n"].to_list()


def test_tables_of_two_are_kept_apart_from_larger_ones(mixed: StudyData) -> None:
    found = opponents.section(mixed)
    assert [table.name for table in found.tables] == ["city-against-city-2", "city-against-city"]
    at_two = found.tables[0].frame
    assert at_two["n"].sum() == 2 * 1000  # a thousand games of two, seen from both sides


def test_ratings_recover_planted_terms(data: StudyData) -> None:
    table = ratings.fitted(data).table
    planted = {**dict(zip(data.cities, CITY_TERMS, strict=True)), **STRATEGY_TERMS}
    for factor in ("city", "strategy"):
        own = table.filter(factor=factor)
        truth = np.array([planted[level] for level in own["level"]])
        # Luck that the model does not know of makes differences smaller, not other ones.
        slope = np.polyfit(truth, own["value"].to_numpy(), 1)[0]
        assert 0.6 < slope < 1.05
        assert np.corrcoef(truth, own["value"].to_numpy())[0, 1] > 0.98


def test_a_city_is_not_credited_with_its_players_skill_where_both_can_be_distinguished(
    data: StudyData,
) -> None:
    factors = ratings.fitted(data).table["factor"].unique().to_list()
    assert sorted(factors) == ["city", "seat", "strategy"]


def test_ratings_show_where_their_model_is_wrong_and_promise_no_wins(data: StudyData) -> None:
    table = ratings.section(data).tables[0]
    assert [column.title for column in table.columns][-3:] == [
        "First places, measured",
        "fitted",
        "Measured minus fitted",
    ]
    found = ratings.misfit(data).filter(factor="city")
    wins = cities.strengths(data)
    assert found["measured"].to_list() == pytest.approx(wins["value"].to_list())
    worst = found.filter(pl.col("value").abs() == pl.col("value").abs().max()).row(0, named=True)
    note = ratings.section(data).notes[1]
    assert (data.city(worst["level"]) in note) == (worst["p_holm"] < 0.05)


def test_four_games_rate_nothing(tiny: StudyData) -> None:
    assert ratings.section(tiny).lead == "4 games are too few to rate anything."


def test_sources_sum_to_the_mean_score(data: StudyData, players: pl.DataFrame) -> None:
    sums = points.sources(data, "city").group_by("city").agg(pl.col("value").sum()).sort("city")
    means = players.group_by("city").agg(pl.col("score").mean()).sort("city")
    assert sums["value"].to_list() == pytest.approx(means["score"].to_list())


def test_the_city_that_lives_on_its_developments_is_named(data: StudyData) -> None:
    assert points.section(data).figures[0].sentence.startswith("Corinth stands out by developments")


def test_growth_is_the_mean_of_the_rounds(data: StudyData) -> None:
    rounds = data.study.rounds.collect()
    means = rounds.group_by("round").agg(pl.col("vp").mean()).sort("round")["vp"].to_list()
    table = growth.section(data).tables[0].frame.filter(measure="vp").sort("round")
    assert table["value"].to_list() == pytest.approx(means)


def test_without_rounds_growth_says_how_to_get_it(mixed: StudyData) -> None:
    section = growth.section(mixed)
    assert "play it with --rounds" in section.lead
    assert set(section.missing) == {"growth", "growth-board"}


def test_leaders_win_as_often_as_in_the_games(data: StudyData, players: pl.DataFrame) -> None:
    found = deciding.leaders(data).filter(round=5).row(0, named=True)
    led = players.filter((pl.col("leading") & 16) != 0)
    assert found["value"] == pytest.approx(led["win_share"].mean())
    assert found["n"] == len(led)


def test_endings_are_those_of_the_games(data: StudyData) -> None:
    games = data.games.collect()
    ends = dict(deciding.endings(data).select("measure", "value").iter_rows())
    assert ends["margin"] == pytest.approx(games["margin"].mean())
    assert ends["near"] == pytest.approx((games["margin"] <= deciding.NEAR).mean())
    assert ends["lead_changes"] == pytest.approx(games["lead_changes"].mean())
    assert ends["shared"] == pytest.approx((games["winners"] > 1).mean())


def test_actions_bring_what_was_planted(data: StudyData, players: pl.DataFrame) -> None:
    found = actions.taken(data, ["trade"], [])
    values = dict(found.select("measure", "value").iter_rows())
    aside = players["set_aside_trade"].cast(pl.Int64).sum()
    tiles = players["actions_trade"].cast(pl.Int64).sum() + aside
    assert values["taken"] == pytest.approx(players["actions_trade"].mean())
    assert values["return"] == pytest.approx(2.0)
    assert values["lost"] == pytest.approx(aside / tiles)


def test_higher_pips_win_more(data: StudyData, players: pl.DataFrame) -> None:
    table = dice.by_pips(data)
    assert table.filter(bin=2)["low"].item() > 0 > table.filter(bin=-2)["high"].item()
    assert table["n"].sum() == len(players)
    assert (table["value"] * table["n"]).sum() == pytest.approx(0.0, abs=1e-9)


def test_levels_are_counted_once_each(data: StudyData, players: pl.DataFrame) -> None:
    table = tracks.by_level(data, ["culture"])
    assert table["n"].sum() == len(players)
    top = players.filter(pl.col("level_culture") == 6)
    assert table.filter(level=6)["value"].item() == pytest.approx(top["win_share"].mean())


def test_only_the_lucky_card_stands_out_when_dealt(data: StudyData) -> None:
    dealt, _ = cards.contrasts(data, data.manifest.enums.cards)
    assert dealt.filter(pl.col("p_holm") < 0.05)["name"].to_list() == [LUCKY_CARD]
    assert cards.section(data).lead.startswith("Being dealt Gold Reserve helps most (win share +")


def test_the_figure_of_a_card_is_given_to_that_card_alone(data: StudyData) -> None:
    dealt, _ = cards.contrasts(data, data.manifest.enums.cards)
    both = pl.col("name").is_in([LUCKY_CARD, "bank"])
    half = pl.when(name="bank").then(0.01).otherwise("value")
    sure = dealt.with_columns(value=half, p_holm=pl.when(both).then(0.01).otherwise(1.0))
    message = cards._lead(data, sure, pl.DataFrame(schema={"measure": pl.String, "value": pl.Float64}))
    assert message.startswith("Being dealt Gold Reserve helps most (win share +")
    assert message.split(")")[1].startswith(", followed by Bank; figures are shrunken")


def test_tiles_that_are_hardly_ever_set_aside_are_not_said_to_be_never() -> None:
    rows = [("trade", "taken", 3.0), ("trade", "lost", 0.0004)]
    table = pl.DataFrame(rows, schema=["action", "measure", "value"], orient="row")
    assert actions._lead(table).endswith("is trade: less than 1 % of them are set aside.")


def test_the_largest_effect_is_reported_shrunken_and_says_so(data: StudyData) -> None:
    dealt, _ = cards.contrasts(data, data.manifest.enums.cards)
    best = dealt.sort("value").row(-1, named=True)
    assert 0 < best["shrunken"] < best["value"]
    score = events.with_and_without(data, "score").filter(name=RICH_EVENT).row(0, named=True)
    assert score["shrunken"] < score["value"]
    pair = opponents.against(data, "city", False).sort("value").row(-1, named=True)
    assert 0.5 < pair["shrunken"] < pair["value"]
    for maker, count in ((cards, 40), (events, 14), (opponents, 21)):
        message = maker.section(data).lead
        assert f"the largest of {count} measured effects tends to overstate the truth" in message


def test_cards_are_played_as_often_as_in_the_games(data: StudyData, players: pl.DataFrame) -> None:
    use = cards.usage(data, [*data.manifest.enums.cards]).filter(card="gold-reserve")
    found = dict(use.select("measure", "value").iter_rows())
    played = players.filter(pl.col("card_round_gold_reserve") > 0)
    assert found["played"] == pytest.approx(len(played) / len(players))
    assert found["round"] == pytest.approx(played["card_round_gold_reserve"].mean())
    assert found["points"] == pytest.approx(played["card_points_gold_reserve"].mean())


def test_the_rich_event_raises_scores_by_what_was_planted(data: StudyData) -> None:
    row = events.with_and_without(data, "score").filter(name=RICH_EVENT).row(0, named=True)
    assert row["low"] < RICH_EVENT_POINTS < row["high"]
    assert events.section(data).lead.startswith("Prosperity raises scores most")


def test_events_of_every_game_are_compared_with_nothing(data: StudyData) -> None:
    notes = " ".join(events.section(data).notes)
    assert "Growing Population and Conquest of the Persians came in every game" in notes


def test_the_lead_passes_on_as_often_as_the_games_say(data: StudyData, players: pl.DataFrame) -> None:
    frame = events.game_frame(data)
    bits = players.group_by("game", maintain_order=True).agg(pl.col("leading"))["leading"].to_list()
    kept = [any(led & 1 and led & 2 for led in game) for game in bits]
    assert ((frame["kept"] & 1) != 0).to_list() == kept


def test_achievements_are_earned_as_in_the_games(data: StudyData, players: pl.DataFrame) -> None:
    found = achievements.earned(data, ["troops"], [])
    values = dict(found.select("measure", "value").iter_rows())
    earned = players.filter(pl.col("achieved_troops") > 0)
    assert values["earned"] == pytest.approx(len(earned) / len(players))
    assert values["alone"] == pytest.approx(earned["alone_troops"].mean())
    assert values["round"] == pytest.approx(earned["achieved_troops"].mean())


def test_strategies_come_in_their_planted_order(data: StudyData) -> None:
    section = strategies.section(data)
    table: Table = section.tables[0]
    assert table.column(table.titles[0]) == ["strong", "middling", "weak"]
    assert table.column(table.titles[2]) == ["1", "2", "3"]
    assert section.lead.startswith("Of the strategies that met here, strong wins most")


def test_numbers_from_few_games_are_faint(tiny: StudyData) -> None:
    table = cities.section(tiny).tables[0]
    assert table.has_faint
    assert all("too few games for an interval" in text for text in table.column("Win share"))
