import subprocess
import sys

import khora_sim.stats


def test_every_public_name_is_there():
    assert all(hasattr(khora_sim.stats, name) for name in khora_sim.stats.__all__)


def test_importing_the_statistics_does_not_load_scipy():
    code = "import sys, khora_sim.stats; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
