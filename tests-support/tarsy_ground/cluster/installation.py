"""TARSy in the cluster: as docs/how-to/try-on-a-laptops-cluster.md has it, with keys, and tools for Kubernetes."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pydantic import JsonValue

from tarsy_ground.cluster.access import Keys
from tarsy_ground.cluster.configuration import SETTINGS
from tarsy_ground.cluster.doors import Door
from tarsy_ground.cluster.kubectl import Kubectl
from tarsy_ground.product_image import ROOT
from tarsy_testing.chart import CHART, HELM

NAMESPACE = "tarsy"
RELEASE = "tarsy"
PODS = f"app.kubernetes.io/instance={RELEASE}"
"""The label of all pods of the release."""
LAPTOP = ROOT / "examples" / "laptop"
PORT = 18080
SECONDS = 330.0


@dataclass(frozen=True, slots=True)
class Edition:
    """A chart, with the image that belongs to it, and settings that it knows."""

    chart: Path
    tag: str
    settings: tuple[str, ...] = ()


BASE_PATH = "/tarsy"
"""Addresses are below it, and for whom no Ingress leads also without it."""
CURRENT = Edition(CHART, "0.1.0", (f"http.basePath={BASE_PATH}",))


@dataclass(frozen=True, slots=True)
class Installation:
    """`mcp_server` is the folder of the program of kubernetes-mcp-server."""

    kubectl: Kubectl
    keys: Keys
    mcp_server: Path

    def helm(self, *arguments: str) -> str:
        return self.kubectl.command(str(HELM), "--namespace", NAMESPACE, *arguments, seconds=SECONDS)

    def run(self, *arguments: str) -> str:
        """kubectl, in the namespace."""
        return self.kubectl.run("--namespace", NAMESPACE, *arguments)

    def install(self, files: Mapping[str, Path], edition: Edition = CURRENT) -> str:
        """Installs, or upgrades. `files` are those of the ConfigMap."""
        options = self._options(files, edition)
        return self.helm("upgrade", "--install", RELEASE, str(edition.chart), *options, "--wait", "--timeout=5m")

    def change_configuration(self, files: Mapping[str, Path]) -> None:
        """Changes the ConfigMap alone: no pod is given anything else."""
        self.kubectl.apply(self.rendered("configmap.yaml", files), f"--namespace={NAMESPACE}")

    def rendered(self, template: str, files: Mapping[str, Path], *settings: str) -> str:
        """The manifests of one template of the chart, with these settings beside those of the installation."""
        options = [*self._options(files, CURRENT), *_set(*settings), f"--show-only=templates/{template}"]
        # helm remarks on symbolic links before its output begins.
        return self.helm("template", RELEASE, str(CURRENT.chart), *options).partition("---\n")[2]

    def _options(self, files: Mapping[str, Path], edition: Edition) -> list[str]:
        values = (edition.chart / "small-values.yaml", LAPTOP / "values.yaml", SETTINGS / "values.yaml")
        options = [part for file in values for part in ("--values", str(file))]
        for name, file in files.items():
            escaped = name.replace(".", "\\.")
            options += ["--set-file", f"config.files.{escaped}={file}"]
        path = f"toolGateway.extraVolumes[0].hostPath.path={self.mcp_server}"
        return [*options, *_set(f"image.tag={edition.tag}", path, *edition.settings)]

    def pods(self) -> dict[str, str]:
        """The component of each pod, by a text that is another one after a restart."""
        listed = json.loads(self.run("get", "pods", "--selector", PODS, "--output=json"))["items"]
        return {
            f"{pod['metadata']['name']} {pod['status']['containerStatuses'][0]['restartCount']}": pod["metadata"][
                "labels"
            ]["app.kubernetes.io/component"]
            for pod in listed
            if pod["status"].get("containerStatuses")
        }

    def door(self, service: str = RELEASE) -> Door:
        address = self.run("get", "service", service, "--output=jsonpath={.spec.clusterIP}:{.spec.ports[0].port}")
        return Door(self.kubectl.sandbox.network, f"http://{address}", self.keys.operator)

    def write_keys(self, sections: Mapping[str, JsonValue] = MappingProxyType({}), **others: str) -> None:
        """Into the Secret with auth.yaml: those that always hold, `others` by their names, and further sections."""
        self.kubectl.apply(self.keys.secret(NAMESPACE, others, sections))

    def wait_until_available(self) -> None:
        self.run("wait", "--for=condition=Available", "deployment", "--selector", PODS, "--timeout=120s")

    @contextmanager
    def port_forward(self, port: int = PORT) -> Iterator[str]:
        """The address of the front door, as long as the context is open."""
        forward = (str(self.kubectl.program), "--namespace", NAMESPACE, "port-forward", f"service/{RELEASE}")
        with self.kubectl.background(*forward, f"{port}:8080") as process:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line.startswith("Forwarding from"):
                raise RuntimeError(f"kubectl port-forward: {line}")
            yield f"http://127.0.0.1:{port}"


def _set(*settings: str) -> list[str]:
    return [part for setting in settings for part in ("--set", setting)]


def install_parts(kubectl: Kubectl) -> None:
    """Kafka and PostgreSQL, for trying only, a stand-in for npx, and a workload that crash-loops."""
    for manifest in (LAPTOP / "kafka-and-postgres.yaml", SETTINGS / "npx.yaml", SETTINGS / "payments.yaml"):
        kubectl.run("apply", "-f", str(manifest))
    for name in ("kafka", "postgres"):
        kubectl.run("--namespace", NAMESPACE, "rollout", "status", f"deployment/{name}", "--timeout=120s")
