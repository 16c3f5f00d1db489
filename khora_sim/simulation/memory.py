"""How much memory this process has taken at most."""

import sys
from pathlib import Path


def peak_megabytes() -> float | None:
    """Peak memory of this process alone; None where the system does not tell."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage also counts what the parent held when it forked
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    try:
        import resource
    except ImportError:
        return None
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
