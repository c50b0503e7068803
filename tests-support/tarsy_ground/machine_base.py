"""The base image as builds on this machine need it: with the machine's authorities and settings of pip."""

import tempfile
from pathlib import Path
from shutil import copyfile

from tarsy_ground.base_image import BASE
from tarsy_ground.engine import Engine

MACHINE_BASE = "tarsy-ground/base:1"
FROM_THE_MACHINE = (Path("/etc/ssl/certs/ca-certificates.crt"), Path("/etc/pip.conf"))
BUILD_SECONDS = 1_200.0
INSPECT_SECONDS = 60.0


def build_machine_base(engine: Engine) -> None:
    """Once: the base may have become this image since."""
    if engine.run("image", "inspect", MACHINE_BASE, seconds=INSPECT_SECONDS).returncode == 0:
        return
    present = [file for file in FROM_THE_MACHINE if file.is_file()]
    with tempfile.TemporaryDirectory() as context:
        for file in present:
            copyfile(file, Path(context, file.name))
        lines = [f"FROM {BASE}", *(f"COPY {file.name} {file}" for file in present)]
        Path(context, "Dockerfile").write_text("\n".join(lines) + "\n", "utf-8")
        build_image(engine, MACHINE_BASE, Path(context))


def build_image(engine: Engine, name: str, context: Path, *options: str) -> None:
    """As Compose builds: with another network each step would be another one, and be made again."""
    engine.demand("build", "--quiet", "--tag", name, *options, str(context), seconds=BUILD_SECONDS)
