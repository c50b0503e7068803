"""Finds what an engine or a node has on the machine: nothing of it may be left when it has ended."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from tarsy_ground.control_groups import control_groups

SECONDS = 30


def traces(name: str, folder: Path) -> list[str]:
    """One line for each, which begins with its kind. `name` is that of its network namespace and control groups."""
    return sorted({*_network(name), *_mounts(folder), *_control_groups(name), *_processes(name, folder)})


def _network(name: str) -> Iterator[str]:
    yield from (f"link {link.name}" for link in Path("/sys/class/net").glob(name))
    yield from (f"namespace {each}" for each in Path("/run/netns").glob(name))
    for table in ("filter", "nat"):
        command = ["iptables", "-w", "-t", table, "-S"]
        rules = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True).stdout
        yield from (f"rule {rule}" for rule in rules.splitlines() if name in rule.split())


def _mounts(folder: Path) -> Iterator[str]:
    mounts = Path("/proc/mounts").read_text("utf-8").splitlines()
    yield from (f"mount {mount}" for mount in mounts if str(folder) in mount)


def _control_groups(name: str) -> Iterator[str]:
    yield from (f"group {group}" for group in control_groups(name))


def _processes(name: str, folder: Path) -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command, groups = (process / "cmdline").read_bytes(), (process / "cgroup").read_text("utf-8")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if str(folder).encode() in command or f"/{name}/" in groups:
            yield f"process {process.name} {command.replace(b'\0', b' ').decode(errors='replace')[:200]}"
