"""The timeline's API, as a gateway asks it."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
import structlog
from pydantic import ValidationError

from tarsy_auth.session_groups import GroupLabels
from tarsy_bus.acceptance import LastAccepted
from tarsy_bus.retries import draw_growing_pauses, retry
from tarsy_contracts.api.chains import (
    AskedSession,
    AskedSessions,
    LastEvent,
    ProjectedLog,
    SessionOfAlert,
    SessionSnapshot,
)
from tarsy_contracts.api.timeline import SessionHistory
from tarsy_contracts.api.visible_sessions import VisibleSessions
from tarsy_egress.clients import inside_client
from tarsy_websocket_gateway.errors import WebsocketGatewayError

log = structlog.get_logger(__name__)

HISTORY_SECONDS = 10.0
CHAINS_SECONDS = 60.0
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0


class TimelineUnavailableError(WebsocketGatewayError):
    """The timeline did not answer, or not as we know it. The caller asks again."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The timeline's positions by partition, and the last accepted event of sessions there."""

    cluster_id: str
    topic: str
    positions: dict[int, int]
    known: dict[int, dict[str, LastAccepted]]


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Histories of some sessions, all at these positions. Sessions without an accepted event have none."""

    positions: dict[int, int]
    found: dict[str, SessionSnapshot]


class TimelineApi:
    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = headers
        self._client: httpx2.AsyncClient | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator["TimelineApi"]:
        async with inside_client(self._url, headers=self._headers, seconds=HISTORY_SECONDS) as self._client:
            yield self

    async def wait_for_beginning(self) -> Beginning:
        """Where the timeline stands. Asks until it answers: it may be still starting."""
        return await retry(
            lambda: self.last_events(()),
            passes=lambda problem: isinstance(problem, TimelineUnavailableError),
            failed=lambda problem, pause: log.warning("timeline.waiting", url=self._url, reason=repr(problem)),
            pauses=draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS),
        )

    async def open_sessions(self) -> Beginning:
        """The timeline's position, and the last accepted event of each open session.

        Raises TimelineUnavailableError.
        """
        client = self._require_client
        try:
            async with (
                asyncio.timeout(CHAINS_SECONDS),
                client.stream("GET", "/internal/v1/chains", params={"open_only": "true"}) as answer,
            ):
                answer.raise_for_status()
                return await _read_beginning(answer)
        except (httpx2.HTTPError, TimeoutError, ValueError, StopAsyncIteration) as problem:
            raise TimelineUnavailableError(repr(problem)) from problem

    async def last_events(self, session_ids: Sequence[str]) -> Beginning:
        """The timeline's position, and the last accepted event of each of these sessions.

        Raises TimelineUnavailableError.
        """
        try:
            async with asyncio.timeout(HISTORY_SECONDS):
                body = {"session_ids": list(session_ids)}
                async with self._require_client.stream("POST", "/internal/v1/chains", json=body) as answer:
                    answer.raise_for_status()
                    return await _read_beginning(answer)
        except (httpx2.HTTPError, TimeoutError, ValueError, StopAsyncIteration) as problem:
            raise TimelineUnavailableError(repr(problem)) from problem

    async def histories(self, sessions: Sequence[AskedSession]) -> Snapshots:
        """Waits for nothing: a history that does not reach what is asked for is left out.

        Raises TimelineUnavailableError.
        """
        try:
            async with asyncio.timeout(HISTORY_SECONDS):
                answer = await self._require_client.post(
                    "/internal/v1/histories",
                    content=AskedSessions(sessions=tuple(sessions)).model_dump_json(),
                    headers={"content-type": "application/json"},
                )
            if answer.status_code == 404:
                return await self._read_one_by_one(sessions)
            answer.raise_for_status()
            head, *lines = answer.content.splitlines()
            found = [_parse_snapshot(line) for line in lines]
            positions = ProjectedLog.model_validate_json(head).positions
        except (httpx2.HTTPError, TimeoutError, ValueError) as problem:
            raise TimelineUnavailableError(repr(problem)) from problem
        return Snapshots(positions, {one.session_id: one for one in found})

    async def _read_one_by_one(self, sessions: Sequence[AskedSession]) -> Snapshots:
        """As histories, of a timeline of release 0.1, which has a request for each session.

        A history may reach further than the positions: what comes again is dropped by number.
        """
        stands = await self.last_events([one.session_id for one in sessions])
        found: dict[str, SessionSnapshot] = {}
        for one in sessions:
            known = stands.known.get(one.partition, {}).get(one.session_id)
            if known is None:
                continue
            reached = known.number >= one.number and stands.positions.get(one.partition, 0) >= one.offset
            found[one.session_id] = SessionSnapshot(
                session_id=one.session_id,
                partition=one.partition,
                event_id=known.event_id,
                number=known.number,
                reached=reached,
                history=await self._fetch_history(one.session_id) if reached else None,
            )
        return Snapshots(stands.positions, found)

    async def _fetch_history(self, session_id: str) -> SessionHistory | None:
        answer = await self._require_client.get(f"/internal/v1/sessions/{session_id}/history")
        if answer.status_code == 404:
            return None
        answer.raise_for_status()
        return SessionHistory.model_validate_json(answer.content)

    async def find_joined_session(self, session_id: str) -> str | None:
        """The session that the alert with this id joined, if it joined one. Raises TimelineUnavailableError."""
        try:
            async with asyncio.timeout(HISTORY_SECONDS):
                answer = await self._require_client.get("/internal/v1/joined", params={"session_id": session_id})
            if answer.status_code == 404:
                return None  # a timeline of release 0.1
            answer.raise_for_status()
            return SessionOfAlert.model_validate_json(answer.content).session_id
        except (httpx2.HTTPError, TimeoutError, ValueError) as problem:
            raise TimelineUnavailableError(repr(problem)) from problem

    async def visibility(self, session_ids: Sequence[str], groups: GroupLabels) -> VisibleSessions:
        """Which of these sessions a caller of these session groups sees. Raises TimelineUnavailableError."""
        body = {"session_ids": list(session_ids), "session_groups": groups}
        try:
            async with asyncio.timeout(HISTORY_SECONDS):
                answer = await self._require_client.post("/internal/v1/visible-sessions", json=body)
            answer.raise_for_status()
            return VisibleSessions.model_validate_json(answer.content)
        except (httpx2.HTTPError, TimeoutError, ValueError) as problem:
            raise TimelineUnavailableError(repr(problem)) from problem

    async def positions(self) -> dict[int, int]:
        """How far the timeline's answers reach. Raises TimelineUnavailableError."""
        return (await self.last_events(())).positions

    @property
    def _require_client(self) -> httpx2.AsyncClient:
        if self._client is None:
            raise RuntimeError("the timeline's API is used outside of running()")
        return self._client


def _parse_snapshot(line: bytes) -> SessionSnapshot:
    """A history that cannot be read here costs its own session: it is as if it were not there yet."""
    try:
        return SessionSnapshot.model_validate_json(line)
    except ValidationError as problem:
        last = LastEvent.model_validate_json(line)
        log.warning("history.unreadable", session_id=last.session_id, reason=str(problem))
        return SessionSnapshot(**last.model_dump(), reached=False, history=None)


async def _read_beginning(answer: httpx2.Response) -> Beginning:
    known: defaultdict[int, dict[str, LastAccepted]] = defaultdict(dict)
    lines = answer.aiter_lines()
    head = ProjectedLog.model_validate_json(await anext(lines))
    async for line in lines:
        row = LastEvent.model_validate_json(line)
        known[row.partition][row.session_id] = LastAccepted(row.event_id, row.number)
    return Beginning(head.log_identity.cluster_id, head.log_identity.topic, head.positions, known)
