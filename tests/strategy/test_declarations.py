"""What a file declares is read from its text, and is what running it gives."""

import pytest

from khora_sim.strategy.declarations import declaration
from khora_sim.strategy.finding import built_in
from khora_sim.strategy.loading import describe
from tests.strategy.plug_ins import HEAD, write_plug_in

NOT_PLAIN = (
    "odd.py: its traits are not written out as plain values; khora strategies show runs the file to read them"
)


@pytest.mark.parametrize("name", sorted(built_in()))
def test_the_text_of_a_built_in_strategy_declares_what_running_it_gives(name):
    read, run = declaration(name, built_in()[name]), describe(built_in()[name])
    for fact in ("name", "kind", "family", "deterministic", "summary", "source"):
        assert getattr(read, fact) == getattr(run, fact)
    assert read.problem == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "odd.py: the file is empty; khora strategies new writes one to start from"),
        ("x = 1", "odd.py: declares no traits; add TRAITS = Traits(name=…, family=…, summary=…, …)"),
        ("(" * 5000, "odd.py: is not valid Python: too many nested parentheses"),
        ("\0", "odd.py: is not valid Python: source code string cannot contain null bytes"),
        (
            "TRAITS = Traits(name=open('x'))",
            NOT_PLAIN,
        ),
        (
            "TRAITS = Traits(**{})",
            NOT_PLAIN,
        ),
        (HEAD.format(name="other", declared=""), "odd.py: trait name is 'other'; by its file it is 'odd'"),
    ],
)
def test_a_file_that_declares_nothing_is_reported(tmp_path, text, problem):
    (tmp_path / "odd.py").write_text(text)
    assert declaration("./odd.py", tmp_path / "odd.py").problem == problem


def test_weights_are_listed_without_looking_at_their_base(tmp_path):
    (tmp_path / "odd.toml").write_text(
        'text = "x"\nbase = "/nowhere"\n[traits]\nname = "odd"\nfamily = "own"\nsummary = "s"\n'
        'deterministic = true\nsource = "t"\n'
    )
    assert declaration("./odd.toml", tmp_path / "odd.toml").family == "own"


def test_traits_by_place_are_read_too(tmp_path):
    path = write_plug_in(tmp_path, "odd", "", head='TRAITS = Traits("odd", "own", "s", True, source="t")\n')
    assert declaration("./odd.py", path).summary == "s"
