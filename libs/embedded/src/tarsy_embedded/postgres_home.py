"""Where PostgreSQL lives and as whom it runs."""

import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tarsy_embedded.errors import EmbeddedError
from tarsy_processes.child import launch_command
from tarsy_processes.run_as import RunAs

# libpq and initdb obey PG*, the locale and the time zone of the environment: they get none of these.
ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC", "PATH": os.defpath}

# A working directory that every user can enter.
ANYWHERE = Path("/")


@dataclass(frozen=True)
class PostgresHome:
    # Holds the cluster, in `data`.
    folder: Path
    programs: Path
    run_as: RunAs

    def run(self, program: str, arguments: Sequence[str], stdin: str = "") -> None:
        """Run one of PostgreSQL's programs to its end, as the user that the server runs as."""
        command = self._launch_command([str(self.programs / program), *arguments])
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
            cwd=ANYWHERE,
            timeout=120,
            check=False,
        )
        if done.returncode != 0:
            raise EmbeddedError(f"PostgreSQL's {program} failed, which it explains so: {done.stderr.strip()}")

    def refusal(self) -> str:
        """Why the server could not run here; empty when it can.

        Only an attempt can tell. The change of user may be forbidden, and inside a namespace even root may not enter
        the parent folders.
        """
        postgres = self.programs / "postgres"
        probe = ["/bin/sh", "-c", 'test -w "$1" && test -x "$2"', "sh", str(self.folder), str(postgres)]
        tried = subprocess.run(
            self._launch_command(probe), capture_output=True, text=True, cwd=ANYWHERE, timeout=60, check=False
        )
        if tried.returncode == 0:
            return ""
        return tried.stderr.strip() or f"a user other than root cannot enter {self.folder} or run {postgres}"

    def give(self, path: Path) -> None:
        """Let the server's user own a file or folder of ours."""
        if self.run_as.user == "setuid":
            os.chown(path, self.run_as.uid, self.run_as.gid)

    def _launch_command(self, command: Sequence[str]) -> list[str]:
        return launch_command(command, self.run_as, signal.SIGKILL)
