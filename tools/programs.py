"""Installs the programs that tests need and the machine lacks: packages of Debian or Ubuntu, and helm, which Go builds.

It runs on any Python 3, as root or with sudo. Without them `make test-all` leaves out the tests that need them.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
TABLE = TOOLS / "programs.txt"
INSTALL_SECONDS = 1_200


def packages():
    """The package of each program."""
    lines = TABLE.read_text("utf-8").splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def install(names):
    if shutil.which("apt-get") is None:
        sys.exit(f"There is no apt-get here. Install what has these, by your own means: {', '.join(names)}")
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    # Some packages start a server of their own when they are installed; RUNLEVEL=1 keeps them from it.
    for command in (
        ["apt-get", "update", "-qq"],
        ["env", "RUNLEVEL=1", "apt-get", "install", "-y", "-qq", "--no-install-recommends", *names],
    ):
        subprocess.run([*sudo, *command], check=True, timeout=INSTALL_SECONDS, stdin=subprocess.DEVNULL)


def main():
    missing = sorted({package for program, package in packages().items() if shutil.which(program) is None})
    if missing:
        install(missing)
    subprocess.run([sys.executable, str(TOOLS / "helm.py")], check=True)


if __name__ == "__main__":
    main()
