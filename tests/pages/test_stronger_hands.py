"""An answer says where its cities win otherwise than with the strongest published player."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from khora_sim.analyses.balance import stronger as of_balance
from khora_sim.analyses.what_if.page import stronger as of_what_if
from khora_sim.pages import published_answers
from khora_sim.pages.published_answers import CitiesAnswer, in_stronger_hands
from khora_sim.pages.study_data import load
from khora_sim.pages.study_report import write_comparison, write_report
from khora_sim.pages.verdict import limits, stronger
from khora_sim.rules import load_rules, set_rules
from tests.analyses.made_up_cities import made_up_answer
from tests.pages.synthetic import make_study

BASE = load_rules()
#: With sage Athens wins 40 % and Thebes 10 %, all other cities 25 %.
FAIR = dict.fromkeys(BASE.city_ids, 0.25) | {"athens": 0.40, "thebes": 0.10}


@pytest.fixture(autouse=True)
def verdict(monkeypatch: pytest.MonkeyPatch) -> CitiesAnswer:
    answer = made_up_answer(steward={}, sage={"athens": "above", "thebes": "below"})
    monkeypatch.setattr(published_answers, "published", lambda: answer)
    return answer


def caveat(rates: dict[str, float], **changes: Any) -> list[str]:
    asked = {"rules": BASE, "players": 4, "strategies": ("steward",), **changes}
    return in_stronger_hands(rates=rates, **asked)


def test_a_city_that_wins_otherwise_is_named_with_both_figures():
    assert caveat({**FAIR, "athens": 0.17}) == [
        "With steward Athens wins 17 % of its base games; with sage, the strongest published player, 40 %. "
        "What this answer says of Athens may not hold in stronger hands."
    ]


def test_several_cities_are_named_in_one_sentence_the_largest_difference_first():
    assert caveat({**FAIR, "athens": 0.33, "sparta": 0.05, "thebes": 0.162}) == [
        "With steward Sparta wins 5 % of its base games; with sage, the strongest published player, 25 % "
        "(Athens: 33 % and 40 %; Thebes: 16 % and 10 %). What this answer says of Sparta, Athens and Thebes "
        "may not hold in stronger hands."
    ]


def test_nothing_is_said_where_all_cities_are_within_5_points():
    assert caveat(FAIR) == []
    assert caveat({**FAIR, "athens": 0.35, "thebes": 0.15, "sparta": 0.30, "argos": 0.20}) == []
    assert len(caveat({**FAIR, "sparta": 0.301})) == 1


def test_only_cities_that_the_answer_speaks_of_are_named():
    assert caveat({"sparta": 0.25}) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"strategies": ("steward", "merchant")},
        {"strategies": ("sage",)},
        {"players": 3},
        {"rules": set_rules(["cards.lighthouse.cost=2"])},
    ],
)
def test_nothing_is_said_of_mixed_tables_other_rules_other_sizes_and_the_strongest_itself(
    changes: dict[str, Any],
):
    assert caveat({"athens": 0.17}, **changes) == []


def test_one_strategy_in_four_seats_is_no_mixed_table():
    assert len(caveat({"athens": 0.17}, strategies=("steward",) * 4)) == 1


def test_a_what_if_speaks_of_its_base_side():
    rows = [("before", "athens", 0.17), ("after", "athens", 0.40), ("after", "sparta", 0.90)]
    standing = pl.DataFrame(rows, ["side", "city", "value"], orient="row")
    shown: Any = SimpleNamespace(answer=SimpleNamespace(base=BASE))
    tables = SimpleNamespace(standing=standing)
    asked = {"players": 4, "strategies": ("steward",), "tables": tables}
    verdict: Any = SimpleNamespace(same=False, **asked)
    assert of_what_if(shown, verdict) == caveat({"athens": 0.17})
    same: Any = SimpleNamespace(same=True, **asked)
    assert of_what_if(shown, same) == []


def test_a_balance_speaks_of_its_base_game_with_every_line_up():
    cities = pl.DataFrame([("athens", 0.17)], ["city", "value"], orient="row")
    confirmed = [SimpleNamespace(strategies=(name,), cities=cities) for name in ("steward", "sage", "random")]
    answer: Any = SimpleNamespace(rules=BASE, players=4, base=SimpleNamespace(confirmed=confirmed))
    expected = [caveat({"athens": 0.17}, strategies=(name,)) for name in ("steward", "random")]
    assert [[line] for line in of_balance(answer)] == expected


def test_a_report_says_it_first_and_on_the_terminal_and_a_comparison_says_it_too(tmp_path: Path):
    folder = make_study(tmp_path / "study", games=2000, strategies=("strong",), rounds=False)
    data = load(folder)
    (said,) = stronger(data)
    assert said.startswith("With strong ")
    assert limits(data)[0] == said
    assert write_report(folder, tmp_path / "page").caveats == [said]
    assert said in (tmp_path / "page" / "summary.md").read_text()
    assert write_comparison(folder, folder, tmp_path / "both").caveats == [said]


def test_a_report_on_mixed_strategies_does_not(tmp_path: Path):
    data = load(make_study(tmp_path / "study", games=400, rounds=False))
    assert stronger(data) == []
