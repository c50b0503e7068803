"""KEDA on the node: its own manifests, with the programs of this machine in the place of its images."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tarsy_ground.cluster.addresses import PAUSE
from tarsy_ground.cluster.kubectl import Kubectl

NAMESPACE = "keda"
PROGRAMS = {"keda-operator": "operator", "keda-metrics-apiserver": "adapter"}
"""By the name of their Deployment and container."""
PLACE = "/programs"
NOBODY = 65534
API = "apiservice/v1beta1.external.metrics.k8s.io"
SECONDS = 120


@contextmanager
def keda(kubectl: Kubectl, programs: Path) -> Iterator[None]:
    """It answers the API server. All its manifests are deleted with the context."""
    manifest = _manifest(kubectl, programs)
    # Its definitions are too large for the annotation that the client would keep.
    kubectl.apply(manifest, "--server-side")
    try:
        kubectl.run("wait", "--for=condition=Available", API, f"--timeout={SECONDS}s")
        yield
    finally:
        kubectl.delete(manifest, "--wait=false")


@contextmanager
def scaled_object(kubectl: Kubectl, namespace: str, manifest: str) -> Iterator[None]:
    """It is gone with the context: KEDA has to take its finalizer away before it goes itself."""
    kubectl.apply(manifest, f"--namespace={namespace}")
    try:
        yield
    finally:
        kubectl.delete(manifest, f"--namespace={namespace}", f"--timeout={SECONDS}s")


def _manifest(kubectl: Kubectl, programs: Path) -> str:
    manifests = list(yaml.safe_load_all(kubectl.run("kustomize", str(programs / "config" / "minimal"))))
    for manifest in manifests:
        if manifest["kind"] == "Deployment":
            _run_from(programs, manifest["spec"]["template"]["spec"])
    return yaml.safe_dump_all(manifests)


def _run_from(programs: Path, pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    container |= {
        "image": PAUSE,
        "imagePullPolicy": "Never",
        "command": [f"{PLACE}/{PROGRAMS[container['name']]}"],
    }
    container["securityContext"]["runAsUser"] = NOBODY
    container["volumeMounts"].append({"name": "programs", "mountPath": PLACE, "readOnly": True})
    container["readinessProbe"] |= {"initialDelaySeconds": 1, "periodSeconds": 1}
    pod["volumes"].append({"name": "programs", "hostPath": {"path": str(programs), "type": "Directory"}})
