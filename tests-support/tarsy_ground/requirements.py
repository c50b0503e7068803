"""Lists the requirements of a real engine that a machine lacks."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping

PACKAGES: Mapping[str, str] = {
    "containerd": "containerd",
    "ctr": "containerd",
    "dockerd": "docker.io",
    "ip": "iproute2",
    "iptables": "iptables",
    "mmdebstrap": "mmdebstrap",
    "nsenter": "util-linux",
    "unshare": "util-linux",
}
"""Programs, and Debian's packages that have them."""


def missing_requirements(
    *, system: str = sys.platform, user: int | None = None, find: Callable[[str], str | None] = shutil.which
) -> list[str]:
    """One sentence for each; none where the engine can be started."""
    lacks = [] if system == "linux" else [f"It needs Linux, and this is {system}."]
    if (os.geteuid() if user is None else user) != 0:
        lacks.append("Only root may start it.")
    packages = sorted({package for program, package in PACKAGES.items() if find(program) is None})
    if packages:
        lacks.append(f"Programs are missing: apt-get install {' '.join(packages)}")
    return lacks
