"""A service with a lower priority has it against all other sessions of the machine."""

import subprocess
import sys

import pytest

from tarsy_service.process.priority import AUTOGROUP

pytestmark = pytest.mark.skipif(
    not AUTOGROUP.exists(), reason="this kernel does not share the processors among sessions"
)

PROGRAM = """
import os
from tarsy_service.process.priority import lower_priority
lower_priority(7)
print(os.nice(0), open("/proc/self/autogroup").read().split()[-1])
"""

LEADER = "import subprocess, sys; subprocess.run(sys.argv[1:], check=True)"


def test_the_session_of_a_service_is_as_nice_as_the_service() -> None:
    program = [sys.executable, "-c", PROGRAM]
    told = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True, start_new_session=True).stdout
    assert told.split() == ["7", "7"]


def test_a_process_in_the_session_of_others_leaves_that_session_alone() -> None:
    """A process leads that session here: the one that pytest has found may belong to no group at all."""
    leader = [sys.executable, "-c", LEADER, sys.executable, "-c", PROGRAM]
    told = subprocess.run(leader, stdout=subprocess.PIPE, text=True, check=True, start_new_session=True).stdout
    assert told.split() == ["7", "0"]
