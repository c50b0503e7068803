"""TARSy on a real node of Kubernetes: installed as the manual says, and tried."""

import sys
from pathlib import Path

from tarsy_ground.cluster.installation import RELEASE, Installation
from tarsy_ground.cluster.kubectl import Kubectl
from tarsy_ground.traces import traces

ROOT = Path(__file__).resolve().parent.parent


def test_traces_of_a_running_node_are_found(node: Kubectl) -> None:
    """None of them is left when it has ended: its fixture sees to that."""
    found = {trace.partition(" ")[0] for trace in traces(node.sandbox.network.name, node.sandbox.folder)}
    assert found == {"link", "namespace", "rule", "group", "process"}


def test_the_demo_ends_well(tarsy: Installation) -> None:
    incident = str(ROOT / "examples" / "incidents" / "crash-loop")
    key = f"TARSY_API_KEY={tarsy.keys.operator}"
    with tarsy.port_forward() as url:
        demo = ("-m", "tarsy_cli", "demo", "--url", url, "--incident", incident)
        told = tarsy.kubectl.command("/usr/bin/env", key, sys.executable, *demo)
    assert "completed" in told


def test_helm_test_ends_well_and_shows_its_log(tarsy: Installation) -> None:
    told = tarsy.helm("test", RELEASE, "--logs")
    assert "Phase:          Succeeded" in told
    assert "POD LOGS" in told
