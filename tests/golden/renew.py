"""Write the golden answers again, all or those that are named: `python -m tests.golden.renew [CASE…]`."""

import sys
import time

from tests.golden.cases import CASES
from tests.golden.stored import path_of, to_store, write


def main(names: list[str]) -> None:
    """Write the answers of some cases, or of all; then remove files without a case."""
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit(f"error: unknown case {unknown[0]}; choose from {', '.join(CASES)}")
    for name in names or CASES:
        start = time.process_time()
        write(name, to_store(CASES[name].answer()))
        print(f"{name:<24}{time.process_time() - start:5.1f} s {path_of(name).stat().st_size:>8,} bytes")
    for path in path_of("any").parent.glob("*.json"):
        if path.stem not in CASES:
            path.unlink()
            print(f"{path.stem}: removed")


if __name__ == "__main__":
    main(sys.argv[1:])
