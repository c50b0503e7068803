"""Processes in namespaces of their own: network, process ids, mounts. All end when the first process is killed."""

import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tarsy_ground.network import NSENTER, NetworkNamespace
from tarsy_processes.child import ChildProcess

HIDDEN = ("/run", "/var/log", "/var/lib/cni", "/var/lib/kubelet")
"""Folders of the machine that programs of a node write to, whatever they are told. Each is an empty one inside."""
START_SECONDS = 30.0
STOP_SECONDS = 10.0
LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Sandbox:
    """`first` is the process whose end ends all. `folder` has a log of each program."""

    folder: Path
    network: NetworkNamespace
    first: int
    _started: dict[str, ChildProcess] = field(default_factory=dict)

    def start(self, name: str, command: Sequence[str]) -> ChildProcess:
        self._started[name] = ChildProcess(
            self.command(*command),
            log=self.folder / f"{name}.log",
            death_signal=signal.SIGKILL,
            folder=self.folder,
            environment=dict(os.environ),
        )
        return self._started[name]

    def client_command(self, *command: str) -> list[str]:
        """For a process of ours that only sees the node: it is ended by its own id, and not with the sandbox."""
        return self._enter("--net", "--mount", command=command)

    def command(self, *command: str) -> list[str]:
        return self._enter("--net", "--mount", "--pid", command=command)

    def _enter(self, *namespaces: str, command: Sequence[str]) -> list[str]:
        return [NSENTER, f"--target={self.first}", *namespaces, "--wd=/", "--", *command]

    def ended(self) -> Mapping[str, ChildProcess]:
        return {name: one for name, one in self._started.items() if one.poll_exit() is not None}

    def describe(self) -> str:
        """The programs that have ended, with their last lines."""
        return "\n".join(f"{name} has ended: {one.last_lines()}" for name, one in self.ended().items())

    def kill(self) -> None:
        """The kernel ends all other processes with the first one."""
        with suppress(ProcessLookupError):
            os.kill(self.first, signal.SIGKILL)
        for process in self._started.values():
            process.stop(signal.SIGKILL, STOP_SECONDS)


@contextmanager
def running_sandbox(folder: Path, network: NetworkNamespace) -> Iterator[Sandbox]:
    folder.mkdir(parents=True)
    hide = " && ".join(f"mkdir -p {path} && mount -t tmpfs -o mode=755 tmpfs {path}" for path in HIDDEN)
    present = [path for path in HIDDEN if Path(path).exists()]
    script = f"{hide} && touch {folder / 'hidden'} && exec sleep infinity"
    process = ChildProcess(
        network.isolated_command("sh", "-c", script),
        log=folder / "sandbox.log",
        death_signal=signal.SIGKILL,
        folder=folder,
        environment=dict(os.environ),
    )
    sandbox: Sandbox | None = None
    try:
        sandbox = Sandbox(folder, network, _first_process(process, folder / "hidden"))
        yield sandbox
    finally:
        if sandbox is not None:
            sandbox.kill()
        process.stop(signal.SIGKILL, STOP_SECONDS)
        for path in {*HIDDEN} - {*present}:
            Path(path).rmdir()


def _first_process(process: ChildProcess, hidden: Path) -> int:
    """That of the inner namespace, once its folders are hidden."""
    deadline = time.monotonic() + START_SECONDS
    while not hidden.exists():
        if process.poll_exit() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"no sandbox: {process.last_lines()}")
        time.sleep(LOOK_SECONDS)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("ascii").split()
    return int(children[0])
