"""debian:trixie-slim from Debian's own packages, where no registry of images answers."""

import subprocess
from pathlib import Path

from tarsy_embedded.lock import one_at_a_time
from tarsy_ground.engine import Engine

SUITE = "trixie"
BASE = "debian:trixie-slim"
SECONDS = 600


def import_base(engine: Engine, cache: Path) -> None:
    """The archive is made once; a newer one is made where it was deleted."""
    cache.mkdir(parents=True, exist_ok=True)
    archive = cache / f"debian-{SUITE}.tar"
    with one_at_a_time(cache / "debian.lock"):
        if not archive.is_file():
            _make_archive(archive)
    engine.demand("import", str(archive), BASE, seconds=SECONDS)


def _make_archive(archive: Path) -> None:
    unfinished = archive.with_suffix(".unfinished.tar")
    command = ["mmdebstrap", "--quiet", "--variant=minbase", "--include=ca-certificates", SUITE, str(unfinished)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"mmdebstrap: {done.stderr[-2_000:]}")
    unfinished.replace(archive)
