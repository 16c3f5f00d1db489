"""Finding and loading strategies: built-in ones by name, a user's own by path, from installed packages.

A plug-in is code: loading it runs it. So it is loaded only when somebody asked for it by its name or path.
"""

import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from importlib.machinery import PathFinder
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from khora_sim.engine.cache import PACKAGE
from khora_sim.errors import UserError, nearest
from khora_sim.strategy.compiled import code_digest, compile_plug_in
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.parameters import declared_in, set_parameters, split_spec
from khora_sim.strategy.traits import Traits, check_traits, strategy_name

ENTRY_POINTS = "khora.strategies"
SUFFIXES = (".py", ".toml")
LOCAL = "strategies"  # the folder for a user's own, asked for by path


def built_in_folder() -> Path:
    """Where the strategies that come with the project are: in the wheel, or in a checkout."""
    installed = PACKAGE / "builtin_strategies"
    return installed if installed.is_dir() else PACKAGE.parent / "strategies"


def _in_folder(folder: Path) -> list[Path]:
    """The files in a folder that may be strategies."""
    if not folder.is_dir():
        return []
    files = sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES and file.is_file())
    return [file for file in files if not file.name.startswith(("_", "test_"))]


def built_in() -> dict[str, Path]:
    """The strategies that come with the project, by name."""
    return {strategy_name(file): file for file in _in_folder(built_in_folder())}


def is_built_in(spec: str) -> bool:
    """Whether a strategy, with parameters or without, is one that comes with the project."""
    name, _ = split_spec(spec)
    return not _is_path(name) and name.replace("_", "-") in built_in()


def local() -> dict[str, Path]:
    """The files in `./strategies`, by the path to type; none where the built-in ones are there."""
    folder = Path(LOCAL)
    if folder.resolve() == built_in_folder().resolve():
        return {}
    return {f"./{LOCAL}/{file.name}": file for file in _in_folder(folder)}


def installed() -> dict[str, Path]:
    """Strategies of installed packages: an entry point names a module, or a module and a file beside it."""
    found = {}
    for point in entry_points(group=ENTRY_POINTS):
        home = _file_of(point.module)
        if home is not None:
            found[point.name] = home.parent / f"{point.attr}.toml" if point.attr else home
    return found


def _file_of(module: str) -> Path | None:
    """The file of a module, found without running its package, as `find_spec` alone would."""
    top, *inner = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
        for word in inner:
            if spec is None or spec.submodule_search_locations is None:
                return None
            spec = PathFinder.find_spec(f"{spec.name}.{word}", list(spec.submodule_search_locations))
    except (ImportError, ValueError, KeyError):  # a package that is not sound has no strategies
        return None
    return Path(spec.origin) if spec is not None and spec.origin is not None else None


def available() -> dict[str, Path]:
    """Every strategy that can be asked for by name: a built-in name always means the built-in one."""
    return {**installed(), **built_in()}


def _is_path(name: str) -> bool:
    return name.endswith(SUFFIXES) or "/" in name or "\\" in name


def find(name: str) -> Path:
    """The file of a strategy: a built-in or installed one by its name, any other by its path."""
    if _is_path(name):
        path = Path(name).expanduser()
        if not path.is_file():
            raise UserError(f"{name}: there is no such file; a strategy is a .py or .toml file")
        if path.suffix not in SUFFIXES:
            raise UserError(f"{name}: a strategy is a .py or .toml file")
        return path.resolve()
    called = name.replace("_", "-")
    known = built_in()
    if called not in known:
        known = available()
    if called not in known:
        raise UserError(f"there is no strategy {name!r}; {_instead(name, known)}")
    return known[called]


def _instead(name: str, known: dict[str, Path]) -> str:
    """What to type for a name that is not known: the path of a local file, or a name like it."""
    for path, file in local().items():
        if strategy_name(file) == name.replace("_", "-"):
            return f"for the file in ./{LOCAL}, type its path: {path}"
    return nearest(name, known) if known else "none is known"


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
    policies = tuple(_policy(name, path) for name in module.TRAITS.policies)
    digest = digest_of(" ".join([strategy.digest, *(one.digest for one in policies)]), {})
    return replace(
        strategy,
        rate=compile_plug_in(module, path.name),
        policies=policies,
        digest=digest if policies else strategy.digest,
    )


_asking: list[Path] = []  # strategies whose policies are being loaded


def _policy(name: str, asker: Path) -> Strategy:
    """A strategy that another asks; a path counts from the folder of the one that asks."""
    if _is_path(name) and not Path(name).is_absolute():
        name = str(asker.parent / name)
    if asker in _asking:
        raise UserError(f"{asker.name}: asks itself as a policy, by way of others; name other policies")
    _asking.append(asker)
    try:
        policy = load(name)
    except UserError as problem:
        raise UserError(f"{asker.name}: policy {name}: {problem}") from None
    finally:
        _asking.pop()
    if policy.rate is None:
        raise UserError(
            f"{asker.name}: policy {name} is plain Python; name one that is compiled or made of weights"
        )
    return policy


def describe(path: Path) -> Strategy:
    """A strategy as it declares itself, without compiling it."""
    if path.suffix == ".toml":
        from khora_sim.strategy.weights import read_weights

        return read_weights(strategy_name(path), path, {})
    return _declared(strategy_name(path), path, {})[1]


def _declared(spec: str, path: Path, settings: dict[str, str]) -> tuple[ModuleType, Strategy]:
    """The module of a plug-in, and what it declares."""
    module = import_plug_in(path)
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
        memory=traits.memory,
        spares=traits.spares,
    )


def digest_of(code: str, values: dict[str, Any]) -> str:
    """A short hash of what a strategy is and how it is set."""
    return hashlib.sha256(f"{code} {sorted(values.items())}".encode()).hexdigest()[:16]


def text_of(path: Path) -> str:
    """The text of a strategy's file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(f"{path.name}: cannot be read ({problem}); a strategy is UTF-8 text") from None
    if not text.strip():
        raise UserError(f"{path.name}: the file is empty; khora strategies new writes one to start from")
    return text


def import_plug_in(path: Path) -> ModuleType:
    """Run a plug-in's file as a module of its own; what goes wrong is told with its line."""
    text = text_of(path)
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
