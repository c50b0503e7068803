"""TARSy on a real node of Kubernetes: installed as the manual says, and tried."""

import sys
from pathlib import Path

from tarsy_ground.cluster.installation import RELEASE, Installation

ROOT = Path(__file__).resolve().parent.parent


def test_the_demo_ends_well(tarsy: Installation) -> None:
    with tarsy.port_forward() as url:
        incident = str(ROOT / "examples" / "incidents" / "crash-loop")
        told = tarsy.kubectl.command(sys.executable, "-m", "tarsy_cli", "demo", "--url", url, "--incident", incident)
    assert "completed" in told


def test_helm_test_ends_well_and_shows_its_log(tarsy: Installation) -> None:
    told = tarsy.helm("test", RELEASE, "--logs")
    assert "Phase:          Succeeded" in told
    assert "POD LOGS" in told
