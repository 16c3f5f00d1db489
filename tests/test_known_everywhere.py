"""What is known in a few places is known in all of them: a test for each list that grows."""

import inspect
import re
from pathlib import Path

import pytest

from khora_sim.engine import agenda, effects, glory, machine
from khora_sim.engine.agenda import FIRST_DECISION, Task
from khora_sim.engine.compiling import source_of
from khora_sim.records import decision_words
from khora_sim.rules import describe
from khora_sim.rules.specials import SPECIALS, Special
from khora_sim.rules.terms import Condition, Quantity, Trigger, word

DECISIONS = [task for task in Task if task >= FIRST_DECISION]
ENGINE = Path(effects.__file__).parent
ROOT = Path(__file__).parents[1]


def text_of(thing) -> str:
    return inspect.getsource(source_of(thing))


@pytest.mark.parametrize("task", DECISIONS)
def test_a_decision_is_listed_done_and_described(task):
    name = f"Task.{task.name}"
    listed, done = text_of(machine.options), text_of(machine.apply)
    if task == Task.SELL_GLORY:  # the last branch of both
        assert "return glory.list_sale_only" in listed
        assert "glory.decline_sale" in done
    else:
        assert f"{name}:" in listed
        assert f"{name}:" in done
    assert name in text_of(decision_words)


@pytest.mark.parametrize("special", [one for one in Special if one != Special.NONE])
def test_a_special_effect_works_and_is_described(special):
    name = f"Special.{special.name}"
    assert any(name in text_of(module) for module in (agenda, effects, glory))
    assert special in SPECIALS


@pytest.mark.parametrize("trigger", Trigger)
def test_a_trigger_is_set_off_and_described(trigger):
    actions = range(Trigger.PHILOSOPHY, Trigger.MILITARY + 1)
    engine = "".join(path.read_text(encoding="utf-8") for path in ENGINE.glob("*.py"))
    if trigger != Trigger.ALWAYS:  # not set off: it holds while it is in play
        assert f"Trigger.{trigger.name}" in engine
    assert word(trigger) in describe.WHEN or trigger in actions


@pytest.mark.parametrize("per", [one for one in Quantity if one != Quantity.ONE])
def test_a_quantity_is_counted_and_described(per):
    between = (*range(Quantity.ECONOMY, Quantity.TAX), *range(Quantity.RED_TOKENS, Quantity.GREEN_TOKENS + 1))
    assert f"Quantity.{per.name}" in text_of(effects.quantity) or per in between
    assert word(per) in describe.COUNTED


@pytest.mark.parametrize("condition", [one for one in Condition if one != Condition.NONE])
def test_a_condition_is_looked_at_and_described(condition):
    if condition != Condition.WEAKEST_MILITARY:  # the last branch
        assert f"Condition.{condition.name}" in text_of(effects.holds)
    assert word(condition) in describe.CONDITIONS


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_a_page_names_files_that_are_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+/\w+\.(?:py|toml))", text))
    there = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.*") if ".venv" not in path.parts}
    assert len(named) > 10
    assert [name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in there)] == []
