"""Check of the disk: free space where `tarsy up` keeps its data and logs."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

from tarsy_cli.console.units import format_size
from tarsy_cli.doctor.findings import CheckResult, failure, ok, warning
from tarsy_cli.doctor.setup import Setup

FAILURE_BYTES = 500_000_000
"""With less, `tarsy up` does not start its Kafka and PostgreSQL."""
WARNING_BYTES = 5_000_000_000
FOLDERS = ("", "kafka", "postgres")
REMEDY = "Make room: a session takes some megabytes on Kafka, mostly for raw results."


async def check_disk(setup: Setup) -> AsyncIterator[CheckResult]:
    """Folders on one disk are one finding."""
    disks: dict[int, Path] = {}
    for name in FOLDERS:
        folder = _nearest_folder(setup.home.absolute() / name)
        disks.setdefault(folder.stat().st_dev, folder)
    for folder in disks.values():
        yield _judge_free_space(folder, shutil.disk_usage(folder).free)


def _nearest_folder(folder: Path) -> Path:
    """The folder, or the one in which it would be made."""
    return next(parent for parent in (folder, *folder.parents) if parent.is_dir())


def _judge_free_space(path: Path, free: int) -> CheckResult:
    if free < FAILURE_BYTES:
        return failure(f"{path} has {format_size(free)} left.", REMEDY)
    if free < WARNING_BYTES:
        return warning(f"{path} has {format_size(free)} left.", REMEDY)
    return ok(f"{path} has {format_size(free)} left.")
