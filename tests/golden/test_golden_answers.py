"""Every analysis gives the answers that were stored.

If a change of answers is meant, run `python -m tests.golden.renew` and commit the files in a commit of their
own that says why.
"""

import json
import os
import re
from collections import Counter
from copy import deepcopy
from itertools import islice

import pytest

from tests.golden import stored
from tests.golden.cases import ANALYSES, CASES, exploit

SHOWN = 12  # differences that are printed
SLOW = (exploit,)
ALL = [
    pytest.param(name, marks=[pytest.mark.slow] if case.analysis in SLOW else [])
    for name, case in CASES.items()
]


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="takes hours uncompiled")
@pytest.mark.parametrize("name", ALL)
def test_the_answer_is_the_stored_one(name):
    answer = stored.to_store(CASES[name].answer())
    found = list(islice(stored.differences(stored.read(name), answer), SHOWN))
    if found:
        pytest.fail("\n".join([f"{name}: other than stored", *found]), pytrace=False)


def test_every_analysis_has_two_cases_or_more():
    cases = Counter(case.analysis for case in CASES.values())
    assert [analysis.__name__ for analysis in ANALYSES if cases[analysis] < 2] == []


def test_every_stored_answer_belongs_to_a_case():
    assert {path.stem for path in stored.FOLDER.iterdir()} == set(CASES)


def test_stored_answers_stay_small():
    assert sum(path.stat().st_size for path in stored.FOLDER.iterdir()) < 1_000_000


@pytest.mark.parametrize("name", CASES)
def test_no_stored_answer_has_a_path_or_a_hash(name):
    text = stored.path_of(name).read_text(encoding="utf-8")
    assert re.findall(r'"(?:/|~|[A-Z]:\\)[^"]*"|/tmp|/home|\b[0-9a-f]{16}\b|\b[0-9a-f]{64}\b', text) == []


def test_a_changed_number_is_noticed():
    before = stored.read("sweep-one")
    after = deepcopy(before)
    after["cities"][2]["value"] = 0.125
    assert list(stored.differences(before, after)) == [
        f"cities[2].value: {before['cities'][2]['value']} -> 0.125"
    ]


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ({"a": 0.25}, {"a": 0.26}, "a: 0.25 -> 0.26"),
        ({"a": 0.25}, {"a": 0.2500000005}, "a: 0.25 -> 0.2500000005"),
        ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 1}, {"b": 3}]}, "a[1].b: 2 -> 3"),
        ({"a": [1, 2]}, {"a": [1]}, "a: 2 items -> 1 items"),
        ({"a": 1, "b": 2}, {"a": 1}, "b: 2 -> missing"),
        ({"a": 1}, {"a": 1, "b": 2}, "b: missing -> 2"),
        ({"a": 1}, {"a": True}, "a: 1 -> true"),
        ({"a": 0.0}, {"a": None}, "a: 0.0 -> null"),
        ({"a": float("nan")}, {"a": 1.0}, "a: NaN -> 1.0"),
    ],
)
def test_a_difference_names_its_path(before, after, line):
    assert list(stored.differences(before, after)) == [line]


def test_the_last_digit_of_a_float_is_no_difference():
    assert (
        list(stored.differences({"a": 0.3333333333, "b": float("nan")}, {"a": 1 / 3, "b": float("nan")}))
        == []
    )


def test_a_long_table_is_read_as_it_was_written():
    table = [{"place": place, "share": {"value": place / 8}} for place in range(stored.LONG + 1)]
    text = stored.laid_out({"rows": table, "few": table[:2]})
    assert json.loads(text, object_hook=stored.unpacked) == {"rows": table, "few": table[:2]}
    assert '   [3, {"value": 0.375}],\n' in text


def test_identity_is_left_out_at_any_depth():
    data = {
        "khora": "0.2.0",
        "rows": [{"digest": "cca86804c1cd7d45", "value": 1}],
        "rules": "25b9b3a50b4d594f" * 4,
        "strategy": "/tmp/some/steward.toml",
    }
    assert stored.without_identity(data) == {"rows": [{"value": 1}], "strategy": "steward.toml"}
