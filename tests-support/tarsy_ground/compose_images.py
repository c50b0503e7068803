"""The images of docker-compose.yml that are not ours: built once for each state of their sources, and kept."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from tarsy_embedded.jars import jars_folder
from tarsy_embedded.lock import one_at_a_time
from tarsy_ground.base_image import BASE
from tarsy_ground.engine import Engine
from tarsy_ground.machine_base import MACHINE_BASE, build_machine_base
from tarsy_ground.stand_ins import FOLDER, MONITORING, STAND_INS, build_stand_in

NAMES = (*STAND_INS, *MONITORING)
SECONDS = 300.0


def provide_images(engine: Engine, cache: Path) -> None:
    """Afterwards the base that deploy/Dockerfile names has the machine's authorities, too."""
    archive = cache / f"compose-images-{_digest(cache)}.tar"
    with one_at_a_time(cache / "compose-images.lock"):
        if archive.is_file():
            _run(engine, "load", "--quiet", "--input", str(archive))
        else:
            _build(engine, archive)
    build_machine_base(engine)
    _run(engine, "tag", MACHINE_BASE, BASE)


def _build(engine: Engine, archive: Path) -> None:
    for name in NAMES:
        build_stand_in(engine, name)
    for older in archive.parent.glob("compose-images-*.tar"):
        older.unlink()
    unfinished = archive.with_suffix(".unfinished")
    _run(engine, "save", "--output", str(unfinished), *NAMES)
    unfinished.replace(archive)


def _digest(cache: Path) -> str:
    digest = hashlib.sha256(jars_folder(cache).name.encode())
    for file in sorted(_files([FOLDER / folder for folder in {**STAND_INS, **MONITORING}.values()])):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _files(folders: Sequence[Path]) -> list[Path]:
    return [file for folder in folders for file in folder.rglob("*") if file.is_file()]


def _run(engine: Engine, *arguments: str) -> None:
    done = engine.run(*arguments, seconds=SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"docker {arguments[0]}: {done.stderr}")
