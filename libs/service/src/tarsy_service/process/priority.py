"""Priority of this process among all processes of the machine."""

import errno
import os
import time
from contextlib import suppress
from pathlib import Path

AUTOGROUP = Path("/proc/self/autogroup")
_ATTEMPTS = 20
_PAUSE_SECONDS = 0.1
"""The kernel lets all users of a machine change one autogroup in a tenth of a second, together."""


def lower_priority(steps: int) -> None:
    """Call it before there are threads: each takes over what its creator has.

    Most Linux kernels share the processors among sessions (`autogroup` in sched(7)). There, niceness counts within a
    session only, so a session leader has to lower that of its session too.
    """
    niceness = os.nice(steps)
    if steps and os.getsid(0) == os.getpid() and AUTOGROUP.exists():
        # A machine that forbids it still runs the service, at the priority of all others.
        with suppress(OSError):
            _lower_session(niceness)


def _lower_session(niceness: int) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            AUTOGROUP.write_text(str(niceness), "utf-8")
        except OSError as problem:
            if problem.errno != errno.EAGAIN or attempt == _ATTEMPTS:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return
