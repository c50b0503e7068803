"""The images of the cluster, built by the engine once for each state of their sources, and kept as archives."""

import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

from tarsy_embedded.lock import one_at_a_time
from tarsy_ground import programs
from tarsy_ground.base_image import BASE
from tarsy_ground.cluster.addresses import COREDNS, PAUSE
from tarsy_ground.cluster.earlier import EARLIER, TARSY_EARLIER, check_out_earlier
from tarsy_ground.engine import Engine
from tarsy_ground.machine_base import build_image, build_machine_base
from tarsy_ground.product_image import TARSY, TARSY_DEMO, build_product, product_digest
from tarsy_ground.stand_ins import FOLDER, STAND_INS, build_stand_in

SAVE_SECONDS = 300.0
IMAGES = (PAUSE, COREDNS, *STAND_INS, TARSY, TARSY_DEMO)


def images_archive(cache: Path) -> Path:
    """Where it lies, or will."""
    digest = hashlib.sha256(f"{product_digest()} {programs.COREDNS.version}".encode())
    for file in sorted(file for file in FOLDER.rglob("*") if file.is_file()):
        digest.update(file.read_bytes())
    return cache / f"images-{digest.hexdigest()[:12]}.tar"


def build_archive(engine: Engine, coredns: Path, archive: Path) -> None:
    """Older archives are removed: each has half a gigabyte."""
    with one_at_a_time(archive.with_name("images.lock")):
        if archive.is_file():
            return
        _build_images(engine, coredns)
        for older in archive.parent.glob("images-*.tar"):
            older.unlink()
        _save(engine, archive, *IMAGES)


def earlier_archive(cache: Path) -> Path:
    return cache / f"earlier-{EARLIER[:12]}.tar"


def build_earlier_archive(engine: Engine, archive: Path) -> None:
    """The image of `EARLIER`."""
    with one_at_a_time(archive.with_name("earlier.lock")), tempfile.TemporaryDirectory() as folder:
        if archive.is_file():
            return
        check_out_earlier(Path(folder))
        build_machine_base(engine)
        build_product(engine, "tarsy-demo", TARSY_EARLIER, Path(folder))
        _save(engine, archive, TARSY_EARLIER)


def _save(engine: Engine, archive: Path, *images: str) -> None:
    unfinished = archive.with_suffix(".unfinished")
    done = engine.run("save", "--output", str(unfinished), *images, seconds=SAVE_SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"docker save: {done.stderr}")
    unfinished.replace(archive)


def _build_images(engine: Engine, coredns: Path) -> None:
    for name, lines, files in _own_images(coredns):
        with tempfile.TemporaryDirectory() as context:
            Path(context, "Dockerfile").write_text("\n".join([f"FROM {BASE}", *lines]) + "\n", "utf-8")
            for file in files:
                copyfile(file, Path(context, file.name))
                Path(context, file.name).chmod(0o755)
            build_image(engine, name, Path(context))
    for name in STAND_INS:
        build_stand_in(engine, name)
    build_machine_base(engine)
    for name, target in ((TARSY, "tarsy"), (TARSY_DEMO, "tarsy-demo")):
        build_product(engine, target, name)


def _own_images(coredns: Path) -> Iterator[tuple[str, list[str], list[Path]]]:
    yield PAUSE, ['CMD ["sleep", "infinity"]'], []
    yield COREDNS, [f"COPY {coredns.name} /coredns", 'ENTRYPOINT ["/coredns"]'], [coredns]
