"""Inner doors: through them services ask another one, whichever of its instances is there."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from tarsy_local.addresses import HOST
from tarsy_local.front_door.door import Doorway
from tarsy_local.front_door.http_proxy import HttpProxy
from tarsy_local.front_door.routes import ServiceRoute
from tarsy_processes.ports import free_port
from tarsy_service.http.server import proxy_server

ASKED = ("timeline", "ingest")


@dataclass(frozen=True, slots=True)
class InnerDoors:
    """A port for each service that others ask, on this machine alone. The service judges itself who may ask what.

    A table of paths would forget one: a request for it went to the wrong service, and was answered with 404.
    """

    ports: Mapping[str, int]

    @property
    def settings(self) -> dict[str, str]:
        """The variables by which services find each other."""
        return {f"TARSY_{service.upper()}_URL": f"http://{HOST}:{port}" for service, port in self.ports.items()}

    @asynccontextmanager
    async def opened(self, proxy: HttpProxy) -> AsyncIterator[None]:
        async with AsyncExitStack() as servers:
            for service, port in self.ports.items():
                doorway = Doorway([ServiceRoute("/", service)], proxy)
                await servers.enter_async_context(proxy_server(doorway, HOST, port))
            yield


def choose_inner_doors() -> InnerDoors:
    """At ports that are free now."""
    return InnerDoors({service: free_port() for service in ASKED})
