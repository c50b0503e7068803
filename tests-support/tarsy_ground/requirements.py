"""Requirements of a real engine."""

import os
import sys

PROGRAMS = ("/usr/bin/docker", "containerd", "ctr", "dockerd", "ip", "iptables", "mmdebstrap", "nsenter", "unshare")


def missing_requirements(*, system: str = sys.platform, user: int | None = None) -> list[str]:
    """One sentence for each want but programs; none where the engine can be started."""
    lacks = [] if system == "linux" else [f"It needs Linux, and this is {system}."]
    if (os.geteuid() if user is None else user) != 0:
        lacks.append("Only root may start it.")
    return lacks
