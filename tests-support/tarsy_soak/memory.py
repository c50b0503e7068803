"""Memory of the processes of a soak over time, and whether it is flat. Pure, but for `resident_mb`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import median

from tarsy_soak.progress import Interval

ALLOWED_PART = 0.15
ALLOWED_MB = 16.0
FEWEST_SAMPLES = 150
"""A process that lived for less than five minutes only warmed up."""
STEPS = 30
"""The second half of a life is judged by the medians of so many stretches: a peak is no growth."""
GATEWAY = "tool-gateway"
RETURNED_PART = 1.5
RETURNED_AFTER_SECONDS = 60.0
LOOKED_AT_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Sample:
    """`at`: seconds since 1970."""

    at: float
    mb: float


@dataclass
class MemorySamples:
    """Resident memory of each process since its start, in equal steps of time."""

    by_process: dict[tuple[str, int], list[Sample]] = field(default_factory=dict)

    def add(self, service: str, pid: int, sample: Sample) -> None:
        self.by_process.setdefault((service, pid), []).append(sample)


def memory_faults(samples: MemorySamples) -> Iterator[str]:
    """A sentence for each process that grew, if it lived long enough to tell."""
    for (service, pid), values in samples.by_process.items():
        growth = grown([one.mb for one in values])
        if growth is not None:
            yield f"{service} (process {pid}) grew from {growth[0]:.0f} to {growth[1]:.0f} MB in its second half"


def grown(values: Sequence[float]) -> tuple[float, float] | None:
    """The ends of the line through the second half of a life, when the line rises by more than allowed.

    Its slope is the median of those between any two stretches, as Theil and Sen have it.
    """
    if len(values) < FEWEST_SAMPLES:
        return None
    half = values[len(values) // 2 :]
    steps = [median(half[n * len(half) // STEPS : (n + 1) * len(half) // STEPS]) for n in range(STEPS)]
    slope = median((after - before) / (n - m) for (m, before), (n, after) in combinations(enumerate(steps), 2))
    rise = slope * (STEPS - 1)
    before = median(steps) - rise / 2
    return (before, before + rise) if rise > before * ALLOWED_PART + ALLOWED_MB else None


def kept_memory(samples: MemorySamples, hostile: Sequence[Interval]) -> Iterator[str]:
    """Tool gateways that have not given back, a minute later, what hostile servers made them take."""
    for number, one in enumerate(hostile):
        looked_at = Interval(one.end + RETURNED_AFTER_SECONDS, one.end + RETURNED_AFTER_SECONDS + LOOKED_AT_SECONDS)
        if any(later.begin < looked_at.end for later in hostile[number + 1 :]):
            continue
        for (service, pid), values in samples.by_process.items():
            before = _median_in(values, Interval(one.begin - LOOKED_AT_SECONDS, one.begin))
            after = _median_in(values, looked_at)
            if service == GATEWAY and before and after and after > before * RETURNED_PART:
                sizes = f"{before:.0f} MB before hostile servers and {after:.0f} MB a minute after"
                yield f"{service} (process {pid}) had {sizes}"


def _median_in(values: Sequence[Sample], when: Interval) -> float | None:
    found = [one.mb for one in values if when.begin <= one.at <= when.end]
    return median(found) if found else None


def highest(samples: MemorySamples) -> Mapping[str, float]:
    """The most that a process of each service took."""
    found: dict[str, float] = {}
    for (service, _), values in samples.by_process.items():
        found[service] = max([found.get(service, 0.0), *(one.mb for one in values)])
    return found


def resident_mb(pid: int) -> float | None:
    """None when the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon:")), None)
