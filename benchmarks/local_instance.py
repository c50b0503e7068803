"""`tarsy up` as people run it, for benchmarks of its front door: the processes of an instance, and their CPU."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tarsy_processes.ports import free_port

TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS = 180.0
STOP_SECONDS = 60.0
FORK_SERVER = b"tarsy_processes.fork_server"
SERVERS = {"java": "Kafka", "postgres": "PostgreSQL"}


@dataclass(frozen=True, slots=True)
class LocalInstance:
    url: str
    pid: int
    folder: Path

    def cpu(self) -> dict[str, float]:
        """CPU seconds so far, by service; `up` is the process that supervises, or that is all services."""
        found: dict[str, float] = {}
        for pid in _tree(self.pid):
            name = "up" if pid == self.pid else _name(pid)
            if name is not None:
                found[name] = found.get(name, 0.0) + _cpu(pid)
        return found

    def memory_mb(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for pid in _tree(self.pid):
            name = "up" if pid == self.pid else _name(pid)
            if name is not None:
                found[name] = found.get(name, 0.0) + _memory(pid)
        return found

    def pids(self, name: str) -> list[int]:
        return [pid for pid in _tree(self.pid) if (_name(pid) if pid != self.pid else "up") == name]


@contextmanager
def local_instance(folder: Path, config_dir: Path, *options: str) -> Iterator[LocalInstance]:
    """It is ready in the body."""
    port = free_port()
    command = [str(Path(sys.prefix) / "bin/tarsy"), "up", "--home", str(folder / "home"), "--config", str(config_dir)]
    ports = ["--http-port", str(port), "--kafka-port", str(free_port()), "--database-port", str(free_port())]
    with (folder / "up.log").open("wb") as log:
        up = subprocess.Popen([*command, *ports, *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        instance = LocalInstance(f"http://127.0.0.1:{port}", up.pid, folder)
        _until_ready(instance, up)
        yield instance
    finally:
        up.terminate()
        try:
            up.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            up.kill()
            up.wait()


def _until_ready(instance: LocalInstance, up: "subprocess.Popen[bytes]") -> None:
    limit = time.monotonic() + START_SECONDS
    while True:
        try:
            if httpx2.get(f"{instance.url}/ready", timeout=5.0, trust_env=False).status_code == 200:
                return
        except httpx2.HTTPError:
            pass
        if up.poll() is not None or time.monotonic() > limit:
            raise RuntimeError(
                f"tarsy up did not start: {(instance.folder / 'up.log').read_text(encoding='utf-8')[-2000:]}"
            )
        time.sleep(0.2)


def _tree(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text(encoding="utf-8").split()]
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def _name(pid: int) -> str | None:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        name = Path(f"/proc/{pid}/comm").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    program = Path(words[0].decode().split(":")[0]).name
    if program in SERVERS:
        return SERVERS[program]
    if FORK_SERVER in words:
        # A fork has the arguments of its server, and a name of its own.
        words = [b"-m", name.strip()]
    module = words[words.index(b"-m") + 1].decode() if b"-m" in words[:-1] else ""
    return module.removeprefix("tarsy_") if module.startswith("tarsy_") else "other"


def _cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def _memory(pid: int) -> float:
    try:
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1024
    except (FileNotFoundError, ProcessLookupError):
        pass
    return 0.0
