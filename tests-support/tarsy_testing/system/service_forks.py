"""Processes of services as forks of one that has imported them all: the imports alone take seconds each time."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Protocol

from pydantic import JsonValue

from tarsy_testing.system.program_forks import program_forks

PROGRAM = Path(__file__).with_name("fork_server.py")
LOOK_SECONDS = 0.02
STARTS_THE_LAB = "tarsy_tool_gateway"
NOTHING_MORE: Mapping[str, str] = MappingProxyType({})


class OwnProcess(Protocol):
    """Process of a service, as tests use it; a `subprocess.Popen` is one."""

    @property
    def pid(self) -> int: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, number: int, /) -> None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


type Answer = int | str | None


class ServiceForks:
    """`environment`: what the server was started with, and each process gets, beside that of the test.

    `lab`: the folder of a `tarsy-lab` that starts without its imports; None where gateways find the installed one.
    """

    def __init__(
        self, server: "subprocess.Popen[str]", environment: Mapping[str, str], lab: Callable[[], Path] | None
    ) -> None:
        self._server = server
        self._environment = environment
        self._lab = lab
        self._asking = threading.Lock()

    def start(
        self, module: str, *arguments: str, log: Path, folder: Path, environment: Mapping[str, str]
    ) -> "ForkedProcess":
        """Starts `python -m MODULE ARGUMENTS`. Its output is added to `log`, which is there at once."""
        log.touch()
        start: JsonValue = {
            "module": module,
            "arguments": list(arguments),
            "log": str(log),
            "folder": str(folder),
            "environment": {**environment, **self._environment, **self._path(module, environment)},
        }
        pid = self.ask({"start": start})
        assert isinstance(pid, int)
        return ForkedProcess(self, pid)

    def _path(self, module: str, environment: Mapping[str, str]) -> Mapping[str, str]:
        if self._lab is None or module != STARTS_THE_LAB:
            return NOTHING_MORE
        return {"PATH": f"{self._lab()}{os.pathsep}{environment['PATH']}"}

    def located(self, module: str) -> Path:
        """Which file the processes run of a module."""
        return Path(str(self.ask({"located": module})))

    def ask(self, told: Mapping[str, JsonValue]) -> Answer:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        with self._asking:
            self._server.stdin.write(json.dumps(told) + "\n")
            self._server.stdin.flush()
            answer: Answer = json.loads(self._server.stdout.readline())
            return answer


class ForkedProcess:
    """With the methods of a `subprocess.Popen`, as far as tests use them."""

    def __init__(self, forks: ServiceForks, pid: int) -> None:
        self.pid = pid
        self._forks = forks
        self._code: int | None = None

    def poll(self) -> int | None:
        if self._code is None:
            code = self._forks.ask({"ended": self.pid})
            self._code = code if isinstance(code, int) else None
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        limit = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if limit is not None and time.monotonic() > limit:
                raise subprocess.TimeoutExpired([str(self.pid)], timeout or 0.0)
            time.sleep(LOOK_SECONDS)
        return code

    def send_signal(self, number: int, /) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def execute(arguments: Sequence[str], *, log: Path, folder: Path, environment: Mapping[str, str]) -> OwnProcess:
    """Starts `python ARGUMENTS`, without a fork server. Its output is added to `log`."""
    with log.open("ab") as out:
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )


@contextmanager
def lab_forks() -> Iterator[Callable[[], Path]]:
    """A function that returns the folder of a `tarsy-lab` that is forked. Its first call starts who forks."""
    with ExitStack() as stack:

        @cache
        def folder() -> Path:
            found = Path(stack.enter_context(TemporaryDirectory(prefix="tarsy-lab-")))
            command = stack.enter_context(program_forks("tarsy_lab.__main__", found))
            program = found / "tarsy-lab"
            program.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
            program.chmod(0o755)
            return found

        yield folder


@contextmanager
def service_forks(
    environment: Mapping[str, str] = NOTHING_MORE, lab: Callable[[], Path] | None = None
) -> Iterator[ServiceForks]:
    """At the end the server ends; its processes were ended by whoever started them."""
    server = subprocess.Popen(
        [sys.executable, str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        start_new_session=True, env={**os.environ, **environment},
    )  # fmt: skip
    try:
        yield ServiceForks(server, environment, lab)
    finally:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.close()
        server.wait(60)
        server.stdout.close()
