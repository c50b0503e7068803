"""Programs that tests have started by others, as forks of one that has imported them (see forked_program.py)."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tarsy_testing.waiting import wait_until

PROGRAM = Path(__file__).with_name("forked_program.py")
STOP_SECONDS = 90.0


@contextmanager
def program_forks(module: str, folder: Path, *, found_in: Path | None = None) -> Iterator[tuple[str, ...]]:
    """The command that is started in the program's place, with the program's arguments behind it.

    `found_in`: the folder of the module, where it is no installed one. Its socket lies in `folder`.
    """
    place = folder / f"{module}.socket"
    path = {"PYTHONPATH": str(found_in)} if found_in is not None else {}
    server = subprocess.Popen(
        [sys.executable, str(PROGRAM), str(place), "serve", module],
        stdin=subprocess.PIPE,
        env={**os.environ, **path},
        start_new_session=True,
    )
    try:
        wait_until(place.is_socket)
        # Isolated: it starts in a fiftieth of a second.
        yield (sys.executable, "-I", "-S", str(PROGRAM), str(place), "run")
    finally:
        assert server.stdin is not None
        server.stdin.close()
        server.wait(STOP_SECONDS)
