"""Requirements of a real engine."""

import os
import re
import sys
from pathlib import Path

from tarsy_ground.control_groups import CONTROL_GROUPS

PROGRAMS = ("/usr/bin/docker", "containerd", "ctr", "dockerd", "ip", "iptables", "mmdebstrap", "nsenter", "unshare")
RIGHTS = 1 << 12 | 1 << 21
"""CAP_NET_ADMIN and CAP_SYS_ADMIN, as the kernel numbers them."""
STATUS = Path("/proc/self/status")


def missing_requirements(
    *, system: str = sys.platform, user: int | None = None, status: Path = STATUS, groups: Path = CONTROL_GROUPS
) -> list[str]:
    """One sentence for each want but programs; none where the engine can be started."""
    if system != "linux":
        return [f"It needs Linux, and this is {system}."]
    lacks = [] if (os.geteuid() if user is None else user) == 0 else ["Only root may start it."]
    found = re.search(r"^CapEff:\s*(\w+)$", status.read_text("ascii"), re.MULTILINE)
    if found is None or int(found[1], 16) & RIGHTS != RIGHTS:
        lacks.append("It has to administer networks and mounts, which a container without `--privileged` may not.")
    if not os.access(groups, os.W_OK):
        lacks.append(f"It makes control groups, and {groups} may not be written to.")
    return lacks
