"""Strategies as weights: read, checked, laid over a base, and held to cities and numbers of players."""

import pytest

from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.strategy import load
from khora_sim.strategy.value.features import DESCRIBED, FEATURES, PARTS, Feature
from khora_sim.strategy.weight_layers import Layer, in_order, weights_at

HEAD = """
text = "For a test."

[traits]
name = "{name}"
family = "own"
summary = "For a test."
deterministic = true
source = "a test"
"""


def write(folder, name, weights="", top=""):
    path = folder / f"{name.replace('-', '_')}.toml"
    path.write_text(top + HEAD.format(name=name) + "\n[weights]\n" + weights, encoding="utf-8")
    return path


def problem(path) -> str:
    with pytest.raises(UserError) as error:
        load(str(path))
    return str(error.value)


def test_every_feature_is_described_in_the_order_of_its_place():
    assert list(DESCRIBED) == [feature.name.lower() for feature in Feature]


def test_what_a_file_does_not_name_keeps_its_default(tmp_path):
    strategy = load(str(write(tmp_path, "keen", "third_die = 3\n")))
    assert strategy.kind == "weights"
    assert strategy.values["third_die"] == 3.0
    assert strategy.values["culture"] == DESCRIBED["culture"].default
    assert [one.name for one in strategy.declared] == list(DESCRIBED)


def test_every_weight_is_a_parameter(tmp_path):
    path = write(tmp_path, "keen", "third_die = 3\n")
    numbers = load(f"{path}:third-die=4").parameters(load_rules())
    assert (numbers.reshape(-1, FEATURES)[:, Feature.THIRD_DIE] == 4.0).all()
    assert load(f"{path}:third-die=4").digest != load(str(path)).digest


def test_a_base_gives_the_weights_that_a_file_does_not_name(tmp_path):
    write(tmp_path, "calm", "glory = 0.7\ntax = 0.1\n")
    strategy = load(str(write(tmp_path, "keen", "tax = 0.9\n", 'base = "calm"\n')))
    assert (strategy.values["glory"], strategy.values["tax"]) == (0.7, 0.9)


def test_a_built_in_base_is_the_built_in_whatever_lies_beside(tmp_path):
    write(tmp_path, "steward", "glory = 77\n")
    strategy = load(str(write(tmp_path, "keen", "tax = 0.9\n", 'base = "steward"\n')))
    assert strategy.values["glory"] == load("steward").values["glory"] != 77.0


#: A variant with a city that no weights file knows.
DELPHI = '[cities.delphi]\nname = "Delphi"\n' + "".join(
    f'[cities.delphi.developments.{step}]\nkind = "immediate"\ncost = {step - 1}\n'
    'effects = [{ on = "at-once", gain = { vp = 4 } }]\n'
    for step in range(1, 5)
)
TABLES = """
tax = 1
[cities.sparta]
tax = 2
glory = 2
[players.2.weights]
tax = 3
[players.2.cities.sparta]
tax = 4
"""


def test_weights_of_a_city_and_a_number_of_players_hold_there(tmp_path):
    layers = load(str(write(tmp_path, "many", TABLES))).layers
    found = {
        (city, players): weights_at(layers, city, players)[Feature.TAX]
        for city in ("sparta", "argos")
        for players in (2, 4)
    }
    assert found == {("sparta", 2): 4, ("sparta", 4): 2, ("argos", 2): 3, ("argos", 4): 1}
    assert weights_at(layers, "sparta", 2)[Feature.GLORY] == 2.0
    assert weights_at(layers, "argos", 2)[Feature.GLORY] == DESCRIBED["glory"].default


def test_the_evaluator_gets_a_row_for_each_number_of_players_and_each_city(tmp_path):
    rules = load_rules()
    numbers = load(str(write(tmp_path, "many", TABLES))).parameters(rules)
    rows = numbers.reshape(len(PLAYER_COUNTS), len(PARTS), len(rules.city_ids), FEATURES)[..., Feature.TAX]
    sparta = rules.city_ids.index("sparta")
    for part in range(len(PARTS)):
        assert rows[:, part, sparta].tolist() == [4, 2, 2]
        assert rows[:, part, sparta - 1].tolist() == [3, 1, 1]


def test_weights_of_a_part_of_the_game_hold_in_a_third_of_its_rounds(tmp_path):
    text = "tax = 1\n[weights.late]\ntax = 2\n[cities.sparta]\ntax = 3\n[cities.sparta.early]\ntax = 4\n"
    rules = load_rules()
    numbers = load(str(write(tmp_path, "parts", text))).parameters(rules)
    rows = numbers.reshape(len(PLAYER_COUNTS), len(PARTS), len(rules.city_ids), FEATURES)[..., Feature.TAX]
    sparta = rules.city_ids.index("sparta")
    assert rows[-1, :, sparta].tolist() == [4, 3, 3]
    assert rows[-1, :, sparta - 1].tolist() == [1, 1, 2]


def test_a_city_that_the_rules_do_not_have_changes_nothing(tmp_path):
    plain = load(str(write(tmp_path, "plain", "tax = 1\n")))
    other = load(str(write(tmp_path, "other", "tax = 1\n[cities.atlantis]\ntax = 9\n")))
    assert (plain.parameters(load_rules()) == other.parameters(load_rules())).all()


