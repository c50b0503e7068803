"""Control groups of our own, in every hierarchy of the machine."""

import os
import time
from contextlib import suppress
from pathlib import Path

CONTROL_GROUPS = Path("/sys/fs/cgroup")
CPUSET = ("cpuset.cpus", "cpuset.mems")
STOP_SECONDS = 10.0
LOOK_SECONDS = 0.1


def add_control_groups(name: str) -> None:
    """A new group of cpuset is empty, and would take no process."""
    for hierarchy in _hierarchies():
        group = hierarchy / name
        group.mkdir(exist_ok=True)
        for setting in CPUSET:
            if (hierarchy / setting).is_file():
                (group / setting).write_text((hierarchy / setting).read_text("ascii"), "ascii")


def remove_control_groups(name: str) -> None:
    """A group can be removed when its last process is gone, which the kernel may be a moment late with."""
    deadline = time.monotonic() + STOP_SECONDS
    while groups := control_groups(name):
        for group in groups:
            with suppress(OSError):
                group.rmdir()
        if time.monotonic() > deadline:
            raise RuntimeError(f"processes are left in {', '.join(map(str, groups))}")
        time.sleep(LOOK_SECONDS)


def control_groups(name: str) -> list[Path]:
    """The innermost first."""
    tops = [*CONTROL_GROUPS.glob(name), *CONTROL_GROUPS.glob(f"*/{name}")]
    return [Path(folder) for top in tops for folder, _, _ in os.walk(top, topdown=False)]


def processes_in(name: str) -> list[int]:
    """As the machine numbers them; those of groups inside it, too."""
    members = [(group / "cgroup.procs").read_text("ascii").split() for group in control_groups(name)]
    return sorted({int(process) for group in members for process in group})


def _hierarchies() -> list[Path]:
    """One with cgroup v2 alone, else one for each controller."""
    files = [*CONTROL_GROUPS.glob("cgroup.procs"), *CONTROL_GROUPS.glob("*/cgroup.sane_behavior")]
    return sorted({file.parent.resolve() for file in files} | {CONTROL_GROUPS / "systemd"})
