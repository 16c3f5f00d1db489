"""Questions that Numba asks itself a million times while it compiles, answered faster.

A third of the time of compiling. `codegen` uses it with the versions of Numba that it was tried with.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import ir as llvm_ir
from numba import types
from numba.core import (
    cgutils,
    codegen,
    compiler,
    environment,
    ir,
    itanium_mangler,
    targetconfig,
    typed_passes,
    untyped_passes,
)
from numba.core.compiler_machinery import register_pass
from numba.np import arrayobj, linalg


def _same_flags(one: Any, other: Any) -> bool:
    """Tell if two sets of flags are equal; Numba asks very often, and reads all flags, set or not."""
    if not isinstance(other, targetconfig.TargetConfig):
        return NotImplemented
    if one._values == other._values:
        return True
    names = {*one._values, *other._values}
    return all(getattr(one, name, None) == getattr(other, name, None) for name in names)


_numbas_call_type = types.functions.BaseFunction.get_call_type
_known_call_types: dict[Any, Any] = {}
_PLAIN_NUMBERS = (types.Number, types.Boolean, types.IntEnumMember)


def _call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature of an operator on plain numbers, which Numba would look for every time."""
    if kws or not all(isinstance(kind, _PLAIN_NUMBERS) for kind in args):
        return _numbas_call_type(self, context, args, kws)
    key = (self, context, args)
    if key not in _known_call_types:
        _known_call_types[key] = _numbas_call_type(self, context, args, kws)
    return _known_call_types[key]


LONG_NAME = 100
_numbas_mangled = itanium_mangler.mangle_args
_known_names: dict[Any, str] = {}


def _mangled(kinds: Any) -> str:
    """Part of a function's name for the kinds of its arguments: a digest, where it would be long.

    Numba writes down all fields of a record, some kilobytes, in every name and at every call.
    """
    kinds = tuple(kinds)
    if kinds not in _known_names:
        name = _numbas_mangled(kinds)
        if len(name) > LONG_NAME:
            digest = hashlib.sha256(name.encode()).hexdigest()
            name = itanium_mangler.mangle_identifier(digest[:32])
        _known_names[kinds] = name
    return _known_names[kinds]


_numbas_words = types.Record.__repr__
_known_words: dict[int, str] = {}


def _words(self: Any) -> str:
    """All fields of a record in words, which Numba asks for whenever it begins or ends a step."""
    if self._code not in _known_words:
        _known_words[self._code] = _numbas_words(self)
    return _known_words[self._code]


_numbas_variables = ir.Inst._rec_list_vars
_WITHOUT_VARIABLES = {ir.Arg, ir.Const, ir.FreeVar, ir.Global, ir.Loc, str, int, bool, type(None)}


def _variables(self: Any, part: Any) -> list[Any]:
    """The variables in a part of an instruction; most parts are one, or cannot hold any."""
    kind = type(part)
    if kind is dict:
        part = part.values()
    elif kind is not list and kind is not tuple:
        return [part] if kind is ir.Var else _numbas_variables(self, part)
    found = []
    for one in part:
        kind = type(one)
        if kind is ir.Var:
            found.append(one)
        elif kind not in _WITHOUT_VARIABLES:
            found += _variables(self, one)
    return found


def speed_up() -> None:
    """From now on Numba finds its answers faster."""
    itanium_mangler.mangle_args = _mangled
    types.Record.__repr__ = _words
    ir.Inst._rec_list_vars = _variables
    types.functions.BaseFunction.get_call_type = _call_type
    targetconfig.TargetConfig.__eq__ = _same_flags
    targetconfig.TargetConfig.__hash__ = lambda self: hash(type(self))


# What is changed inside Numba, and nothing but that (with `type_lookup`): how rules become machine code.
#
# Left alone, Numba optimises each of some 170 rules by itself, makes machine code of it that nobody
# calls, and asks of every index whether it counts from the end. Here a rule waits until it is built into
# an entry point, which is optimised as a whole, and an index of a rule counts from the start.
# `KHORA_CODEGEN=plain` leaves Numba alone; so does a Numba that this was not tried with, or one that
# fails the test of itself.


