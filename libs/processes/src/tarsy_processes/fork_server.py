"""Fork server: a program that has imported modules, and becomes a program of them in each of its forks.

    python -m tarsy_processes.fork_server SOCKET MODULE[:FUNCTION]...

Imports take seconds of CPU, and most of a small process's memory: forks have made them already, and share it. So they
do what a FUNCTION without parameters has made. A process
may be forked that has one thread, no event loop and no open client: the server is such a process. Linux only.

The socket carries a `ForkOrder`, for a start with the descriptors of the log and of the environment, and back a
`ForkReport`. The server never reads an environment: it may hold passwords that other forks must not have.
"""

import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from tarsy_processes.launcher import die_with_parent

MESSAGE_BYTES = 4096
COMMAND_NAME = Path("/proc/self/comm")
"""The name of this process in `ps` and `top`. The kernel keeps 15 bytes of it."""
OWN_NAME = "fork_server"


class ForkOrder(TypedDict, total=False):
    """To start a `module` as a program, or to send a signal to the one with this number."""

    number: int
    module: str
    signal: int


class ForkReport(TypedDict, total=False):
    """A program was started, or has ended: its code as `subprocess` has it."""

    number: int
    pid: int
    code: int


@dataclass(frozen=True, slots=True)
class Program:
    """The module that a fork runs, and two descriptors that were sent with the order."""

    module: str
    log: int
    environment: int


@dataclass(slots=True)
class Forks:
    """The server's side. `running`: number and process, by a descriptor that is readable once the process has ended."""

    orders: socket.socket
    running: dict[int, tuple[int, int]] = field(default_factory=dict)

    def serve(self) -> Program | None:
        """Returns in each fork, and, with None, in the server once nobody gives orders any more."""
        while True:
            orders = self.orders.fileno()
            readable, _, _ = select.select([orders, *self.running], [], [])
            for ended in [one for one in readable if one != orders]:
                self._reap_child(ended)
            if orders not in readable:
                continue
            message, descriptors, _, _ = socket.recv_fds(self.orders, MESSAGE_BYTES, 2)
            if not message:
                return None
            order: ForkOrder = json.loads(message)
            if "signal" in order:
                self._send_signal(order["number"], order["signal"])
            elif (program := self._fork_program(order["number"], order["module"], *descriptors)) is not None:
                return program

    def _fork_program(self, number: int, module: str, log: int, environment: int) -> Program | None:
        server = os.getpid()
        sys.stdout.flush()
        sys.stderr.flush()
        if (pid := os.fork()) == 0:
            die_with_parent(server, signal.SIGKILL)
            self.orders.close()
            for descriptor in self.running:
                os.close(descriptor)
            return Program(module, log, environment)
        os.close(log)
        os.close(environment)
        self.running[os.pidfd_open(pid)] = (number, pid)
        self._send_report({"number": number, "pid": pid})
        return None

    def _reap_child(self, descriptor: int) -> None:
        number, pid = self.running.pop(descriptor)
        os.close(descriptor)
        _, status = os.waitpid(pid, 0)
        self._send_report({"number": number, "code": os.waitstatus_to_exitcode(status)})

    def _send_signal(self, number: int, signal_number: int) -> None:
        """Nobody else reaps our forks: the process is still the one that we mean."""
        for running, pid in self.running.values():
            if running == number:
                os.kill(pid, signal_number)

    def _send_report(self, report: ForkReport) -> None:
        self.orders.send(json.dumps(report).encode())


def become(program: Program) -> None:
    """Makes this process what a new interpreter would have found."""
    os.setsid()
    for descriptor in (1, 2):
        os.dup2(program.log, descriptor)
    os.close(program.log)
    with open(program.environment, encoding="utf-8") as environment:
        variables: dict[str, str] = json.load(environment)
    os.environ.clear()
    os.environ.update(variables)
    COMMAND_NAME.write_text(program.module, encoding="utf-8")
    sys.argv = [program.module]


def prepare(steps: Sequence[str]) -> None:
    """Imports each MODULE, and calls the FUNCTION that stands behind it. All forks share what there is then."""
    # Nothing of this is garbage: looking for some would take a sixth of the time.
    gc.disable()
    for step in steps:
        module, _, function = step.partition(":")
        imported = importlib.import_module(module)
        if function:
            getattr(imported, function)()
    gc.enable()
    gc.collect()
    gc.freeze()


def main() -> None:
    orders = socket.socket(fileno=int(sys.argv[1]))
    orders.set_inheritable(False)
    COMMAND_NAME.write_text(OWN_NAME, encoding="utf-8")
    prepare(sys.argv[2:])
    if (threads := os.listdir("/proc/self/task"))[1:]:
        # Forks could deadlock: a thread that they do not have may hold a lock.
        # Written here: `sys.exit` lets go of this frame first, so that the socket is closed before its words are out.
        sys.stderr.write(f"the imports have started {len(threads) - 1} threads\n")
        sys.exit(1)
    program = Forks(orders).serve()
    if program is not None:
        become(program)
        runpy.run_module(program.module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
