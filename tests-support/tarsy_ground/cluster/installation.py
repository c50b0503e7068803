"""TARSy in the cluster, installed as docs/how-to/try-on-a-laptops-cluster.md says."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tarsy_chart import CHART, HELM
from tarsy_ground.cluster.kubectl import Kubectl
from tarsy_ground.product_image import ROOT

NAMESPACE = "tarsy"
RELEASE = "tarsy"
LAPTOP = ROOT / "examples" / "laptop"
CONFIGURATION = ROOT / "deploy" / "compose" / "config" / "tarsy.yaml"
PORT = 18080
SECONDS = 240.0


@dataclass(frozen=True, slots=True)
class Installation:
    kubectl: Kubectl

    def helm(self, *arguments: str) -> str:
        return self.kubectl.command(str(HELM), "--namespace", NAMESPACE, *arguments, seconds=SECONDS)

    def install(self) -> str:
        files = (CHART / "small-values.yaml", LAPTOP / "values.yaml")
        values = [part for file in files for part in ("--values", str(file))]
        configuration = ("--set-file", f"config.files.tarsy\\.yaml={CONFIGURATION}")
        return self.helm("upgrade", "--install", RELEASE, str(CHART), *values, *configuration, "--wait", "--timeout=3m")

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


def install_parts(kubectl: Kubectl) -> None:
    """Kafka and PostgreSQL, for trying only."""
    kubectl.run("apply", "-f", str(LAPTOP / "kafka-and-postgres.yaml"))
    for name in ("kafka", "postgres"):
        kubectl.run("--namespace", NAMESPACE, "rollout", "status", f"deployment/{name}", "--timeout=120s")