TRIED = ("0.68.",)  # versions of Numba that begin like this
WAYS = LEAN, CHECKED, PLAIN = "lean", "checked", "plain"

_way = os.environ.get("KHORA_CODEGEN", LEAN if numba.__version__.startswith(TRIED) else PLAIN)


def way() -> str:
    """Mode of making machine code: `lean`; `checked`, which ends on an index out of bounds; or `plain`."""
    return _way if _way in (LEAN, CHECKED) else PLAIN


class RuleLibrary(codegen.JITCodeLibrary):
    """The code of one rule as it was written: neither optimised nor turned into machine code."""

    def add_llvm_module(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        self._final_module.link_in(ll_module)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def alone(self) -> Any:
        """The rule without what it calls, to be linked with that by an entry point."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """The rule with all that it calls, for code that Numba compiles in its own way."""
        whole = self.alone().clone()
        for library in called_by(self):
            whole.link_in(_part(library), preserve=True)
        return whole


class EntryLibrary(RuleLibrary):
    """An entry point with all the rules behind it, optimised as a whole; only its own names are kept."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._codegen._check_llvm_bugs()
        own = {one.name for one in self._final_module.functions if not one.is_declaration}
        for library in called_by(self):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(_part(library), preserve=True)
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in own:
                function.linkage = "internal"
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)
        self._final_module.verify()
        self._finalize_final_module()
        self._set_environments()

    def _set_environments(self) -> None:
        """Say where the Python objects are that rules refer to; Numba does it for each rule by itself."""
        for variable in self._final_module.global_variables:
            known = environment.lookup_environment(variable.name)
            if known is not None:
                self._codegen.set_env(variable.name, known)

    def _get_module_for_linking(self) -> Any:
        return self.alone()


def _part(library: Any) -> Any:
    """The code of a library alone, if it is a rule's; one of Numba's holds what it calls."""
    return library.alone() if isinstance(library, RuleLibrary) else library._get_module_for_linking()


def called_by(library: Any) -> Iterator[Any]:
    """All libraries that one needs, each once."""
    waiting, seen = list(library._linking_libraries), {library}
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            yield one
            if isinstance(one, RuleLibrary):
                waiting.extend(one._linking_libraries)


_from_start: set[str] = set()  # modules whose indices count from the start
_numbas_index = arrayobj.fix_integer_index


def _index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """An index, which in a rule is never negative."""
    if builder.module.name not in _from_start or not kind.signed:
        return _numbas_index(context, builder, kind, index, size)
    index = context.cast(builder, index, kind, types.intp)
    if way() == CHECKED:
        with builder.if_then(builder.icmp_unsigned(">=", index, size)):
            nothing = llvm_ir.FunctionType(llvm_ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, nothing, "llvm.trap"), [])
    return index


class _Lowering(typed_passes.NativeLowering):
    """From typed source to code in a library of a kind."""

    kind: Any = None
    from_start = True

    def run_pass(self, state: Any) -> bool:
        state.library = self.kind(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        module = cgutils.normalize_ir_text(state.func_id.unique_name)
        if self.from_start:
            _from_start.add(module)
        try:
            return super().run_pass(state)
        finally:
            _from_start.discard(module)


@register_pass(mutates_CFG=True, analysis_only=False)
class EntryLowering(_Lowering):
    """An entry point: machine code is made of it."""

    _name = "entry_lowering"
    kind = EntryLibrary


@register_pass(mutates_CFG=True, analysis_only=False)
class RuleLowering(_Lowering):
    """A rule: other rules know it, but there is no machine code of it."""

    _name = "rule_lowering"
    kind = RuleLibrary

    def run_pass(self, state: Any) -> bool:
        state.flags.no_compile = True
        super().run_pass(state)
        key = object()  # stands for the function that Python could call
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state["cr"] = state.cr._replace(cfunc=key)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class AuthorLowering(RuleLowering):
    """A function of an author, which keeps Python's meaning: an index may count from the end."""

    _name = "author_lowering"
    from_start = False


@register_pass(mutates_CFG=True, analysis_only=False)
class PublicLowering(RuleLowering):
    """A rule that authors call with numbers of their own, among them negative ones such as SELL."""

    _name = "public_lowering"
    from_start = False


#: The steps of Numba's compiler that a rule needs; Numba takes more than twice as many.
STEPS = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.GenericRewrites,
    untyped_passes.InlineInlinables,
    untyped_passes.DeadBranchPrune,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.IRLegalization,
)


