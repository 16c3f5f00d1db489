from pathlib import Path

import numpy as np
import polars as pl
import pytest

from khora_sim.pages.study_data import StudyData, load, who_played
from khora_sim.pages.study_report import title
from khora_sim.pages.verdict import dispersion, verdict
from khora_sim.simulation.manifest import as_data
from tests.pages.synthetic import change_manifest, change_table, make_study


def test_planted_strengths_come_out_as_tiers_in_their_order(data: StudyData) -> None:
    tiers = [[rung.city for rung in tier] for tier in verdict(data).ladder]
    assert tiers[0] == ["corinth"]
    assert sorted(tiers[1]) == ["miletus", "thebes"]  # planted equal: never distinguishable
    assert sorted(tiers[2]) == ["olympia", "sparta"]
    assert tiers[-2:] == [["argos"], ["athens"]]


def test_the_headline_names_the_players_and_what_they_won_with(data: StudyData) -> None:
    judged = verdict(data)
    who = "With strong, middling and weak drawn for each table"
    assert judged.headline == f"{who}, Corinth wins most and Athens least."
    assert "a fair share at a table of 4 is 25 %" in judged.detail
    assert "That is a large difference" in judged.detail


def test_every_rung_shows_its_interval_on_the_common_scale(data: StudyData) -> None:
    judged = verdict(data)
    rungs = [rung for tier in judged.ladder for rung in tier]
    assert all(0 <= rung.left <= rung.at <= rung.left + rung.width <= 100 for rung in rungs)
    assert rungs[0].at > judged.fair_at > rungs[-1].at
    assert rungs[0].text.count("±") == 1


def test_equal_cities_are_not_distinguishable_and_that_is_no_proof_of_balance(tmp_path: Path) -> None:
    judged = verdict(load(make_study(tmp_path / "equal", games=2000, city_terms=(0.0,) * 7, rounds=False)))
    assert (
        judged.headline
        == "With strong, middling and weak drawn for each table, the cities are not distinguishable."
    )
    again = next(line for line in judged.sure if line.startswith("If the study were repeated"))
    assert (
        float(again.split("chance of ")[1].split(" %")[0]) < 40
    )  # the bootstrap of this study alone says more
    assert any("not proof of balance" in line for line in judged.sure)


def test_four_games_rank_nothing(tiny: StudyData) -> None:
    judged = verdict(tiny)
    assert judged.headline == "4 games cannot rank the cities."
    assert judged.ladder == []
    assert "form 1 rotation group" in judged.detail


def test_tables_of_several_sizes_get_a_line_each(mixed: StudyData) -> None:
    judged = verdict(mixed)
    assert [line[:9] for line in judged.by_table] == ["2 players", "3 players", "4 players"]
    assert "1 is the fair share at a table of any size" in judged.detail


def test_limits_name_players_tables_rules_and_absent_cities(tmp_path: Path) -> None:
    cities = ("corinth", "sparta", "argos", "athens")
    limits = verdict(load(make_study(tmp_path / "few", games=400, cities=cities, rounds=False))).limits
    assert limits[0].startswith("Skill: the players were strong, middling and weak, without a plan to win.")
    assert "Tables: all games had 4 players; nothing is said about 2 or 3." in limits
    assert any(line.startswith("Rules: the base game was played (rules ") for line in limits)
    assert "Cities: Thebes, Miletus and Olympia did not play." in limits


def test_a_city_that_always_has_the_same_player_is_not_judged_silently(tmp_path: Path) -> None:
    made = load(make_study(tmp_path / "own", games=2000, own_city=True, rounds=False))
    assert dispersion(made.standing, "strategy") == 1.0
    assert verdict(made).headline.endswith("but the cities did not have the same strategies.")
    assert any(
        "the strategies were not spread evenly over the cities" in line for line in verdict(made).limits
    )


def test_a_fair_plan_is_not_called_unfair(data: StudyData, mixed: StudyData) -> None:
    for made in (data, mixed):
        assert not any(line.startswith("Fairness") for line in verdict(made).limits)


@pytest.mark.parametrize(
    ("strategies", "lineup", "expected"),
    [
        (("strong",), "same", "strong in every seat"),
        (("strong", "weak"), "seats", "strong and weak at one table"),
        (("a", "b", "c", "d", "e"), "pool", "a, b, c and 2 more strategies drawn for each table"),
        (("a", "b", "c"), "combinations", "a, b and c in every combination"),
    ],
)
def test_players_are_named_in_short(
    tmp_path: Path, strategies: tuple[str, ...], lineup: str, expected: str
) -> None:
    study = make_study(tmp_path / "study", games=400, strategies=strategies, rounds=False)
    plan = as_data(load(study).manifest)["plan"]
    change_manifest(study, plan=plan | {"lineup": lineup})
    made = load(study)
    assert who_played(made) == expected
    assert title(made) == f"Khôra cities at 4 players, with {expected}"


def test_a_plan_that_draws_cities_at_random_is_not_called_unfair_for_what_chance_does(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", games=6000, rounds=False)
    rng = np.random.default_rng(1)

    def own_seats(players: pl.DataFrame) -> pl.DataFrame:
        """Every group keeps its cities at the seats they were drawn for, as when only strategies rotate."""
        codes = players["city"].to_physical().to_numpy().reshape(-1, 4, 4)
        drawn = np.repeat(rng.permuted(codes[:, :1], axis=2), 4, axis=1)
        ids = players.schema["city"].categories
        return players.with_columns(
            pl.Series("city", ids.gather(drawn.ravel()), dtype=players.schema["city"])
        )

    change_table(study, "players", own_seats)
    made = load(study)
    assert dispersion(made.seating, "seat") > 0.05
    assert not any(line.startswith("Fairness") for line in verdict(made).limits)


def test_one_city_above_all_others_is_not_followed_by_a_list_of_them(tmp_path: Path) -> None:
    terms = (1.2, *(0.0,) * 6)
    made = load(
        make_study(tmp_path / "one", games=2000, city_terms=terms, strategies=("strong",), rounds=False)
    )
    assert verdict(made).headline == "With strong in every seat, Corinth wins more than any other city."
