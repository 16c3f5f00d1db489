"""Finding and loading strategies: by name, by path, from installed packages."""

import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from khora_sim.engine.compiling import PACKAGE
from khora_sim.errors import UserError, nearest
from khora_sim.strategy.compiled import code_digest, compile_plug_in
from khora_sim.strategy.contract import FAMILIES, SUMMARY_LENGTH, Strategy, Traits
from khora_sim.strategy.parameters import declared_in, set_parameters, split_spec

ENTRY_POINTS = "khora.strategies"


def built_in_folder() -> Path:
    """Where the strategies that come with the project are: in the wheel, or in a checkout."""
    installed = PACKAGE / "builtin_strategies"
    return installed if installed.is_dir() else PACKAGE.parent / "strategies"


def strategy_name(path: Path) -> str:
    """The name of the strategy in a file: `first_legal.py` holds `first-legal`."""
    return path.stem.replace("_", "-")


def _in_folder(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        return {}
    files = sorted(file for file in folder.iterdir() if file.suffix in (".py", ".toml"))
    return {strategy_name(file): file for file in files if not file.name.startswith(("_", "test_"))}


def _installed() -> dict[str, Path]:
    """Strategies of installed packages: an entry point names a module, or a module and a file beside it."""
    found = {}
    for point in entry_points(group=ENTRY_POINTS):
        spec = importlib.util.find_spec(point.module)
        if spec is not None and spec.origin is not None:
            home = Path(spec.origin)
            found[point.name] = home.parent / f"{point.attr}.toml" if point.attr else home
    return found


def available() -> dict[str, Path]:
    """Every strategy that can be asked for by name; the nearest wins: ./strategies, built-in, installed."""
    return {**_installed(), **_in_folder(built_in_folder()), **_in_folder(Path.cwd() / "strategies")}


def find(name: str) -> Path:
    """The file of a strategy, by name or path."""
    if name.endswith((".py", ".toml")) or "/" in name or "\\" in name:
        path = Path(name).expanduser()
        if not path.is_file():
            raise UserError(f"{name}: there is no such file; a strategy is a .py or .toml file")
        if path.suffix not in (".py", ".toml"):
            raise UserError(f"{name}: a strategy is a .py or .toml file")
        return path.resolve()
    known = available()
    if name.replace("_", "-") not in known:
        raise UserError(
            f"there is no strategy {name!r}; {nearest(name, known) if known else 'none is known'}"
        )
    return known[name.replace("_", "-")]


def load(spec: str) -> Strategy:
    """A strategy by name or path, with parameters: `steward`, `merchant:patience=3`, `./my_idea.py`."""
    name, settings = split_spec(spec)
    path = find(name)
    return _load(spec.strip(), path, tuple(settings.items()), path.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _load(spec: str, path: Path, settings: tuple[tuple[str, str], ...], _changed: int) -> Strategy:
    if path.suffix == ".toml":
        from khora_sim.strategy.weights import evaluator, read_weights

        return replace(read_weights(spec, path, dict(settings)), rate=evaluator())
    module, strategy = _declared(spec, path, dict(settings))
    if strategy.kind == "python":
        return strategy
    return replace(strategy, rate=compile_plug_in(module, path.name))


def describe(path: Path) -> Strategy:
    """A strategy as it declares itself, without compiling it."""
    if path.suffix == ".toml":
        from khora_sim.strategy.weights import read_weights

        return read_weights(strategy_name(path), path, {})
    return _declared(strategy_name(path), path, {})[1]


def _declared(spec: str, path: Path, settings: dict[str, str]) -> tuple[ModuleType, Strategy]:
    """The module of a plug-in, and what it declares."""
    module = _import(path)
    traits = _checked_traits(module, path)
    declared = declared_in(vars(module))
    values = set_parameters(traits.name, declared, settings)
    player = getattr(module, "Player", None)
    if player is not None and not callable(getattr(player, "choose", None)):
        raise UserError(f"{path.name}: class Player has no choose(self, view, options)")
    return module, Strategy(
        name=spec,
        kind="compiled" if player is None else "python",
        family=traits.family,
        summary=traits.summary,
        deterministic=traits.deterministic,
        source=traits.source,
        digest=digest_of(code_digest(module), values),
        text=(module.__doc__ or "").strip(),
        path=path,
        declared=declared,
        values=values,
        chooser=player,
    )


def digest_of(code: str, values: dict[str, Any]) -> str:
    """A short hash of what a strategy is and how it is set."""
    return hashlib.sha256(f"{code} {sorted(values.items())}".encode()).hexdigest()[:16]


def _import(path: Path) -> ModuleType:
    """Run a plug-in's file as a module of its own; what goes wrong is told with its line."""
    text = path.read_text(encoding="utf-8")
    if not text.strip():
        raise UserError(f"{path.name}: the file is empty; khora strategies new writes one to start from")
    name = f"khora_strategy_{path.stem}_{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # machine code from the cache looks its module up
    try:
        code = compile(text, str(path), "exec")
        exec(code, vars(module))
    except SyntaxError as problem:
        raise UserError(f"{path.name}, line {problem.lineno}: {problem.msg}") from None
    except UserError:
        raise
    except Exception as problem:
        raise UserError(f"{path.name}{_line(problem, path)}: {type(problem).__name__}: {problem}") from None
    return module


def _line(problem: BaseException, path: Path) -> str:
    """The last line of a file that a traceback goes through."""
    numbers = [at for at in _frames(problem) if at[0] == str(path)]
    return f", line {numbers[-1][1]}" if numbers else ""


def _frames(problem: BaseException) -> Iterator[tuple[str, int]]:
    trace = problem.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next


def _checked_traits(module: ModuleType, path: Path) -> Traits:
    """The traits a plug-in declares, if they are sound."""
    traits = getattr(module, "TRAITS", None)
    if not isinstance(traits, Traits):
        raise UserError(
            f"{path.name}: declares no traits; add TRAITS = Traits(name=…, family=…, summary=…, …)"
        )
    if not (module.__doc__ or "").strip():
        raise UserError(f"{path.name}: has no docstring; begin with how it plays and why")
    check_traits(traits, path)
    return traits


def check_traits(traits: Traits, path: Path) -> None:
    """Refuse traits that say nothing or the wrong thing."""
    for one in ("name", "family", "summary", "source"):
        value = getattr(traits, one)
        if not isinstance(value, str) or not value.strip():
            raise UserError(f"{path.name}: trait {one} should be a text that is not empty")
    if traits.name != strategy_name(path):
        raise UserError(
            f"{path.name}: trait name is {traits.name!r}; by its file it is {strategy_name(path)!r}"
        )
    if traits.family not in FAMILIES:
        raise UserError(
            f"{path.name}: there is no family {traits.family!r}; {nearest(traits.family, FAMILIES)}"
        )
    if "\n" in traits.summary or len(traits.summary) > SUMMARY_LENGTH:
        raise UserError(
            f"{path.name}: trait summary should be one line of at most {SUMMARY_LENGTH} characters"
        )
    if not isinstance(traits.deterministic, bool):
        raise UserError(f"{path.name}: trait deterministic should be True or False")
