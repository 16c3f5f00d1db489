"""What is tuned one after another, and where its weights hold afterwards."""

import numpy as np
import pytest

from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.strategy import load
from khora_sim.strategy.value.features import Feature
from khora_sim.strategy.weight_layers import weights_at
from khora_sim.training.trial import FREE, Stage, stages_of, start_of, with_free, with_layer

RULES = load_rules()
STEWARD = load("steward")


def test_all_cities_come_after_the_general_weights_for_each_number_of_players():
    found = stages_of((4, 2), "all", RULES)
    assert found[:2] == [Stage(4), Stage(4, RULES.city_ids[0])]
    assert found[8] == Stage(2)
    assert len(found) == 2 * (1 + len(RULES.city_ids))


def test_cities_by_name_are_tuned_without_general_weights():
    assert stages_of((3,), ("argos", "sparta"), RULES) == [Stage(3, "argos"), Stage(3, "sparta")]


def test_none_is_the_general_weights_alone():
    assert stages_of((4,), "none", RULES) == [Stage(4)]


def test_an_unknown_city_offers_the_nearest():
    with pytest.raises(UserError, match=r'--cities: no city is called "spata"; did you mean sparta\?'):
        stages_of((4,), ("spata",), RULES)


def tuned(strategy, stage, tax):
    weights = start_of(strategy, stage).copy()
    weights[Feature.TAX] = tax
    return with_layer(strategy, stage.layer(weights))


def tax(strategy, city, players):
    return weights_at(strategy.layers, city, players)[Feature.TAX]


def test_what_is_tuned_at_tables_of_four_holds_everywhere_and_the_rest_at_its_tables():
    both = tuned(tuned(STEWARD, Stage(4), 8), Stage(2), 9)
    assert [tax(both, "sparta", players) for players in (2, 3, 4)] == [9, 8, 8]


def test_a_city_starts_from_the_general_weights_and_holds_in_that_city():
    general = tuned(STEWARD, Stage(4), 8)
    assert start_of(general, Stage(4, "sparta"))[Feature.TAX] == 8
    city = tuned(general, Stage(4, "sparta"), 9)
    assert (tax(city, "sparta", 4), tax(city, "argos", 4)) == (9, 8)
    assert start_of(city, Stage(4, "sparta"))[Feature.TAX] == 9


def test_new_general_weights_replace_what_cities_had():
    city = tuned(STEWARD, Stage(4, "sparta"), 9)
    assert tax(tuned(city, Stage(4), 7), "sparta", 4) == 7


def test_settings_of_the_start_hold_still_where_nothing_is_tuned():
    found = tuned(load("steward:tax=5"), Stage(4, "sparta"), 9)
    assert (tax(found, "sparta", 4), tax(found, "argos", 2)) == (9, 5)
    assert [(layer.players, layer.city) for layer in found.layers] == [(None, None), (None, "sparta")]


def test_another_vector_is_another_strategy():
    assert tuned(STEWARD, Stage(4), 8).digest != STEWARD.digest
    assert tuned(STEWARD, Stage(4), 8).digest == tuned(STEWARD, Stage(4), 8).digest


def test_points_are_the_unit_and_weights_are_kept_as_they_are_written():
    start = start_of(STEWARD, Stage(4))
    found = with_free(start, np.full(len(FREE), 1 / 3))
    assert found[Feature.POINTS] == start[Feature.POINTS]
    assert set(found[FREE]) == {0.3333}
