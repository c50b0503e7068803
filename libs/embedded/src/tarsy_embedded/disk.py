"""The space that a server needs before it is worth starting."""

import shutil
from pathlib import Path

from tarsy_embedded.errors import DiskFullError

NEEDED_MEGABYTES = 500


def free_megabytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free // 1_000_000


def require_space(folder: Path) -> None:
    free = free_megabytes(folder)
    if free < NEEDED_MEGABYTES:
        raise DiskFullError(folder, free, NEEDED_MEGABYTES)
