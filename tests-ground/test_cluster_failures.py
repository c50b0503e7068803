"""Investigations outlive their pods: killed at once, or evicted from a node that is drained."""

from tarsy_ground.cluster.addresses import NODE
from tarsy_ground.cluster.installation import PODS
from tarsy_ground.cluster.reconfiguration import ConfiguredTarsy

SERVICES = 7
CHECK = "app.kubernetes.io/component!=check"
"""The pod of `helm test` has no controller that would make it again."""


def test_investigations_outlive_pods_that_are_killed(configured: ConfiguredTarsy) -> None:
    tarsy, door = configured.tarsy, configured.tarsy.door()
    sessions = [door.send("patient") for _ in range(6)]
    tarsy.run("delete", "pods", f"--selector={PODS}", "--force", "--grace-period=0")
    sessions += [door.send("patient") for _ in range(3)]
    assert set(door.ends(sessions).values()) == {"completed"}


def test_budgets_let_a_drain_take_the_only_pod_of_a_service(configured: ConfiguredTarsy) -> None:
    """Its successor waits for a node: this one, once that takes pods again."""
    tarsy, door = configured.tarsy, configured.tarsy.door()
    tarsy.wait_until_available()
    assert len(tarsy.run("get", "poddisruptionbudgets", "--no-headers").splitlines()) == SERVICES
    sessions = [door.send("patient") for _ in range(6)]
    drain = ("drain", NODE, f"--pod-selector={PODS},{CHECK}", "--delete-emptydir-data", "--timeout=90s")
    try:
        assert "drained" in tarsy.kubectl.run(*drain)
    finally:
        tarsy.kubectl.run("uncordon", NODE)
    assert set(door.ends(sessions).values()) == {"completed"}
