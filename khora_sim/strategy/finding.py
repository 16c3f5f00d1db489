"""Finding the files of strategies: built-in ones by name, a user's own by path, those of installed packages.

Nothing is run here: a plug-in is code, which `loading` runs only when somebody asked for it.
"""

import importlib.util
from importlib.machinery import PathFinder
from importlib.metadata import entry_points
from pathlib import Path

from khora_sim.common.commands import starting_strategy
from khora_sim.common.files import read_text, unreadable
from khora_sim.engine.cache import PACKAGE
from khora_sim.errors import UserError, nearest
from khora_sim.strategy.contract import strategy_name
from khora_sim.strategy.parameters import BASE, split_spec

ENTRY_POINTS = "khora.strategies"
SUFFIXES = (".py", ".toml")
WANTED = "a strategy, a .py or .toml file"
LOCAL = "strategies"  # the folder for a user's own, asked for by path


def built_in_folder() -> Path:
    """Folder of the strategies that come with the project: in the wheel, or in a checkout."""
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
    """Tell if a strategy, with parameters or without, comes with the project, as does what it builds on."""
    name, settings = split_spec(spec)
    if BASE in settings and not is_built_in(settings[BASE]):
        return False
    return not is_path(name) and name.replace("_", "-") in built_in()


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


def is_path(name: str) -> bool:
    return name.endswith(SUFFIXES) or "/" in name or "\\" in name


def find(name: str) -> Path:
    """The file of a strategy: a built-in or installed one by its name, any other by its path."""
    if is_path(name):
        path = Path(name).expanduser()
        if not path.is_file():
            raise unreadable(FileNotFoundError(), name, WANTED)
        if path.suffix not in SUFFIXES:
            raise UserError(f"{name}: ends in {path.suffix or 'nothing'}; expected {WANTED}")
        return path.resolve()
    called = name.replace("_", "-")
    known = built_in()
    if called not in known:
        known = available()
    if called not in known:
        raise UserError(f"there is no strategy {name!r}; {_instead(name, known)}")
    return known[called]


def _instead(name: str, known: dict[str, Path]) -> str:
    """Advice for a name that is not known: the path of a local file, or a name like it."""
    for path, file in local().items():
        if strategy_name(file) == name.replace("_", "-"):
            return f"for the file in ./{LOCAL}, type its path: {path}"
    return nearest(name, known) if known else "none is known"


def text_of(path: Path) -> str:
    """The text of a strategy's file."""
    text = read_text(path, WANTED, path.name)
    if not text.strip():
        raise UserError(f"{path.name}: the file is empty; {starting_strategy()} writes one to start from")
    return text
