"""Parameters: declared in a plug-in, set in the name, checked, with errors in one line."""

import pytest

from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.strategy import load
from khora_sim.strategy.parameters import Parameter, set_parameters, split_spec
from tests.strategy.plug_ins import write_plug_in

PATIENCE = Parameter("patience", "whole", 3, 0, 9, "rounds it waits")
RISK = Parameter("risk", "number", 0.5, 0, None, "how much it dares")
BOLD = Parameter("bold", "yes-no", False, None, None, "whether it dares")
HOME = Parameter("home", "city", "sparta", None, None, "where it is at home")
ALL = (PATIENCE, RISK, BOLD, HOME)


def test_a_name_may_carry_parameters():
    assert split_spec("merchant") == ("merchant", {})
    assert split_spec("merchant:patience=3:risk=0.5") == ("merchant", {"patience": "3", "risk": "0.5"})
    assert split_spec("./my-idea.py:patience=3") == ("./my-idea.py", {"patience": "3"})
    assert split_spec("merchant:third-die=3") == ("merchant", {"third_die": "3"})


def test_all_that_follows_base_is_another_strategy():
    assert split_spec("sage:worlds=4:base=merchant:patience=3") == (
        "sage",
        {"worlds": "4", "base": "merchant:patience=3"},
    )


def test_a_track_and_an_action_are_named_by_words_of_the_rules():
    track = Parameter("climb", "track", "none", None, None, "a track")
    assert set_parameters("m", (track,), {}) == {"climb": -1.0}
    assert set_parameters("m", (track,), {"climb": "military"}) == {"climb": 2.0}
    with pytest.raises(UserError, match="m: climb=up should be none, economy, culture, military"):
        set_parameters("m", (track,), {"climb": "up"})


def test_what_is_not_set_keeps_its_default():
    assert set_parameters("m", ALL, {"patience": "4"}) == {
        "patience": 4.0,
        "risk": 0.5,
        "bold": 0.0,
        "home": "sparta",
    }


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"patiense": "3"}, "m has no parameter 'patiense'; did you mean patience?"),
        ({"patience": "10"}, "m: patience=10 should be a whole number from 0 to 9"),
        ({"patience": "2.5"}, "m: patience=2.5 should be a whole number from 0 to 9"),
        ({"risk": "-1"}, "m: risk=-1 should be a number from 0 up"),
        ({"risk": "nan"}, "m: risk=nan should be a number from 0 up"),
        ({"risk": "much"}, "m: risk=much should be a number from 0 up"),
        ({"bold": "perhaps"}, "m: bold=perhaps should be yes or no"),
    ],
)
def test_a_bad_parameter_is_reported_in_one_line(settings, message):
    with pytest.raises(UserError) as error:
        set_parameters("m", ALL, settings)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("random:luck=3", "random has no parameters; ask for random alone"),
        ("random:3", "random:3: a parameter is set as random:parameter=value"),
        ("random:luck=1:luck=2", "random:luck=1:luck=2: luck is set twice; set it once"),
    ],
)
def test_a_parameter_nobody_can_set_is_reported_in_one_line(spec, message):
    with pytest.raises(UserError) as error:
        load(spec)
    assert str(error.value) == message


def test_a_parameter_takes_the_name_and_place_of_its_assignment(tmp_path):
    body = """
    calm = parameter(2, least=0, most=5, help="how calm it is")
    nerve = parameter(0.25, help="how bold it is")
    home = city_parameter("athens", help="where it is at home")


    @rule
    def score(view, option):
        return calm(view) + nerve(view)
    """
    path = write_plug_in(tmp_path, "settable", body)
    strategy = load(f"{path}:nerve=0.75")
    assert [one.name for one in strategy.declared] == ["calm", "nerve", "home"]
    assert [one.range for one in strategy.declared] == [
        "a whole number from 0 to 5",
        "a number",
        "a city's id",
    ]
    rules = load_rules()
    assert strategy.parameters(rules).tolist() == [2.0, 0.75, rules.city_ids.index("athens")]


def test_a_city_the_rules_do_not_have_is_nowhere(tmp_path):
    body = """
    home = city_parameter("atlantis", help="where it is at home")


    @rule
    def score(view, option):
        return home(view)
    """
    strategy = load(str(write_plug_in(tmp_path, "homeless", body)))
    assert strategy.parameters(load_rules())[0] == -1.0
