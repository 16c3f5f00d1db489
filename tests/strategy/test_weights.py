"""Strategies as weights: read, checked, laid over a base, and held to a city."""

import pytest

from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.strategy import load
from khora_sim.strategy.evaluator.player import CITY, ELSEWHERE, HERE
from khora_sim.strategy.value.features import DESCRIBED, FEATURES, Feature

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
    assert numbers[HERE + Feature.THIRD_DIE] == 4.0
    assert numbers[ELSEWHERE + Feature.THIRD_DIE] == 4.0
    assert load(f"{path}:third-die=4").digest != load(str(path)).digest


def test_a_base_gives_the_weights_that_a_file_does_not_name(tmp_path):
    write(tmp_path, "calm", "glory = 0.7\ntax = 0.1\n")
    strategy = load(str(write(tmp_path, "keen", "tax = 0.9\n", 'base = "calm"\n')))
    assert (strategy.values["glory"], strategy.values["tax"]) == (0.7, 0.9)


def test_a_built_in_base_is_the_built_in_whatever_lies_beside(tmp_path):
    write(tmp_path, "steward", "glory = 77\n")
    strategy = load(str(write(tmp_path, "keen", "tax = 0.9\n", 'base = "steward"\n')))
    assert strategy.values["glory"] == load("steward").values["glory"] != 77.0


def test_with_a_city_the_weights_hold_there_and_those_of_the_base_elsewhere(tmp_path):
    rules = load_rules()
    write(tmp_path, "calm", "glory = 0.7\n")
    strategy = load(str(write(tmp_path, "spartan", "glory = 2\n", 'base = "calm"\ncity = "sparta"\n')))
    numbers = strategy.parameters(rules)
    assert numbers[CITY] == rules.city_ids.index("sparta")
    assert numbers[HERE + Feature.GLORY] == 2.0
    assert numbers[ELSEWHERE + Feature.GLORY] == 0.7
    assert len(strategy.values) == 1 + 2 * FEATURES


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("third_dye = 1", "odd.toml: weights.third_dye: unknown key; did you mean third_die?"),
        ('tax = "much"', 'odd.toml: weights.tax: "much" given; expected a number'),
        ("tax = true", "odd.toml: weights.tax: true given; expected a number"),
        ("tax = nan", "odd.toml: tax=nan should be a number"),
        ("tax = inf", "odd.toml: tax=inf should be a number"),
    ],
)
def test_bad_weights_are_told_in_one_line(tmp_path, weights, message):
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
            'odd.toml: city asks for a base, the weights elsewhere: base = "steward"',
        ),
        (
            'base = "random"\n' + HEAD.format(name="odd"),
            "odd.toml: its base random is not made of weights; name one that is a .toml file",
        ),
        ('base = "odd"\n' + HEAD.format(name="odd"), "odd.toml: its base is the file itself; name another"),
    ],
)
def test_a_broken_file_is_told_in_one_line(tmp_path, text, message):
    (tmp_path / "odd.toml").write_text(text, encoding="utf-8")
    assert problem(tmp_path / "odd.toml") == message


def test_a_base_with_a_base_is_refused(tmp_path):
    write(tmp_path, "one")
    write(tmp_path, "two", top='base = "one"\n')
    path = write(tmp_path, "three", top='base = "two"\n')
    assert problem(path) == "three.toml: its base two has a base itself; name that one"
