"""Large blocks that were freed do not stay with the process."""

import os
import subprocess
import sys
from collections.abc import Mapping

import pytest

from tarsy_processes.allocator import RETURNED_MEMORY

MASK_MANY = """
from pathlib import Path
del (first := [bytearray(20_000_000)])[0]  # glibc's threshold has grown now
small = []
for _ in range(10):
    large = [bytearray(10_000_000) for _ in range(2)]
    small.append(bytearray(2_000))  # lives on, above them
    kept = large.pop()
    small.append(kept[:100_000])
    del large, kept
lines = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("RssAnon:")))
"""


def resident_mb(environment: Mapping[str, str]) -> float:
    around = {name: value for name, value in os.environ.items() if name not in RETURNED_MEMORY}
    done = subprocess.run(
        [sys.executable, "-c", MASK_MANY],
        env={**around, **environment},
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return int(done.stdout) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="glibc")
def test_what_large_results_took_goes_back_to_the_system() -> None:
    assert resident_mb(RETURNED_MEMORY) < resident_mb({}) / 2