class _Pipeline(compiler.CompilerBase):
    """The way of a function through the compiler."""

    lowering: Any = None
    short = True

    def define_pipelines(self) -> list[Any]:
        whole = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        if way() == PLAIN:
            return [whole]
        lowering, numbas = self.lowering, typed_passes.NativeLowering
        steps = [*STEPS, lowering, typed_passes.NoPythonBackend]
        if not self.short:
            steps = [lowering if one is numbas else one for one, _ in whole.passes]
        passes = compiler.PassManager("rule")
        for step in steps:
            passes.add_pass(step, step.__name__)
        passes.finalize()
        return [passes]


class EntryPipeline(_Pipeline):
    """For an entry point."""

    lowering = EntryLowering


class RulePipeline(_Pipeline):
    """For a rule."""

    lowering = RuleLowering


class PublicPipeline(_Pipeline):
    """For a rule that authors call."""

    lowering = PublicLowering


class AuthorPipeline(_Pipeline):
    """For a function of an author, who may use all that Numba offers."""

    lowering = AuthorLowering
    short = False


def plain_in_python(dispatcher: Any) -> Any:
    """Let Python run the source of a function: there is no machine code that it could call."""
    dispatcher.add_overload = lambda result: dispatcher.overloads.__setitem__(
        tuple(result.signature.args), result
    )
    dispatcher._compile_for_args = lambda *arguments, **named: dispatcher.py_func
    return dispatcher


if way() != PLAIN:
    arrayobj.fix_integer_index = _index
    speed_up()


@cache
def load_without_blas() -> None:
    """Before anything compiled is loaded: have Numba not import SciPy only to see if there is BLAS.

    A rule that needs it, which none of ours does, still imports it then. This is a fifth of a warm start.
    """
    if way() == PLAIN or find_spec("scipy") is None:
        return
    numbas_check = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = numbas_check


@cache
def check() -> None:
    """Before anything is compiled: if the test of itself fails, Numba is left alone from now on."""
    global _way
    if way() == PLAIN:
        return
    try:
        failed = "" if self_test() else "its answers are wrong"
    except Exception as problem:
        failed = f"{type(problem).__name__}: {problem}"
    if failed:
        _way = PLAIN
        print(f"Compiling in Numba's own way, which takes longer: {failed}", file=sys.stderr, flush=True)


def _entry(numbers):
    """Functions that the self-test compiles: a rule, and an author's function that counts from the end."""
    return _rule(numbers, 1) + _author(numbers)


def _rule(numbers, place):
    return numbers[place] * 3


def _author(numbers):
    return numbers[-1]


def self_test() -> bool:
    """Tell if a rule and an author's function, built into an entry point, do what they should."""
    inner = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    built_in = {
        "_rule": plain_in_python(numba.njit(pipeline_class=RulePipeline, _nrt=False, **inner)(_rule)),
        "_author": plain_in_python(numba.njit(pipeline_class=AuthorPipeline, **inner)(_author)),
    }
    source = FunctionType(_entry.__code__, built_in, "_entry")
    compiled = numba.njit(types.int64(types.int64[::1]), pipeline_class=EntryPipeline)(source)
    numbers = np.array([1, 10, 100])
    return compiled(numbers) == _entry(numbers)
