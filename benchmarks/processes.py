"""CPU and memory of processes, as Linux counts them."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
GONE = (FileNotFoundError, ProcessLookupError)
"""Raised by what reads of a process or thread that has ended."""


@dataclass(frozen=True, slots=True)
class Used:
    cpu_seconds: float
    memory_mb: float


def used(pid: int) -> Used:
    """With the children that it has, and those that it had."""
    cpu = cpu_seconds(pid)
    below = all_used({str(child): child for child in children_of(pid)}).values()
    return Used(cpu + sum(one.cpu_seconds for one in below), _memory(pid) + sum(one.memory_mb for one in below))


def cpu_seconds(pid: int) -> float:
    """Without the children that it has, and with those that it had."""
    return sum(int(ticks) for ticks in _stat(pid)[11:15]) / TICKS


def used_alone(pid: int) -> Used:
    """Without children. Memory is PSS: a page that several processes share counts once in all of them."""
    cpu = sum(int(ticks) for ticks in _stat(pid)[11:13]) / TICKS
    return Used(cpu, _kilobytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss:") / 1024)


def all_used(processes: Mapping[str, int], measure: Callable[[int], Used] = used) -> dict[str, Used]:
    """By name; of those that still run."""
    found = {}
    for name, pid in processes.items():
        with suppress(*GONE):
            found[name] = measure(pid)
    return found


def _stat(pid: int) -> list[str]:
    """From the third field on: the second is a name, in which anything may stand."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()


def children_of(pid: int) -> list[int]:
    """Also while its threads end, or itself."""
    found: list[int] = []
    with suppress(*GONE):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(*GONE):
                found += [int(child) for child in (task / "children").read_text(encoding="utf-8").split()]
    return found


def _memory(pid: int) -> float:
    """Its own: what it shares with others (the pages of PostgreSQL) would be counted many times."""
    return _kilobytes(Path(f"/proc/{pid}/status"), "RssAnon:") / 1024


def _kilobytes(file: Path, name: str) -> int:
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    return 0
