"""The rules of the game compiled in another process, while this one compiles the players.

Numba compiles one thing at a time in a process. Whoever needs the rules first waits for them at the lock of
the cache folder and then finds them there; if the other process dies, they are compiled here.
"""

import atexit
import os
import subprocess
import sys

from khora_sim.engine import machine
from khora_sim.engine.cache import PACKAGE, cache_folder, found_in, is_quiet, keep_quiet, processors
from khora_sim.engine.compiling import ENGINE_SOURCES, UNCOMPILED, source_of
from khora_sim.engine.kernels import kernels

_started = False


def compile_rules_aside() -> None:
    """Have the rules compiled, unless they are, or this process has one processor only."""
    global _started
    if _started or UNCOMPILED or processors() < 2 or not sys.executable:
        return
    _started = True
    if found_in(cache_folder(ENGINE_SOURCES), source_of(machine.run)) is not None:
        return
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    other = subprocess.Popen(
        [sys.executable, "-m", __name__, *(["--quiet"] if is_quiet() else [])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    atexit.register(_end, other)


def _end(other: subprocess.Popen) -> None:
    """End the other process with this one, whatever it is doing."""
    other.terminate()
    other.wait()


if __name__ == "__main__":
    keep_quiet("--quiet" in sys.argv)
    kernels().run_address  # noqa: B018 - asking for it compiles it
    kernels().play_games  # noqa: B018
