"""Check of the disk: free space where `tarsy up` keeps its data and logs."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

from tarsy_cli.doctor.findings import CheckResult, failed, ok, warning
from tarsy_cli.doctor.setup import Setup
from tarsy_cli.units import sized

FAILURE_BYTES = 500_000_000
"""With less, `tarsy up` does not start its Kafka and PostgreSQL."""
WARNING_BYTES = 5_000_000_000
FOLDERS = ("", "kafka", "postgres")
REMEDY = "Make room: a session takes some megabytes on Kafka, mostly for raw results."


async def check_disk(setup: Setup) -> AsyncIterator[CheckResult]:
    """Folders on one disk are one finding."""
    disks: dict[int, Path] = {}
    for name in FOLDERS:
        place = _nearest(setup.home.absolute() / name)
        disks.setdefault(place.stat().st_dev, place)
    for place in disks.values():
        yield _judge(place, shutil.disk_usage(place).free)


def _nearest(folder: Path) -> Path:
    """The folder, or the one in which it would be made."""
    return next(place for place in (folder, *folder.parents) if place.is_dir())


def _judge(place: Path, free: int) -> CheckResult:
    if free < FAILURE_BYTES:
        return failed(f"{place} has {sized(free)} left.", REMEDY)
    if free < WARNING_BYTES:
        return warning(f"{place} has {sized(free)} left.", REMEDY)
    return ok(f"{place} has {sized(free)} left.")
