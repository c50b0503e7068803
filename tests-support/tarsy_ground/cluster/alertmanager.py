"""A real Alertmanager (Debian's package) on the node, whose only receiver is TARSy."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx2

from tarsy_ground.cluster.doors import Door
from tarsy_ground.cluster.installation import Installation
from tarsy_ground.inside import InsideClient
from tarsy_testing.programs import required_program
from tarsy_testing.servers.alertmanager import PROGRAM
from tarsy_testing.waiting import wait_until

ADDRESS = "127.0.0.1:19093"


@contextmanager
def alertmanager(tarsy: Installation, folder: Path) -> Iterator[Callable[[Mapping[str, str]], None]]:
    """Sends it an alert with these labels. Skips the test where the program is missing."""
    file = folder / "alertmanager.yaml"
    file.write_text(json.dumps(_configuration(tarsy.door())), "utf-8")
    options = {"config.file": file, "storage.path": folder, "web.listen-address": ADDRESS, "cluster.listen-address": ""}
    command = (required_program(PROGRAM), *(f"--{name}={value}" for name, value in options.items()))
    inside = InsideClient(tarsy.kubectl.sandbox.network)

    def is_ready() -> bool:
        try:
            return inside.get(f"http://{ADDRESS}/-/ready").status_code == httpx2.codes.OK
        except httpx2.TransportError:
            return False

    def send(labels: Mapping[str, str]) -> None:
        inside.post(f"http://{ADDRESS}/api/v2/alerts", [{"labels": dict(labels)}]).raise_for_status()

    with tarsy.kubectl.background(*command):
        wait_until(is_ready)
        yield send


def _configuration(door: Door) -> object:
    webhook = {
        "url": f"{door.url}/api/v1/alerts/alertmanager",
        "send_resolved": True,
        "http_config": {"authorization": {"credentials": door.key}},
    }
    return {
        "route": {"receiver": "tarsy", "group_wait": "0s"},
        "receivers": [{"name": "tarsy", "webhook_configs": [webhook]}],
    }
