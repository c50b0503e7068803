"""A minute of `make soak`: everything fails around a TARSy under load, nothing is lost."""

import re
import shutil
from pathlib import Path

import pytest

from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.up import ROOT, Tarsy, environment

pytestmark = pytest.mark.timeout(1_200)

SEED = 1
MINUTES = 1
EVERY_SECONDS = 5
SECONDS = 1_000.0


@pytest.fixture
def checkout(tmp_path: Path, incidents: Path) -> Path:
    """The parts that a soak reads of the checkout, with the short log: the long one would be most of its work."""
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "config", root / "config")
    shutil.copytree(incidents, root / "examples" / "incidents")
    return root


def test_nothing_is_lost_and_no_service_stays_down_while_everything_fails(
    tmp_path: Path, checkout: Path, forks: ServiceForks
) -> None:
    tarsy = Tarsy(
        tmp_path, checkout / "config", environment(PYTHONPATH=str(ROOT / "tests-support")), root=checkout, forks=forks
    )
    try:
        soak = tarsy.start_alone(
            "--minutes", str(MINUTES), "--seed", str(SEED), "--every", str(EVERY_SECONDS), module="tarsy_soak"
        )
        code = soak.wait(SECONDS)
        assert code == 0, soak.output
        assert "Every accepted alert and question ended once" in soak.output
        assert re.search(r"and [1-9]\d* questions were accepted", soak.output), soak.output
        assert "kafka and postgresql" in soak.output.replace("postgresql and kafka", "kafka and postgresql")
    finally:
        tarsy.end()
