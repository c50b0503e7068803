"""A process that grows is not looked through each time."""

import subprocess
import sys

GROWING = """
import gc
{call}
full = []
gc.callbacks.append(lambda phase, info: full.append(phase) if info["generation"] == 2 else None)
kept = [[number] for number in range(600_000)]
print(len(full))
"""
SELDOM = "from tarsy_service.process.garbage_collection import collect_seldom; collect_seldom()"


def full_collections(call: str) -> int:
    program = GROWING.format(call=call)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60)
    return int(done.stdout)


def test_a_process_that_grows_is_not_looked_through_again_and_again() -> None:
    assert full_collections("") > 0
    assert full_collections(SELDOM) == 0
