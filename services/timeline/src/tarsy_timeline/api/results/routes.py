"""The API for people and the page: results of tool calls, in parts or whole."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Path, Response
from fastapi.responses import PlainTextResponse
from fastapi.routing import APIRoute

from tarsy_contracts.api.results import ToolCallResult
from tarsy_service.http.described_routes import INVALID, describe_answers
from tarsy_timeline.api.results.call_results import CallResults
from tarsy_timeline.api.results.download import DownloadResponse
from tarsy_timeline.api.results.query import WantedLinesQuery, parse_wanted
from tarsy_timeline.api.route_words import LAST_NUMBER, READING_LOG
from tarsy_timeline.api.session_routes import LAST_NUMBER_HEADER, AtLeast, SessionId
from tarsy_timeline.metrics import Metrics, ResultRead
from tarsy_timeline.queries.session_queries import SessionQueries

type CallId = Annotated[
    str,
    Path(
        min_length=8,
        max_length=200,
        pattern=r"^[A-Za-z0-9._-]+$",
        description="the call's id, or its first characters: 8 at least",
    ),
]


READING_RESULT: Mapping[int, str] = {
    400: INVALID,
    404: "There is no such session or call, or its result is no longer kept.",
    409: "The call has no result yet, or the beginning of its id is that of several calls.",
    503: READING_LOG,
}


def result_routes(
    queries: SessionQueries, results: CallResults, metrics: Metrics, route: type[APIRoute] = APIRoute
) -> APIRouter:
    """Both wait for the event `at_least`, as other reads of a session do."""
    router = APIRouter(
        prefix="/api/v1/sessions/{session_id}/tool-calls/{call_id}/result", tags=["sessions"], route_class=route
    )

    @router.get(
        "",
        summary="Read a part of a tool call's result: lines, those of a span of time, or those that match a search",
        responses=describe_answers(
            "Some lines, and where to go on.",
            {**READING_RESULT, 422: "It was asked for by time, and no line of it has a time stamp."},
            headers=LAST_NUMBER,
        ),
    )
    async def get_result(
        session_id: SessionId, call_id: CallId, wanted: WantedLinesQuery, response: Response
    ) -> ToolCallResult:
        """A part of the result, masked: a page of lines, those of a span of time, or those that match a search."""
        kind: ResultRead = "search" if wanted.search else "lines"
        with metrics.result_read(kind):
            chosen = parse_wanted(wanted)
            call, last_number = await queries.call(session_id, call_id, at_least=wanted.at_least)
            answer = await results.read(call, wanted, chosen)
        response.headers[LAST_NUMBER_HEADER] = str(last_number)
        return answer

    @router.get(
        "/download",
        response_class=PlainTextResponse,
        summary="Download the whole result of a tool call as text",
        responses=describe_answers("The text, masked, as far as it is kept (32 MiB).", READING_RESULT),
    )
    async def download_result(session_id: SessionId, call_id: CallId, at_least: AtLeast = 0) -> Response:
        """The whole result as text, masked, as far as it is kept."""
        with metrics.result_read("download"):
            call, _ = await queries.call(session_id, call_id, at_least=at_least)
            return DownloadResponse(await results.open_download(call), f"result-{call.call_id[:8]}.txt")

    return router
