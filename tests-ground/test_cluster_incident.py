"""The real thing: a Deployment crash-loops, Alertmanager tells TARSy, and its agents read this very cluster."""

import json
from pathlib import Path

from tarsy_ground.cluster.alertmanager import alertmanager
from tarsy_ground.cluster.reconfiguration import ConfiguredTarsy
from tarsy_testing.waiting import wait_until

FOUND = "/api/v1/sessions?alert_type=PodCrashLooping"
ACCOUNT = "system:serviceaccount:tarsy:tarsy-tool-gateway"
READING = {"get", "list", "watch"}
OF_EVERYBODY = {"selfsubjectreviews", "selfsubjectaccessreviews", "selfsubjectrulesreviews"}
"""Questions about oneself: they are asked by making an object, which nobody keeps."""


def test_a_real_crash_loop_is_explained_and_nothing_is_written(configured: ConfiguredTarsy, tmp_path: Path) -> None:
    tarsy, door = configured.tarsy, configured.tarsy.door()
    wait_until(lambda: "CrashLoopBackOff" in _payments(configured))
    labels = {"alertname": "PodCrashLooping", "namespace": "payments", "pod": configured.pod, "severity": "critical"}
    with alertmanager(tarsy, tmp_path) as send:
        send(labels)
        wait_until(lambda: bool(door.ask(FOUND).json()["sessions"]))
    session = str(door.ask(FOUND).json()["sessions"][0]["id"])
    assert door.ends([session]) == {session: "completed"}
    assert "DATABASE_HOST is not set" in json.dumps(door.session(session))
    assert configured.pod in _payments(configured)


def test_the_account_of_agents_may_read_and_sees_no_secret(configured: ConfiguredTarsy) -> None:
    listed = configured.tarsy.kubectl.run("auth", "can-i", "--list", f"--as={ACCOUNT}", "--no-headers")
    rights = [line for line in listed.splitlines() if line.partition(".")[0].partition(" ")[0] not in OF_EVERYBODY]
    verbs = {verb for line in rights for verb in line.rpartition("[")[2].strip("] ").split()}
    assert len(rights) > 20
    assert verbs == READING
    assert not [line for line in rights if line.startswith(("secrets", "*"))]


def _payments(configured: ConfiguredTarsy) -> str:
    return configured.tarsy.kubectl.run("get", "pods", "--namespace=payments", "--no-headers")
