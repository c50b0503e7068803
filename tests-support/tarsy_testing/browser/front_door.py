"""The front door of `tarsy up --processes` as a process of its own.

`python -m tarsy_testing.browser.front_door PORT SERVICE=PORT ...` starts it.

Services keep their ports when they are started again, so the door knows where each of them is.
"""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prometheus_client import CollectorRegistry

from tarsy_local.addresses import HOST
from tarsy_local.front_door.door import Doorway, count_requests, guard
from tarsy_local.front_door.http_proxy import HttpProxy
from tarsy_local.front_door.routes import OUTSIDE
from tarsy_service.access.http_policy import DEFAULT_POLICY
from tarsy_service.http.server import proxy_server


@dataclass
class FixedPorts:
    """One instance of each service, whether it lives or not."""

    ports: Mapping[str, int]
    stopping: bool = False

    def ready(self, service: str) -> Sequence[int]:
        return [self.ports[service]] if service in self.ports else []


async def run(port: int, ports: Mapping[str, int]) -> None:
    """Until the process is killed."""
    async with (
        HttpProxy(FixedPorts(ports), count_requests(CollectorRegistry())).running() as proxy,
        proxy_server(guard(Doorway(OUTSIDE, proxy), DEFAULT_POLICY), HOST, port),
    ):
        await asyncio.Event().wait()


def main() -> None:
    port, *services = sys.argv[1:]
    named = (service.split("=") for service in services)
    asyncio.run(run(int(port), {name: int(its) for name, its in named}))


if __name__ == "__main__":
    main()