def test_a_city_of_a_variant_that_the_file_does_not_name_gets_the_general_weights(tmp_path):
    variant = tmp_path / "variant.toml"
    variant.write_text(DELPHI, encoding="utf-8")
    rules = load_rules(variant)
    numbers = load(str(write(tmp_path, "many", TABLES))).parameters(rules)
    rows = numbers.reshape(len(PLAYER_COUNTS), len(PARTS), len(rules.city_ids), FEATURES)[..., Feature.TAX]
    assert rows[:, 0, rules.city_ids.index("delphi")].tolist() == [3, 1, 1]


def test_the_same_weights_for_another_city_or_table_are_another_strategy(tmp_path):
    places = ("", "[cities.argos]\n", "[cities.sparta]\n", "[players.2.weights]\n")
    files = [write(tmp_path, f"one-{number}", f"{place}tax = 3") for number, place in enumerate(places)]
    assert len({load(str(path)).digest for path in files}) == len(places)


def test_a_setting_holds_everywhere(tmp_path):
    numbers = load(f"{write(tmp_path, 'many', TABLES)}:tax=7").parameters(load_rules())
    assert (numbers.reshape(-1, FEATURES)[:, Feature.TAX] == 7.0).all()


def test_weights_of_a_file_hold_over_those_of_its_base_even_in_a_city(tmp_path):
    write(tmp_path, "calm", "tax = 1\n[cities.sparta]\ntax = 2\nglory = 2\n")
    strategy = load(str(write(tmp_path, "keen", "tax = 5\n", 'base = "calm"\n')))
    row = weights_at(strategy.layers, "sparta", 4)
    assert (row[Feature.TAX], row[Feature.GLORY]) == (5.0, 2.0)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("ecnomy = 1", "odd.toml: weights.ecnomy: unknown key; did you mean economy?"),
        ('tax = "much"', 'odd.toml: weights.tax: "much" given; expected a number'),
        ("tax = true", "odd.toml: weights.tax: true given; expected a number"),
        ("tax = nan", "odd.toml: weights.tax: nan given; expected a number"),
        ("tax = -inf", "odd.toml: weights.tax: -inf given; expected a number"),
        ("[cities]\nsparta = 3", "odd.toml: cities.sparta: 3 given; expected a table"),
        ("[cities.Sparta]", "odd.toml: cities.Sparta: not an id; expected a city's: sparta"),
        ("[cities.sparta]\nglories = 1", "odd.toml: cities.sparta.glories: unknown key; did you mean glory?"),
        ("[players.7.weights]", "odd.toml: players.7: unknown key; known: 2, 3, 4"),
        ("[players.2]\ntax = 1", "odd.toml: players.2.tax: unknown key; known: cities, weights"),
        (
            "[players.2.cities.argos]\ntax = true",
            "odd.toml: players.2.cities.argos.tax: true given; expected a number",
        ),
    ],
)
def test_bad_weights_are_reported_in_one_line(tmp_path, weights, message):
    assert problem(write(tmp_path, "odd", weights)) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "odd.toml: the file is empty; khora strategies new writes one to start from"),
        (
            "[weights\n",
            "odd.toml: not valid TOML: expected ']' at the end of a table declaration (at line 1, column 9)",
        ),
        ("[weights]\ntax = 1\n", "odd.toml: has no text; begin with text = how it plays and why"),
        ('text = "x"\nweigths = 1\n', "odd.toml: weigths: unknown key; did you mean weights?"),
        (
            'text = "x"\n',
            "odd.toml: declares no traits; add [traits] with name, family, summary, deterministic, source",
        ),
        ('text = "x"\n[traits]\nname = "odd"\n', "odd.toml: traits.family: missing; add family = …"),
        (
            'text = "x"\n[traits]\nfamly = "own"\n',
            "odd.toml: traits.famly: unknown key; did you mean family?",
        ),
        (HEAD.format(name="other"), "odd.toml: trait name is 'other'; by its file it is 'odd'"),
        (
            'city = "sparta"\n' + HEAD.format(name="odd"),
            "odd.toml: city: unknown key; did you mean cities?",
        ),
        ("weights = 3\n" + HEAD.format(name="odd"), "odd.toml: weights: 3 given; expected a table"),
        (
            'base = "random"\n' + HEAD.format(name="odd"),
            "odd.toml: its base random is not made of weights; name one that is a .toml file",
        ),
        ('base = "odd"\n' + HEAD.format(name="odd"), "odd.toml: its base is the file itself; name another"),
    ],
)
def test_a_broken_file_is_reported_in_one_line(tmp_path, text, message):
    (tmp_path / "odd.toml").write_text(text, encoding="utf-8")
    assert problem(tmp_path / "odd.toml") == message


def test_a_base_with_a_base_is_refused(tmp_path):
    write(tmp_path, "one")
    write(tmp_path, "two", top='base = "one"\n')
    path = write(tmp_path, "three", top='base = "two"\n')
    assert problem(path) == "three.toml: its base two has a base itself; name that one"


def test_layers_in_another_order_than_a_file_has_are_laid_out_anew():
    base = (Layer({"tax": 1}), Layer({"tax": 2, "glory": 2}, "sparta"), Layer({"tax": 3}, None, 2))
    own = (Layer({"tax": 5}), Layer({"glory": 6}, "argos", 2))
    laid = in_order(base + own)
    places = [(None, None), (None, "sparta"), (None, "argos"), (2, None), (2, "sparta"), (2, "argos")]
    assert [(layer.players, layer.city) for layer in laid] == places
    for city in (None, "sparta", "argos", "athens"):
        for players in (None, 2, 3):
            assert (weights_at(laid, city, players) == weights_at(base + own, city, players)).all()
    assert in_order(laid) == laid
    assert in_order(base) == base
