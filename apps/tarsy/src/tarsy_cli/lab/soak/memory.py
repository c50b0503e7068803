"""Memory of the processes of a soak over time, and whether it is flat. Pure, but for `resident_mb`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

WARM_PART = 0.3
"""The part of a process's life that warms it up: imports, and the first work of every kind, are no growth."""
ALLOWED_PART = 0.15
ALLOWED_MB = 16.0
FEWEST_SAMPLES = 150
"""A process that lived for less than five minutes only warmed up."""


@dataclass
class MemorySamples:
    """Resident memory (MB) of each process since its start, in equal steps of time."""

    by_process: dict[tuple[str, int], list[float]] = field(default_factory=dict)

    def add(self, service: str, pid: int, resident: float) -> None:
        self.by_process.setdefault((service, pid), []).append(resident)


def memory_faults(samples: MemorySamples) -> Iterator[str]:
    """A sentence for each process that grew, if it lived long enough to tell."""
    for (service, pid), values in samples.by_process.items():
        growth = grown(values)
        if growth is not None:
            yield f"{service} (process {pid}) grew from {growth[0]:.0f} to {growth[1]:.0f} MB"


def grown(values: Sequence[float]) -> tuple[float, float] | None:
    """The median after the warm-up and at the end, when the end is higher than allowed."""
    if len(values) < FEWEST_SAMPLES:
        return None
    warm = values[int(len(values) * WARM_PART) :]
    part = len(warm) // 4
    before, after = median(warm[:part]), median(warm[-part:])
    return (before, after) if after > before * (1 + ALLOWED_PART) + ALLOWED_MB else None


def highest(samples: MemorySamples) -> Mapping[str, float]:
    """The most that a process of each service took."""
    found: dict[str, float] = {}
    for (service, _), values in samples.by_process.items():
        found[service] = max([found.get(service, 0.0), *values])
    return found


def resident_mb(pid: int) -> float | None:
    """None when the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon:")), None)
