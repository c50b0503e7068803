"""The images of the cluster."""

import tempfile
from pathlib import Path
from shutil import copyfile

from tarsy_ground import programs
from tarsy_ground.base_image import BASE
from tarsy_ground.cluster.addresses import COREDNS, PAUSE
from tarsy_ground.cluster.earlier import EARLIER, TARSY_EARLIER, check_out_earlier
from tarsy_ground.engine import Engine
from tarsy_ground.kept_images import KeptImages, state_of
from tarsy_ground.machine_base import build_image, build_machine_base
from tarsy_ground.product_image import build_product
from tarsy_ground.stand_ins import KEPT_STAND_INS


def cluster_images(coredns: Path) -> tuple[KeptImages, ...]:
    """All but that of today's code. `coredns` is its program."""
    return (
        KeptImages(
            "node", state_of(programs.COREDNS.version), (PAUSE, COREDNS), lambda engine: _build_own(engine, coredns)
        ),
        KEPT_STAND_INS,
        KeptImages("earlier", EARLIER[:12], (TARSY_EARLIER,), _build_earlier),
    )


def _build_own(engine: Engine, coredns: Path) -> None:
    _build_from_base(engine, PAUSE, ['CMD ["sleep", "infinity"]'])
    _build_from_base(engine, COREDNS, [f"COPY {coredns.name} /coredns", 'ENTRYPOINT ["/coredns"]'], coredns)


def _build_from_base(engine: Engine, name: str, lines: list[str], *files: Path) -> None:
    with tempfile.TemporaryDirectory() as context:
        Path(context, "Dockerfile").write_text("\n".join([f"FROM {BASE}", *lines]) + "\n", "utf-8")
        for file in files:
            copyfile(file, Path(context, file.name))
            Path(context, file.name).chmod(0o755)
        build_image(engine, name, Path(context))


def _build_earlier(engine: Engine) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check_out_earlier(Path(folder))
        build_machine_base(engine)
        build_product(engine, "tarsy-demo", TARSY_EARLIER, Path(folder))
