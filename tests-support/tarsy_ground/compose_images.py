"""The images of docker-compose.yml that are not ours, under the names that it has for them."""

from pathlib import Path

from tarsy_ground.base_image import BASE
from tarsy_ground.engine import Engine
from tarsy_ground.kept_images import SECONDS
from tarsy_ground.machine_base import MACHINE_BASE, build_machine_base
from tarsy_ground.stand_ins import KEPT_MONITORING, KEPT_STAND_INS


def provide_images(engine: Engine, cache: Path) -> None:
    """Afterwards the base that deploy/Dockerfile names has the machine's authorities, too."""
    for kept in (KEPT_STAND_INS, KEPT_MONITORING):
        engine.demand("load", "--quiet", "--input", str(kept.archive(cache, lambda: engine)), seconds=SECONDS)
    build_machine_base(engine)
    engine.demand("tag", MACHINE_BASE, BASE, seconds=SECONDS)
