"""The small server over HTTP as a fork of a process that has imported it: the imports alone take a second each time."""

import multiprocessing
import os
import signal
from collections.abc import Mapping
from multiprocessing import forkserver
from pathlib import Path

import pytest

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["small_http_server"])


class ForkedServer:
    """What its test does with it, as with a `subprocess.Popen`."""

    def __init__(self, arguments: list[str], environment: Mapping[str, str]) -> None:
        _ensure_running()
        self._process = FORKS.Process(target=_serve, args=(arguments, dict(environment)), daemon=True)
        self._process.start()

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> None:
        self._process.join()

    def kill(self) -> None:
        self._process.kill()

    def send_signal(self, number: signal.Signals) -> None:
        assert self._process.pid is not None
        os.kill(self._process.pid, number)


def _ensure_running() -> None:
    """It imports ahead what it finds; nothing but its environment tells it where (Python 3.13.0)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
        forkserver.ensure_running()


def _serve(arguments: list[str], environment: dict[str, str]) -> None:
    os.environ.update(environment)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    # Here, as the test itself must not import it: it is a program of its own.
    from small_http_server import main

    main(arguments)
