"""A Docker engine of our own: own folders, socket, network, process ids and control group."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tarsy_ground.control_groups import remove_control_groups
from tarsy_ground.network import NetworkNamespace
from tarsy_processes.child import ChildProcess

CLIENT = "/usr/bin/docker"
"""That of Debian's package: another one on PATH may be too new for the engine."""
START_SECONDS = 60.0
STOP_SECONDS = 10.0
LOOK_SECONDS = 0.1
CONTAINERS = "172.31.240.1/24"
"""Outside the subnets of network namespaces."""


@dataclass(frozen=True, slots=True)
class Engine:
    socket: Path
    network: NetworkNamespace

    @property
    def environment(self) -> Mapping[str, str]:
        return {**os.environ, "DOCKER_HOST": f"unix://{self.socket}", "DOCKER_BUILDKIT": "1"}

    def run(self, *arguments: str, seconds: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [CLIENT, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def demand(self, *arguments: str, seconds: float) -> str:
        """Its output. Raises RuntimeError where it ends with something else than 0."""
        done = self.run(*arguments, seconds=seconds)
        if done.returncode != 0:
            raise RuntimeError(f"docker {arguments[0]}: {done.stderr[-3_000:]}")
        return done.stdout


@contextmanager
def running_engine(folder: Path, network: NetworkNamespace) -> Iterator[Engine]:
    """All its processes are in one namespace of ids: when the first is killed, the kernel ends the others.

    The path of `folder` has to be short: containerd's sockets lie in it, and have 108 bytes.
    """
    folder.mkdir(parents=True)
    settings = folder / "daemon.json"
    settings.write_text("{}\n", "utf-8")
    engine = Engine(folder / "docker.sock", network)
    process = ChildProcess(
        network.isolated_command(*_command(folder, engine.socket, settings, network.name)),
        log=folder.with_name(f"{folder.name}.log"),
        death_signal=signal.SIGKILL,
        folder=folder,
        environment=dict(os.environ),
    )
    try:
        _await_answer(engine, process)
        yield engine
    finally:
        process.stop(signal.SIGKILL, STOP_SECONDS)
        remove_control_groups(network.name)
        shutil.rmtree(folder)


def _command(folder: Path, socket: Path, settings: Path, group: str) -> list[str]:
    return [
        "dockerd",
        f"--config-file={settings}",
        f"--host=unix://{socket}",
        f"--data-root={folder / 'data'}",
        f"--exec-root={folder / 'exec'}",
        f"--pidfile={folder / 'pid'}",
        f"--bip={CONTAINERS}",
        f"--cgroup-parent=/{group}",
    ]


def _await_answer(engine: Engine, process: ChildProcess) -> None:
    deadline = time.monotonic() + START_SECONDS
    while engine.run("version", seconds=START_SECONDS).returncode != 0:
        ended = process.poll_exit() is not None
        if ended or time.monotonic() > deadline:
            raise RuntimeError(f"dockerd {'has ended' if ended else 'does not answer'}: {process.last_lines()}")
        time.sleep(LOOK_SECONDS)
