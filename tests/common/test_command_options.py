"""A field of an options model is a flag, a keyword, a key of the plan and a word of the replay command."""

import shlex
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest
import typer
from pydantic import Field

import khora_sim
from khora_sim.analyses import REGISTRY
from khora_sim.analyses.analysis import loaded
from khora_sim.cli.generate import analysis_command, command_of
from khora_sim.common.command_options import (
    CHANGE,
    PLAY,
    WORK,
    Count,
    Flag,
    Names,
    Options,
    Sizes,
    Texts,
    flag_of,
    split_names,
)
from khora_sim.errors import UserError


class Dish(Options):
    """Options of a made-up command."""

    command = "cook"
    renamed: ClassVar = {"soup": "--dish"}

    workers: Annotated[
        int | None, Flag("Cooks.", WORK, planned=False), Field(ge=1, description="1 or more")
    ] = None
    cooks: Annotated[Names, Flag("Who cooks.", strategies=True)] = ("ada",)
    guests: Annotated[Count | None, Flag("Guests.")] = None
    tables: Annotated[Sizes, Flag("Sizes.")] = (4,)
    salt: Annotated[float, Flag("Salt.", name="--grains-of-salt"), Field(ge=0)] = 1.5
    hot: Annotated[bool | None, Flag("Hot.")] = None
    spicy: Annotated[bool, Flag("Spicy.")] = False
    sets: Annotated[Texts, Flag("Changes.", CHANGE, repeated=True)] = ()
    dish: Annotated[str, Flag("Soup or stew.", argument=True)]


def dish(**given: Any) -> Dish:
    return Dish.of({"dish": "soup", **given})


def typed_again(options: Options, command: Any) -> dict[str, Any]:
    """What the command line hands on of the command that repeats a run."""
    given: dict[str, Any] = {}
    alone = typer.Typer(add_completion=False)
    alone.command()(command(lambda **named: given.update(named)))
    words = shlex.split(options.typed())[1 + len(options.command.split()) :]
    typer.main.get_command(alone)(words, standalone_mode=False)
    return given


def test_arguments_come_first_then_panel_by_panel():
    assert list(Dish.flags()) == [
        "dish",
        "sets",
        "cooks",
        "guests",
        "tables",
        "salt",
        "hot",
        "spicy",
        "workers",
    ]
    assert [flag.panel for flag, _ in Dish.flags().values()] == [PLAY, CHANGE, *[PLAY] * 6, WORK]


def test_a_field_without_a_flag_is_a_mistake_of_the_programmer():
    with pytest.raises(TypeError, match="an option without a Flag"):
        flag_of(Field(default=1))


def test_the_last_flag_counts():
    class Feast(Dish):
        cooks: Annotated[Names, Flag("One cook."), Flag("Several cooks.")] = ()

    assert flag_of(Feast.model_fields["cooks"]).help == "Several cooks."


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ("10k", 10_000),
        ("1e6", 1_000_000),
        ("10,000", 10_000),
        ("1.5k", 1500),
        ("2m", 2_000_000),
        ("10_000", 10_000),
        (" 7 ", 7),
        (12, 12),
        ("3K", 3000),
    ],
)
def test_counts_are_typed_as_people_write_them(given: Any, count: int):
    assert dish(guests=given).guests == count


@pytest.mark.parametrize("given", ["", "many", "0", "-1", "1.5", "k", "1e-3", "nan", "inf", "1e999", 0, 2.5])
def test_what_is_no_count_is_refused_with_the_flag_the_value_and_what_is_expected(given: Any):
    with pytest.raises(UserError) as error:
        dish(guests=given)
    assert str(error.value) == f"--guests {given}: expected a whole number from 1, such as 20000 or 20k"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"salt": "much"}, "--grains-of-salt much: expected a number, 0 or more"),
        ({"salt": -1}, "--grains-of-salt -1: expected a number, 0 or more"),
        ({"workers": 0}, "--workers 0: expected 1 or more"),
        ({"tables": "4,x"}, "--tables 4,x: expected numbers such as 4 or 4,3,2"),
        ({"cooks": 7}, "--cooks 7: expected names such as steward,random"),
        ({"hot": "maybe"}, "--hot maybe: expected true or false"),
        ({"dish": None}, "DISH is missing; expected soup or stew"),
        ({"worker": 3}, "--worker: unknown option; did you mean workers?"),
        ({"grains_of_salt": 3}, "--grains-of-salt: unknown option; known: cooks, dish"),
        ({"soup": "hot"}, "--soup: is now --dish"),
    ],
)
def test_an_error_names_the_flag_the_value_and_what_is_expected(given: dict[str, Any], told: str):
    with pytest.raises(UserError) as error:
        dish(**given)
    assert str(error.value).startswith(told)
    assert "\n" not in str(error.value)


