"""Internal HTTP routes for websocket-gateways. Not for people, and not to be published outside."""

from collections.abc import AsyncIterator, Sequence

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field

from tarsy_contracts.api.chains import AskedSessions, SessionOfAlert
from tarsy_contracts.api.timeline import SessionHistory
from tarsy_contracts.api.visible_sessions import AskedVisibility, VisibleSessions
from tarsy_timeline.api.session_routes import AtLeast, SessionId
from tarsy_timeline.queries import responses
from tarsy_timeline.queries.session_queries import LogLine, SessionQueries
from tarsy_timeline.queries.session_snapshots import SnapshotLine

LINES = "application/x-ndjson"
MOST_ASKED = 2_000


class AskedChains(BaseModel):
    session_ids: list[str] = Field(max_length=MOST_ASKED)


def internal_routes(queries: SessionQueries, route: type[APIRoute] = APIRoute) -> APIRouter:
    router = APIRouter(prefix="/internal/v1", include_in_schema=False, route_class=route)

    @router.get("/chains")
    async def chains(open_only: bool = False) -> StreamingResponse:
        """The log's identity and positions, then a line for each session: its last accepted event there."""
        await queries.require_projection()  # once for itself: a problem after the first byte could not be sent any more
        return StreamingResponse(_encode_portions(queries.chains(open_only=open_only)), media_type=LINES)

    @router.post("/chains")
    async def chains_of(asked: AskedChains) -> Response:
        """The same of some sessions. Those without an accepted event have no line."""
        return Response(_encode_lines(await queries.chains_of(asked.session_ids)), media_type=LINES)

    @router.get("/sessions/{session_id}/history")
    async def history(session_id: SessionId, at_least: AtLeast = 0) -> SessionHistory:
        """All that a subscriber needs, of one moment: session, stages with executions, timeline."""
        rows = await queries.whole(session_id, at_least=at_least)
        return SessionHistory(
            last_number=rows.last_number,
            session=responses.session_detail(rows),
            timeline=tuple(map(responses.timeline_event, rows.timeline)),
        )

    @router.get("/joined")
    async def joined(session_id: str) -> SessionOfAlert:
        """The session that the alert with this id joined."""
        return SessionOfAlert(session_id=await queries.alias(session_id))

    @router.post("/visible-sessions")
    async def visible_sessions(asked: AskedVisibility) -> VisibleSessions:
        """Which of these sessions somebody sees who is limited to these session groups."""
        return await queries.visibility(asked.session_ids, asked.session_groups)

    @router.post("/histories")
    async def histories(asked: AskedSessions) -> Response:
        """The log's identity and positions, then each session's last event and its history. Waits for nothing."""
        return Response(_encode_lines(await queries.snapshots(asked.sessions)), media_type=LINES)

    return router


async def _encode_portions(portions: AsyncIterator[list[LogLine]]) -> AsyncIterator[bytes]:
    async for portion in portions:
        yield _encode_lines(portion)


def _encode_lines(lines: Sequence[LogLine | SnapshotLine]) -> bytes:
    return b"".join(line.model_dump_json().encode() + b"\n" for line in lines)
