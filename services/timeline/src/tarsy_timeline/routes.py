"""The API for people and the page."""

import math
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse

from tarsy_bus.tracing import HEADER
from tarsy_masking.masker import Masker
from tarsy_service.problems import Problem
from tarsy_timeline import shapes
from tarsy_timeline.reading import Reading
from tarsy_timeline.requesting import Requesting, caller, request_id
from tarsy_timeline.searching import SessionQuery
from tarsy_timeline.shapes import Shape

LAST_NUMBER_HEADER = "TARSy-Last-Number"

type SessionId = Annotated[str, Path(max_length=200, pattern=r"^[A-Za-z0-9._-]+$")]
type AtLeast = Annotated[int, Query(ge=0, le=2**62)]


def session_routes(reading: Reading, requesting: Requesting, masker: Masker) -> APIRouter:
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

    @router.post("/{session_id}/cancel")
    async def cancel(session_id: SessionId, request: Request) -> JSONResponse:
        """200, 404 or 409 is the decision of the session's owner; 202 says that it has not answered yet."""
        if masker.mask(session_id) != session_id:
            # It would be the key of a record, and in traces: what somebody pasted there is no session's id.
            raise Problem(404, "Not Found", "there is no such session")
        who = caller(request.headers, masker.for_session(session_id).mask)
        asked = request_id("cancel", request.headers, who, session_id)
        body: Shape = {"session_id": session_id, "request_id": asked}
        answer = await requesting.cancel(session_id, asked, who.author, cause=request.headers.get(HEADER))
        if answer is not None:
            return JSONResponse({**body, "message": answer.reason or "The session is being cancelled."})
        location = f"/api/v1/sessions/{session_id}/status"
        waiting = {**body, "message": "The request was taken in, and is not answered yet.", "location": location}
        return JSONResponse(waiting, status_code=202, headers={"Location": location})

    return router
