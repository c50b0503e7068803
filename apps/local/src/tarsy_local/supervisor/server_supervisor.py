"""Supervisor of the embedded Kafka and PostgreSQL: what ended by itself is started again, while the services wait."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence

import structlog

from tarsy_embedded.errors import ExitedEarlyError, NotReadyError
from tarsy_embedded.server import EmbeddedServer
from tarsy_local.supervisor.restart_budget import RestartBudget
from tarsy_processes.errors import ProcessError
from tarsy_service.supervision import Supervisor

log = structlog.get_logger(__name__)

LOOK_SECONDS = 0.2
WITHOUT_SERVER_SECONDS = 3.0

type Say = Callable[[str], None]


class ServerSupervisor:
    """On the main thread, with whose end the servers end. `changed` is called when one has gone or come back."""

    def __init__(self, servers: Sequence[EmbeddedServer], *, say: Say, changed: Callable[[], None]) -> None:
        self._servers = servers
        self._say = say
        self._changed = changed
        self.restarts = dict.fromkeys((server.name for server in servers), 0)

    async def run_with(self, work: Coroutine[None, None, None]) -> None:
        """Returns when the work does. When a server cannot be kept it cancels the work and raises why.

        Raises BudgetSpentError, or the ProcessError that no restart mends.
        """
        working = asyncio.create_task(work, name="services")
        supervising = asyncio.create_task(self._supervise_all(), name="servers")
        await asyncio.wait([working, supervising], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            supervising.cancel()
            await asyncio.wait([supervising])
            await working
            return
        # A server that has ended takes no handover. Tasks that wait for it are cancelled again by the loop.
        working.cancel()
        await asyncio.wait([working], timeout=WITHOUT_SERVER_SECONDS)
        supervising.result()

    async def _supervise_all(self) -> None:
        async with Supervisor().group() as group:
            for server in self._servers:
                group.start(server.name, self._restart_for_ever(server))
            await asyncio.Event().wait()

    async def _restart_for_ever(self, server: EmbeddedServer) -> None:
        budget, failure = RestartBudget(server.name), None
        while True:
            failure = failure or await _wait_for_end_of(server)
            if not isinstance(failure, ExitedEarlyError | NotReadyError):
                raise failure
            log.error("server.ended", server=server.name, reason=str(failure))
            pause = budget.spend(failure.summary)
            self._say(f"{failure.summary}; starting it again in {pause:g} seconds")
            self._changed()
            await asyncio.sleep(pause)
            failure = await self._start_again(server)

    async def _start_again(self, server: EmbeddedServer) -> ProcessError | None:
        """Why it did not come back, None when it did. The loop goes on meanwhile."""
        try:
            for seconds in server.start_again():
                await asyncio.sleep(seconds)
        except ProcessError as problem:
            return problem
        self.restarts[server.name] += 1
        log.info("server.started_again", server=server.name, process=server.pid)
        self._changed()
        return None


async def _wait_for_end_of(server: EmbeddedServer) -> ProcessError:
    while True:
        if (failure := server.failure()) is not None:
            return failure
        await asyncio.sleep(LOOK_SECONDS)
