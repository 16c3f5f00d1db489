"""Loading strategies: a plug-in is code, which is run, so it is loaded only when somebody asked for it."""

import copyreg
import hashlib
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from khora_sim.engine.kernels import kernels
from khora_sim.errors import UserError, described
from khora_sim.strategy.compiled import code_digest, compile_plug_in
from khora_sim.strategy.contract import Strategy, Traits, check_traits, strategy_name
from khora_sim.strategy.finding import built_in, find, is_built_in, is_path, text_of
from khora_sim.strategy.learned.policy import LearnedPolicy, read_policy
from khora_sim.strategy.learned.value import LearnedValue, read_learned
from khora_sim.strategy.parameters import BASE, declared_in, set_parameters, split_spec
from khora_sim.strategy.weights import evaluator, read_weights

ALONE, PLAYS_ON = "2 seconds", "10 seconds"  # what compiling takes, without policies and with some
WRAPPER = "wrapper"  # the family of strategies that play as their base does, within limits
LEARNED = "learned"  # `sage:learned=./mine.npz` asks for another learned value


def load(spec: str) -> Strategy:
    """A strategy by name or path, with parameters: `steward`, `merchant:patience=3`, `./my_idea.py`."""
    name, settings = split_spec(spec)
    return _load(spec.strip(), find(name), tuple(settings.items()), _changed(spec))


def _changed(spec: str) -> tuple[int, ...]:
    """Times when the file of a strategy was changed last, and that of what it builds on."""
    name, settings = split_spec(spec)
    own = find(name).stat().st_mtime_ns
    return (own, *_changed(settings[BASE])) if BASE in settings else (own,)


@lru_cache(maxsize=256)
def _load(
    spec: str, path: Path, settings: tuple[tuple[str, str], ...], _changed: tuple[int, ...]
) -> Strategy:
    if path.suffix == ".toml":
        return replace(read_weights(spec, path, dict(settings)), rate=evaluator())
    given = dict(settings)
    file, base = given.pop(LEARNED, None), given.pop(BASE, None)
    module, strategy = _declared(spec, path, given)
    if base is not None and not module.TRAITS.policies:
        raise UserError(
            f"{module.TRAITS.name} builds on no other strategy; ask for {module.TRAITS.name} alone"
        )
    if strategy.kind == "python":
        return strategy
    if strategy.indifferent:
        return replace(strategy, rate=kernels().indifferent_address)
    strategy = _with_learned(strategy, module.TRAITS, file)
    policies = _policies(module.TRAITS, path, base)
    with _running(path):
        rate = compile_plug_in(module, path.name, wait=PLAYS_ON if policies else ALONE)
    if not policies:
        return replace(strategy, rate=rate)
    # Of equal ratings the first is taken or not: a wrapper passes ratings on, so its base decides that.
    first_of_equals = (policies[0] if strategy.family == WRAPPER else strategy).deterministic
    digest = digest_of(" ".join([strategy.digest, *(one.digest for one in policies)]), {})
    return replace(strategy, rate=rate, policies=policies, digest=digest, deterministic=first_of_equals)


def _with_learned(strategy: Strategy, traits: Traits, file: str | None) -> Strategy:
    """The strategy with what it has learned: the file that was asked for, or the one beside its own."""
    own = traits.learned or traits.learned_policy
    if not own:
        if file is not None:
            raise UserError(f"{traits.name} has no learned value; ask for {traits.name} alone")
        return strategy
    assert strategy.path is not None
    read = read_learned if traits.learned else read_policy
    learned = read(strategy.path.parent / own if file is None else Path(file))
    return replace(strategy, learned=learned, digest=digest_of(strategy.digest, {LEARNED: learned.digest}))


def _policies(traits: Traits, path: Path, base: str | None) -> tuple[Strategy, ...]:
    """The strategies that another asks, its base first.

    A base that is one of the others changes places with the first, so that all are still asked.
    """
    names = list(traits.policies)
    if base is None:
        return tuple(_policy(name, path) for name in names)
    if base in names:
        names[names.index(base)] = names[0]
    strategy = load(base)
    if strategy.rate is None:
        raise UserError(
            f"{traits.name}: base {base} is plain Python; name one that is compiled or made of weights"
        )
    return (strategy, *(_policy(name, path) for name in names[1:]))


_asking: list[Path] = []  # strategies whose policies are being loaded


