"""What is changed inside Numba, and nothing but that: how the rules become machine code.

Left alone, Numba optimises each of some 170 rules by itself, makes machine code of it that nobody calls, and
asks of every index whether it counts from the end. Here a rule waits until it is built into an entry point,
which is optimised as a whole, and an index of a rule counts from the start. `KHORA_CODEGEN=plain` leaves
Numba alone; so does a Numba that this was not tried with, or one that fails the self-test.
"""

import os
from collections.abc import Iterator
from functools import cache
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils, codegen, compiler, environment, targetconfig, typed_passes, untyped_passes
from numba.core.compiler_machinery import register_pass
from numba.np import arrayobj

TRIED = ("0.68.",)  # versions of Numba that begin like this


class RuleLibrary(codegen.JITCodeLibrary):
    """The code of one rule, as it was written: neither optimised nor turned into machine code."""

    def add_llvm_module(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        self._final_module.link_in(ll_module)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def alone(self) -> Any:
        """The rule without what it calls, to be linked with that by an entry point."""
        self._ensure_finalized()
        if self._shared_module is None:
            super()._get_module_for_linking()
        return self._shared_module

    def _get_module_for_linking(self) -> Any:
        """The rule with all that it calls, for code that Numba compiles in its own way."""
        whole = self.alone().clone()
        for library in called_by(self):
            whole.link_in(library.alone() if isinstance(library, RuleLibrary) else _of_numba(library), True)
        return whole


class EntryLibrary(RuleLibrary):
    """An entry point with all the rules behind it, optimised as a whole; only its own names are kept."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._codegen._check_llvm_bugs()
        own = {one.name for one in self._final_module.functions if not one.is_declaration}
        for library in called_by(self):
            self._reload_init.update(library._reload_init)
            part = library.alone() if isinstance(library, RuleLibrary) else _of_numba(library)
            self._final_module.link_in(part, preserve=True)
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in own:
                function.linkage = "internal"
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)
        self._final_module.verify()
        self._finalize_final_module()
        self._set_environments()

    def _set_environments(self) -> None:
        """What Python objects the rules refer to, which Numba would note for each rule by itself."""
        for variable in self._final_module.global_variables:
            known = environment.lookup_environment(variable.name)
            if known is not None:
                self._codegen.set_env(variable.name, known)

    def _get_module_for_linking(self) -> Any:
        return codegen.CPUCodeLibrary._get_module_for_linking(self)


def _of_numba(library: Any) -> Any:
    return library._get_module_for_linking()


def called_by(library: Any) -> Iterator[Any]:
    """All libraries that one needs, each once; those of Numba bring what they need themselves."""
    waiting, seen = list(library._linking_libraries), {library}
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        yield one
        if isinstance(one, RuleLibrary) and not isinstance(one, EntryLibrary):
            waiting.extend(one._linking_libraries)


_counts_from_start: set[str] = set()  # modules of rules
_numbas_own_index = arrayobj.fix_integer_index


def _index(context, builder, kind, index, size):
    """An index, which in a rule is never negative."""
    if builder.module.name in _counts_from_start and kind.signed:
        return context.cast(builder, index, kind, types.intp)
    return _numbas_own_index(context, builder, kind, index, size)


class _Lowering(typed_passes.NativeLowering):
    """From typed source to code in a library of a kind."""

    library_kind: Any = None
    from_start = True  # whether indices count from the start

    def run_pass(self, state: Any) -> bool:
        state.library = self.library_kind(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        module = cgutils.normalize_ir_text(state.func_id.unique_name)
        if self.from_start:
            _counts_from_start.add(module)
        try:
            return super().run_pass(state)
        finally:
            _counts_from_start.discard(module)


@register_pass(mutates_CFG=True, analysis_only=False)
class EntryLowering(_Lowering):
    """An entry point: machine code is made of it."""

    _name = "entry_lowering"
    library_kind = EntryLibrary


@register_pass(mutates_CFG=True, analysis_only=False)
class RuleLowering(_Lowering):
    """A rule: it is known to other rules, but there is no machine code of it."""

    _name = "rule_lowering"
    library_kind = RuleLibrary

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


def _pipeline(lowering: Any) -> Any:
    """Numba's compiler without the steps that a rule never needs, and with another last one."""

    class Pipeline(compiler.CompilerBase):
        def define_pipelines(self) -> list[Any]:
            steps = compiler.PassManager("rule")
            for step in (*STEPS, lowering, typed_passes.NoPythonBackend):
                steps.add_pass(step, step.__name__)
            steps.finalize()
            return [steps]

    return Pipeline


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
_PIPELINES = {
    "entry": _pipeline(EntryLowering),
    "rule": _pipeline(RuleLowering),
    "author": _pipeline(AuthorLowering),
}
arrayobj.fix_integer_index = _index


def _same_flags(one, other):
    """Whether two sets of flags are equal: Numba's own way reads all flags, set or not, of both."""
    if not isinstance(other, targetconfig.TargetConfig):
        return NotImplemented
    if one._values == other._values:
        return True
    return all(
        getattr(one, name, None) == getattr(other, name, None) for name in {*one._values, *other._values}
    )


targetconfig.TargetConfig.__eq__ = _same_flags
targetconfig.TargetConfig.__hash__ = lambda self: hash(type(self))

_numbas_own_call_type = types.functions.BaseFunction.get_call_type
_known_call_types: dict[Any, Any] = {}


def _call_type(self, context, args, kws):
    """The signature of a call of an operator on plain numbers, which Numba would look for every time."""
    if kws or not all(isinstance(kind, types.Number | types.Boolean | types.IntEnumMember) for kind in args):
        return _numbas_own_call_type(self, context, args, kws)
    key = (self, context, args)
    found = _known_call_types.get(key)
    if found is None:
        found = _known_call_types[key] = _numbas_own_call_type(self, context, args, kws)
    return found


types.functions.BaseFunction.get_call_type = _call_type


def options(kind: str) -> dict[str, Any]:
    """What Numba is to be told beyond the usual, to compile an `entry`, a `rule` or an `author`'s function."""
    return {"pipeline_class": _PIPELINES[kind]}
