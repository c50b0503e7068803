"""Traefik on the node, as the controller of the chart's Ingress."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tarsy_ground.cluster.addresses import NODE_ADDRESS
from tarsy_ground.cluster.configuration import SETTINGS
from tarsy_ground.cluster.kubectl import Kubectl
from tarsy_ground.network import NetworkNamespace
from tarsy_testing.servers.openid_server import HOST
from tarsy_testing.waiting import wait_until

CERTIFICATE = "ingress"
PORT = 443
CONNECT_SECONDS = 5.0


@contextmanager
def ingress_controller(kubectl: Kubectl, program: Path, provider_port: int, folder: Path) -> Iterator[None]:
    """It asks the API server with the rights of the test. Its own address leads to a provider of logins."""
    kubectl.run("apply", "-f", str(SETTINGS / "ingress-class.yaml"))
    file = folder / "traefik.json"
    file.write_text(json.dumps(_configuration(kubectl.kubeconfig.parent, provider_port)), "utf-8")
    options = (
        f"--entrypoints.websecure.address={NODE_ADDRESS}:{PORT}",
        "--entrypoints.websecure.http.tls=true",
        # It leaves out paths of Services without pods, as it does unless it is told otherwise.
        "--providers.kubernetesingress.allowemptyservices=false",
        f"--providers.file.filename={file}",
        "--log.level=ERROR",
        "--global.checknewversion=false",
    )
    with kubectl.background(str(program), *options):
        wait_until(lambda: _listens(kubectl.sandbox.network))
        yield


def _listens(network: NetworkNamespace) -> bool:
    try:
        with network.entered(), socket.create_connection((NODE_ADDRESS, PORT), CONNECT_SECONDS):
            return True
    except OSError:
        return False


def _configuration(pki: Path, provider_port: int) -> object:
    certificate = {"certFile": str(pki / f"{CERTIFICATE}.crt"), "keyFile": str(pki / f"{CERTIFICATE}.key")}
    return {
        "tls": {"stores": {"default": {"defaultCertificate": certificate}}},
        "http": {
            "routers": {"provider": {"rule": f"Host(`{NODE_ADDRESS}`)", "service": "provider"}},
            "services": {"provider": {"loadBalancer": {"servers": [{"url": f"http://{HOST}:{provider_port}"}]}}},
        },
    }
