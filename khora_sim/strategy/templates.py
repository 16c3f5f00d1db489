"""`khora strategies new`: a working strategy of each kind to start from, and its test."""

import re
from pathlib import Path

from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.errors import UserError
from khora_sim.strategy.finding import built_in_folder

COMPILED = '''"""{name}: say in a few sentences how it plays and why.

As it stands it likes culture: the culture tile in every round, the culture track in every progress phase. It
takes whatever it can have and declines nothing.
"""

from khora_sim.strategy.toolkit import NONE, Action, Task, Track, Traits, parameter, rule, tile_on

TRAITS = Traits(
    name="{name}",
    family="own",
    summary="One line that says how it plays.",
    deterministic=False,
    source="my own idea",
)

taste = parameter(2.0, least=0, most=9, help="how much it likes culture")


@rule
def score(view, option):
    """How good an option is; the best one is taken."""
    if view.decision == Task.PLACE_TILES:
        liked = tile_on(option, 0) == Action.CULTURE or tile_on(option, 1) == Action.CULTURE
        return taste(view) if liked else 0.0
    if view.decision == Task.CLIMB and option == Track.CULTURE:
        return taste(view)
    return 0.0 if option == NONE else 1.0
'''

TEST = '''"""{name} holds to everything that is asked of a strategy."""

from pathlib import Path

from khora_sim import check_strategy

PLUG_IN = Path(__file__).parent / "{file}"


def test_{function}_passes_the_conformance_suite():
    assert [verdict.problem for verdict in check_strategy(str(PLUG_IN)) if verdict.problem] == []
'''

#: Built-in examples that serve as templates.
EXAMPLES = {"python": "plain_example.py", "weights": "weights_example.toml"}


def write_template(name: str, kind: str, folder: Path) -> list[Path]:
    """Write a strategy and its test; nothing is overwritten."""
    if kind not in ("compiled", *EXAMPLES):
        raise UserError(f"there is no kind {kind!r}; it is compiled, weights or python")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise UserError(
            f"{name!r} is not a name for a strategy; use lower-case letters, digits and hyphens: my-idea"
        )
    stem = name.replace("-", "_")
    file = f"{stem}.toml" if kind == "weights" else f"{stem}.py"
    texts = {
        folder / file: _text(name, kind),
        folder / f"test_{stem}.py": TEST.format(name=name, file=file, function=stem),
    }
    for path in texts:
        if path.exists():
            raise UserError(f"{path} already exists; choose another name or remove it")
    with explain_write_errors(folder, "choose another --folder"):
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            write_atomically(path, text.encode())
    return list(texts)


def _text(name: str, kind: str) -> str:
    if kind == "compiled":
        return COMPILED.format(name=name)
    example = built_in_folder() / EXAMPLES[kind]
    text = example.read_text(encoding="utf-8")
    text = text.replace(example.stem.replace("_", "-"), name)
    return text.replace('family="example"', 'family="own"').replace('family = "example"', 'family = "own"')