def _policy(name: str, asker: Path) -> Strategy:
    """A strategy that another asks; a path counts from the folder of the one that asks."""
    if is_path(name) and not Path(name).is_absolute():
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
        return read_weights(strategy_name(path), path, {})
    return _declared(strategy_name(path), path, {})[1]


def _declared(spec: str, path: Path, settings: dict[str, str]) -> tuple[ModuleType, Strategy]:
    """The module of a plug-in, and what it declares."""
    module = import_plug_in(path)
    with _running(path):  # even a look at what it declares may run its code
        return module, _strategy(spec, module, path, settings)


def _strategy(spec: str, module: ModuleType, path: Path, settings: dict[str, str]) -> Strategy:
    """The strategy that the module of a plug-in declares, not compiled yet."""
    traits = _checked_traits(module, path)
    declared = declared_in(vars(module))
    values = set_parameters(traits.name, declared, settings)
    player = getattr(module, "Player", None)
    decides = [word for word in ("Player", "score", "rate") if hasattr(module, word)]
    if traits.indifferent and decides:
        raise UserError(
            f"{path.name}: declares that all options are alike to it, and has {' and '.join(decides)}, "
            "which would never be asked; remove one of them"
        )
    if player is not None and not callable(getattr(player, "choose", None)):
        raise UserError(f"{path.name}: class Player has no choose(self, view, options)")
    return Strategy(
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
        base=traits.policies[0] if traits.policies else "",
        indifferent=traits.indifferent,
        built_in=path in built_in().values(),
    )


def digest_of(code: str, values: dict[str, Any]) -> str:
    """A short hash of what a strategy is and how it is set."""
    return hashlib.sha256(f"{code} {sorted(values.items())}".encode()).hexdigest()[:16]


def import_plug_in(path: Path) -> ModuleType:
    """Run a plug-in's file as a module of its own; an error names its line."""
    text = text_of(path)
    name = f"khora_strategy_{path.stem}_{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # machine code from the cache looks its module up
    with _running(path):
        code = compile(text, str(path), "exec")
        exec(code, vars(module))
    return module


@contextmanager
def _running(path: Path) -> Iterator[None]:
    """Report whatever the code of a plug-in raises as one error that names its file and line."""
    try:
        yield
    except SyntaxError as problem:
        raise UserError(f"{path.name}, line {problem.lineno}: {problem.msg}") from None
    except (UserError, KeyboardInterrupt):
        raise
    except BaseException as problem:  # SystemExit, too: a plug-in must not end the program
        raise UserError(f"{path.name}{_line(problem, path)}: {described(problem)}") from None


def _line(problem: BaseException, path: Path) -> str:
    """The last line of a file that a traceback goes through."""
    frames = traceback.walk_tb(problem.__traceback__)
    numbers = [line for frame, line in frames if frame.f_code.co_filename == str(path)]
    return f", line {numbers[-1]}" if numbers else ""


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


def _to_send(strategy: Strategy) -> tuple[Callable[..., Strategy], tuple[Any, ...]]:
    """A strategy as `pickle` sends it to other processes and machines: by name; the code has to be there.

    Weights and learned values go along where no file holds them.
    """
    if strategy.kind == "weights":
        if is_built_in(strategy.name) and load(strategy.name).layers == strategy.layers:
            return _received, (strategy.name, strategy.digest, strategy.name, strategy.digest, None)
        kept = {one.name: getattr(strategy, one.name) for one in fields(strategy) if one.name != "rate"}
        return _received_weights, (kept,)
    name, settings = split_spec(strategy.name)
    own = ":".join([name, *(f"{key}={value}" for key, value in settings.items() if key != LEARNED)])
    found = load(own)
    learned = None if strategy.learned is found.learned else strategy.learned
    return _received, (own, found.digest, strategy.name, strategy.digest, learned)


def _received(
    own: str, own_digest: str, name: str, digest: str, learned: LearnedValue | LearnedPolicy | None
) -> Strategy:
    """A strategy by its name, with the learned value that came along."""
    found = load(own)
    if found.digest != own_digest:
        raise UserError(f"a worker has another version of {own} than the one that sent the work")
    return replace(found, name=name, digest=digest, learned=found.learned if learned is None else learned)


def _received_weights(kept: dict[str, Any]) -> Strategy:
    return Strategy(**kept, rate=evaluator())


copyreg.pickle(Strategy, _to_send)
