"""The API for people and the page: what there is to read."""

import math
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse

from tarsy_timeline import shapes
from tarsy_timeline.reading import Reading
from tarsy_timeline.searching import SessionQuery
from tarsy_timeline.shapes import Shape

LAST_NUMBER_HEADER = "TARSy-Last-Number"

type SessionId = Annotated[str, Path(max_length=200, pattern=r"^[A-Za-z0-9._-]+$")]
type AtLeast = Annotated[int, Query(ge=0, le=2**62)]


def session_routes(reading: Reading) -> APIRouter:
    router = APIRouter(prefix="/api/v1/sessions", tags=["sessions"])

    @router.get("")
    async def list_sessions(search: SessionQuery) -> Shape:
        count, rows = await reading.sessions(search)
        pagination = {
            "page": search.page,
            "page_size": search.page_size,
            "total_pages": math.ceil(count / search.page_size),
            "total_items": count,
        }
        return {"sessions": [shapes.session_item(row) for row in rows], "pagination": pagination}

    @router.get("/active")
    async def list_active() -> Shape:
        """What runs, and what waits for its turn: at most a thousand of each."""
        running, queued = await reading.active()
        return {
            "active": [shapes.running_session(row) for row in running],
            "queued": [shapes.queued_session(row) for row in queued],
        }

    @router.get("/filter-options")
    async def get_filter_options() -> Shape:
        """What the list can be filtered by: what sessions have, and all statuses."""
        return shapes.filter_options(*await reading.options())

    @router.get("/{session_id}")
    async def get_session(session_id: SessionId) -> Shape:
        rows = await reading.detail(session_id)
        return shapes.session_detail(rows.session, rows.stages, rows.executions)

    @router.get("/{session_id}/status")
    async def get_status(session_id: SessionId) -> Shape:
        return shapes.session_status(await reading.session(session_id))

    @router.get("/{session_id}/timeline")
    async def get_timeline(session_id: SessionId, at_least: AtLeast = 0) -> JSONResponse:
        """In order. Waits a few seconds until the event number `at_least` is in it, then answers 503."""
        rows = await reading.whole(session_id, at_least=at_least)
        body = [shapes.timeline_event(row) for row in rows.timeline]
        return JSONResponse(body, headers={LAST_NUMBER_HEADER: str(rows.last_number)})

    return router
