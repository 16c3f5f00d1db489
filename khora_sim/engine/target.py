"""The processor that machine code is made for: one for all machines of a kind, so that it can be shipped.

x86-64-v3 is what nearly every x86 processor since 2015 can do. It is faster here than all that newer ones can
do: their wide gathers are slow for tables as small as ours. Other processors are taken as they are.
"""

import os
import platform

import llvmlite.binding as llvm
import numba

X86_64_V3 = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")


def _choose() -> str:
    """Tell Numba, unless the user did; Numba reads its environment again for every function."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return f"{platform.machine()}, as it is"
    if "NUMBA_CPU_NAME" not in os.environ:
        has = llvm.get_host_cpu_features()
        fits = all(has.get(feature) for feature in X86_64_V3)
        os.environ["NUMBA_CPU_NAME"] = "x86-64-v3" if fits else "x86-64"
        os.environ["NUMBA_CPU_FEATURES"] = ",".join(f"+{one}" for one in X86_64_V3) if fits else "+sse2"
        numba.config.reload_config()
    return os.environ["NUMBA_CPU_NAME"]


TARGET = _choose()


def processors() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
