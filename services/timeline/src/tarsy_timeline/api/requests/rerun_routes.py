"""The API for people: a session is run again, as a new one."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute

from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_contracts.alert import Alert, McpSelection, Rerun
from tarsy_contracts.api.alert_choices import McpChoice
from tarsy_contracts.api.requests import RerunAccepted, RerunRequest
from tarsy_contracts.messages.inputs import AlertReceived
from tarsy_contracts.wire.ids import report_id, session_of_rerun, session_traceparent
from tarsy_masking.masker import Masker
from tarsy_service.access.caller import KeyedBodies, caller_of
from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.http.described_routes import (
    AUTHOR,
    INVALID,
    KEY,
    NOT_JSON,
    OTHER_BODY,
    describe_answers,
    describe_headers,
)
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.requests.session_commands import request_id
from tarsy_timeline.api.route_words import NO_DATABASE
from tarsy_timeline.api.session_routes import SessionId
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.rows.session_rows import Row
from tarsy_timeline.rows.visibility import read_labels
from tarsy_timeline.system.ingest_api import IngestApi

BODY_LIMIT_BYTES = 128 * 1024
KIND = "rerun"
AS_IT_WAS = RerunRequest()
NOT_WRITTEN = "Kafka has not acknowledged the alert. Repeat the request with the same Idempotency-Key."


@dataclass(frozen=True, slots=True)
class RerunChoice:
    """The alert type, provider and tools of the new session, masked."""

    alert_type: str
    llm_provider: str | None
    mcp: McpSelection | None


def rerun_routes(
    queries: SessionQueries,
    publisher: Publisher,
    masker: Masker,
    ingest: IngestApi,
    route: type[APIRoute] = APIRoute,
) -> APIRouter:
    router = APIRouter(
        prefix="/api/v1/sessions", tags=["sessions"], route_class=create_bounded_route(BODY_LIMIT_BYTES, route)
    )
    bodies = KeyedBodies()

    @router.post(
        "/{session_id}/rerun",
        status_code=202,
        summary="Investigate the alert of a session again, in a new session",
        responses=describe_answers(
            {202: "Kafka has the alert."},
            {
                400: INVALID,
                404: "No such session is in the timeline.",
                413: "The body is too large.",
                **NOT_JSON,
                503: f"{NO_DATABASE} Or names cannot be checked, as no ingest answers. Or Kafka has not acknowledged "
                "the alert: repeat it with the same Idempotency-Key.",
                **OTHER_BODY,
            },
        ),
        openapi_extra=describe_headers({KEY: "a repeat with the same key is the same new session", **AUTHOR}),
    )
    async def rerun(session_id: SessionId, request: Request, changes: RerunRequest = AS_IT_WAS) -> RerunAccepted:
        """Investigates the alert of a session again, as it was masked, in a new session that names this one.

        A running session can be rerun too: the two sessions are independent. 404: no such session is in the timeline,
        and nothing was started. 400: the configuration does not have a name; the problem is that of a submission. The
        same Idempotency-Key is the same new session.
        """
        parent = (await queries.detail(session_id, at_least=0)).session
        judged = None if changes.choices is None else await ingest.judge(changes.choices)
        who = caller_of(request)
        requested = request_id(KIND, who, session_id)
        child = session_of_rerun(session_id, requested)
        if who.key:
            bodies.check(child, changes.model_dump_json().encode())
        mask = masker.for_session(child).mask
        chosen = RerunChoice(
            alert_type=mask((judged and judged.alert_type) or "") or parent["alert_type"],
            llm_provider=mask(changes.llm_provider or "") or parent["llm_provider"],
            mcp=await asyncio.to_thread(_choose_mcp_selection, parent, changes.mcp, mask),
        )
        question = await asyncio.to_thread(mask, changes.question)
        alert = _make_alert(parent, changes, chosen, question, who.author(mask))
        await _publish_alert(publisher, alert, child, requested)
        return RerunAccepted(session_id=child, parent_id=session_id)

    return router


def _make_alert(parent: Row, changes: RerunRequest, chosen: RerunChoice, question: str, author: str) -> Alert:
    """A person sends it: nobody reports to the new session that the alert is over."""
    return Alert(
        alert_type=chosen.alert_type,
        data=parent["alert_data"],
        source="api",
        author=author,
        title=parent["title"],
        severity=parent["severity"],
        runbook_url=parent["runbook_url"],
        priority=changes.priority,
        mcp=chosen.mcp,
        llm_provider=chosen.llm_provider,
        cluster=parent["cluster"],
        namespace=parent["namespace"],
        workload=parent["workload"],
        labels=read_labels(parent["labels"]),
        slack_message_fingerprint=parent["slack_message_fingerprint"],
        rerun=Rerun(parent_id=parent["session_id"], question=question),
        names_no_type=parent["unmatched"] and chosen.alert_type == parent["alert_type"],
    )


def _choose_mcp_selection(parent: Row, changed: McpChoice | None, mask: Callable[[str], str]) -> McpSelection | None:
    """The servers and tools that are chosen now, else those that the sender chose.

    Names of tools are a stranger's: that they exist was not checked. The table names each native tool, also without a
    choice.
    """
    if changed is not None and (now := changed.to_selection()) is not None:
        servers = tuple(
            server.model_copy(update={"name": mask(server.name), "tools": tuple(map(mask, server.tools))})
            for server in now.servers
        )
        return now.model_copy(update={"servers": servers})
    chosen = parent["mcp_selection"]
    if chosen is None:
        return None
    native = chosen["native_tools"]
    kept = None if native is None else {name: on for name, on in native.items() if on is not None}
    return McpSelection.model_validate({"servers": chosen["servers"], "native_tools": kept})


async def _publish_alert(publisher: Publisher, alert: Alert, child: str, requested: str) -> None:
    """Raises ProblemError."""
    received = AlertReceived(alert=alert)
    try:
        await publisher.publish(
            publisher.topics.inbox,
            received,
            key=child,
            id=report_id(KIND, requested),
            subject=child,
            traceparent=session_traceparent(child),
        )
    except NotWrittenError as problem:
        raise ProblemError(503, "Service unavailable", NOT_WRITTEN) from problem
