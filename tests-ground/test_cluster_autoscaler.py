"""KEDA adds tool gateways where requests wait for one, and takes them away again."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tarsy_ground.cluster.installation import NAMESPACE, Installation
from tarsy_ground.cluster.keda import keda, scaled_object
from tarsy_ground.cluster.processes import frozen_pods
from tarsy_ground.cluster.reconfiguration import ConfiguredTarsy
from tarsy_testing.waiting import wait_until

GATEWAY = "tool-gateway"
DEPLOYMENT = f"deployment/tarsy-{GATEWAY}"
MOST = 3
SETTINGS = (
    "toolGateway.autoscaling.enabled=true",
    "toolGateway.autoscaling.minReplicas=1",
    f"toolGateway.autoscaling.maxReplicas={MOST}",
    "toolGateway.autoscaling.lagThreshold=2",
    "keda.pollingSeconds=1",
    "keda.scaleDownSeconds=1",
    # KEDA asks from a namespace of its own, where the short name means nothing.
    "kafka.bootstrapServers=kafka.tarsy.svc.cluster.local:9092",
)


def test_keda_scales_tool_gateways_on_what_waits_for_them(configured: ConfiguredTarsy, keda_programs: Path) -> None:
    """The only gateway stands still, so that requests wait. Lag alone decides: nobody names a Prometheus."""
    tarsy, door = configured.tarsy, configured.tarsy.door()
    with keda(tarsy.kubectl, keda_programs), _scaled_by_lag(configured):
        with frozen_pods(tarsy.kubectl, GATEWAY):
            sessions = [door.send("patient") for _ in range(2 * MOST)]
            wait_until(lambda: _replicas(tarsy) == MOST)
        assert set(door.ends(sessions).values()) == {"completed"}
        wait_until(lambda: _replicas(tarsy) < MOST)


@contextmanager
def _scaled_by_lag(configured: ConfiguredTarsy) -> Iterator[None]:
    """Afterwards there is one gateway, as before."""
    tarsy = configured.tarsy
    tarsy.run("scale", DEPLOYMENT, "--replicas=1")
    tarsy.run("rollout", "status", DEPLOYMENT, "--timeout=120s")
    try:
        manifest = tarsy.rendered("scaledobjects.yaml", configured.files, *SETTINGS)
        with scaled_object(tarsy.kubectl, NAMESPACE, manifest):
            yield
    finally:
        tarsy.run("scale", DEPLOYMENT, "--replicas=1")


def _replicas(tarsy: Installation) -> int:
    return int(tarsy.run("get", DEPLOYMENT, "--output=jsonpath={.spec.replicas}"))
