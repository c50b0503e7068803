"""The timeline's API, as a gateway asks it."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
import structlog

from tarsy_bus.acceptance import LastAccepted
from tarsy_bus.retries import growing_pauses, retry
from tarsy_contracts.api.chains import LastEvent, ProjectedLog
from tarsy_contracts.api.timeline import SessionHistory
from tarsy_websocket_gateway.errors import WebsocketGatewayError
from tarsy_websocket_gateway.history import History, history_of

log = structlog.get_logger(__name__)

HISTORY_SECONDS = 10.0
CHAINS_SECONDS = 60.0
MOST_AT_ONCE = 50
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0


class HistoryUnavailableError(WebsocketGatewayError):
    """The history cannot be sent now. The caller reads the message, and subscribes again later."""


class TimelineUnavailableError(WebsocketGatewayError):
    """The timeline did not answer, or not as we know it. The caller asks again."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where the timeline stands, and the last accepted event of sessions there, by partition."""

    cluster_id: str
    topic: str
    positions: dict[int, int]
    known: dict[int, dict[str, LastAccepted]]


class TimelineApi:
    def __init__(self, url: str) -> None:
        self._url = url
        self._client: httpx2.AsyncClient | None = None
        self._histories = asyncio.Semaphore(MOST_AT_ONCE)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["TimelineApi"]:
        async with httpx2.AsyncClient(base_url=self._url, timeout=HISTORY_SECONDS) as self._client:
            yield self

    async def beginning(self) -> Beginning:
        """Asks until the timeline answers: it may be still starting."""
        return await retry(
            self._beginning,
            passes=lambda problem: isinstance(problem, httpx2.HTTPError | TimeoutError),
            failed=lambda problem, pause: log.warning("timeline.waiting", url=self._url, reason=repr(problem)),
            pauses=growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS),
        )

    async def _beginning(self) -> Beginning:
        client = self._running_client
        async with (
            asyncio.timeout(CHAINS_SECONDS),
            client.stream("GET", "/internal/v1/chains", params={"open_only": "true"}) as answer,
        ):
            answer.raise_for_status()
            return await _read_beginning(answer)

    async def last_events(self, session_ids: Sequence[str]) -> Beginning:
        """The timeline's position, and the last accepted event of each of these sessions.

        Raises TimelineUnavailableError.
        """
        try:
            async with asyncio.timeout(HISTORY_SECONDS):
                asked = {"session_ids": list(session_ids)}
                async with self._running_client.stream("POST", "/internal/v1/chains", json=asked) as answer:
                    answer.raise_for_status()
                    return await _read_beginning(answer)
        except (httpx2.HTTPError, TimeoutError, ValueError, StopAsyncIteration) as problem:
            raise TimelineUnavailableError(repr(problem)) from problem

    async def history(self, session_id: str, at_least: int) -> History:
        """The session's history, empty if nobody knows the session yet. Raises HistoryUnavailableError."""
        try:
            async with asyncio.timeout(HISTORY_SECONDS), self._histories:
                answer = await self._running_client.get(
                    f"/internal/v1/sessions/{session_id}/history", params={"at_least": at_least}
                )
            if answer.status_code == 404 and at_least == 0:
                return History()
            answer.raise_for_status()
            return history_of(SessionHistory.model_validate_json(answer.content))
        except (httpx2.HTTPError, TimeoutError, ValueError) as problem:
            log.warning("history.unavailable", session_id=session_id, at_least=at_least, reason=repr(problem))
            raise HistoryUnavailableError("The history is not available now. Subscribe again later.") from problem

    @property
    def _running_client(self) -> httpx2.AsyncClient:
        if self._client is None:
            raise RuntimeError("the timeline's API is used outside of running()")
        return self._client


async def _read_beginning(answer: httpx2.Response) -> Beginning:
    known: defaultdict[int, dict[str, LastAccepted]] = defaultdict(dict)
    lines = answer.aiter_lines()
    head = ProjectedLog.model_validate_json(await anext(lines))
    async for line in lines:
        row = LastEvent.model_validate_json(line)
        known[row.partition][row.session_id] = LastAccepted(row.event_id, row.number)
    return Beginning(head.log_identity.cluster_id, head.log_identity.topic, head.positions, known)
