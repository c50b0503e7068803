"""Large blocks that were freed do not stay with the process; a process that grows is not looked through each time."""

import subprocess
import sys

import pytest

MASK_MANY = """
from pathlib import Path
{call}
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
CALL = "from tarsy_service.allocator import return_large_blocks; return_large_blocks()"


def resident_mb(call: str) -> float:
    program = MASK_MANY.format(call=call)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60)
    return int(done.stdout) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="glibc")
def test_what_large_results_took_goes_back_to_the_system() -> None:
    assert resident_mb(CALL) < resident_mb("import ctypes") / 2


GROWING = """
import gc
{call}
full = []
gc.callbacks.append(lambda phase, info: full.append(phase) if info["generation"] == 2 else None)
kept = [[number] for number in range(600_000)]
print(len(full))
"""
SELDOM = "from tarsy_service.allocator import collect_seldom; collect_seldom()"


def full_collections(call: str) -> int:
    program = GROWING.format(call=call)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60)
    return int(done.stdout)


def test_a_process_that_grows_is_not_looked_through_again_and_again() -> None:
    assert full_collections("") > 0
    assert full_collections(SELDOM) == 0