def test_none_counts_as_not_given():
    assert dish(guests=None, salt=None, cooks=None) == dish()


@pytest.mark.parametrize("given", ["a,b", "a, b", ["a", "b"], ("a", "b"), " a ,b,"])
def test_a_list_is_typed_with_commas(given: Any):
    assert dish(cooks=given).cooks == ("a", "b")
    assert split_names("") == ()


@pytest.mark.parametrize(("given", "sizes"), [("4", (4,)), (3, (3,)), ("4,3,2", (4, 3, 2)), ([2, 4], (2, 4))])
def test_sizes_of_tables_are_numbers(given: Any, sizes: tuple[int, ...]):
    assert dish(tables=given).tables == sizes


def test_texts_are_not_split_at_commas():
    assert dish(sets="a=1,2").sets == ("a=1,2",)
    assert dish(sets=["a=1,2", "b=3"]).sets == ("a=1,2", "b=3")


def test_the_plan_has_what_decides_the_answer_as_json():
    plan = dish(workers=3, cooks="a,b", tables="4,2").plan()
    assert "workers" not in plan
    assert (plan["cooks"], plan["tables"], plan["guests"], plan["dish"]) == (["a", "b"], [4, 2], None, "soup")
    assert Dish.of(plan) == dish(cooks="a,b", tables="4,2")


def test_the_command_names_what_differs_from_the_defaults():
    assert dish().typed() == "khora cook soup"
    assert dish(salt=1.5, cooks="ada", workers=2).typed() == "khora cook soup"
    assert dish(hot=False, spicy=True).typed() == "khora cook soup --no-hot --spicy"
    given = {"sets": ["a=1 b", "c=2"], "cooks": "./my cook.py,b", "salt": 0.25, "guests": "2k"}
    assert dish(**given).typed() == (
        "khora cook soup --sets 'a=1 b' --sets c=2 --cooks './my cook.py,b' --guests 2000 "
        "--grains-of-salt 0.25"
    )
    assert dish().typed(workers=2, dish="a stew") == "khora cook 'a stew' --workers 2"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"hot": True, "spicy": True, "salt": 0},
        {"hot": False, "sets": ["a=1,2", "b c=$(d)"], "tables": "4,3", "guests": "1e4"},
        {"cooks": ["./a b.py", "c"], "dish": "a 'good' soup"},
    ],
)
def test_a_command_is_read_as_it_was_typed(given: dict[str, Any]):
    options = dish(**given)
    again = typed_again(options, lambda call: command_of(Dish, call, "Cook."))
    assert Dish.of(again) == options


@pytest.mark.parametrize(
    ("name", "given"),
    [
        (
            "power",
            {"kind": "cards", "games": "10k", "strategies": ["random", "idle"], "seed": 7, "players": 3},
        ),
        ("power", {"kind": "tracks", "precision": 0.5}),
        (
            "gate",
            {
                "baseline": Path("a b.json"),
                "write": True,
                "cards": True,
                "games": "1e3",
                "city_share": "20..30",
            },
        ),
        (
            "gate",
            {"baseline": "b.json", "write": True, "cards": False, "change": 0.5, "strategies": "idle,random"},
        ),
    ],
)
def test_a_run_of_an_analysis_is_repeated_by_its_command(
    name: str, given: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    analysis, asked = loaded(REGISTRY[name]), []
    monkeypatch.setattr(
        "khora_sim.analyses.analysis.Analysis.make", lambda _, options, *rest: asked.append(options)
    )
    with pytest.raises(AttributeError, match="NoneType"):  # nothing is played, so there is nothing to print
        typed_again(analysis.Options.of(given), lambda call: analysis_command(REGISTRY[name]))
    getattr(khora_sim, name)(**given)
    typed, python = asked
    assert typed == python == analysis.Options.of(given)
    assert analysis.Options.of(typed.plan()) == typed


def test_strategies_that_options_name_are_known_each_once():
    assert dish(cooks="a,b,a").named_strategies == ["a", "b"]
