"""Tools of TARSy, for agents of others. Their docstrings are what a model reads of them."""

from collections.abc import Callable
from typing import Annotated, Literal
from uuid import uuid4

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field, JsonValue
from starlette.requests import Request

from tarsy_contracts.api.chat import ChatMessageSent
from tarsy_contracts.api.sessions import SessionDetail, SessionState
from tarsy_contracts.timeline.model import ENDED
from tarsy_mcp_api import answers
from tarsy_mcp_api.bounded_waits import MOST_SECONDS, BoundedWaits
from tarsy_mcp_api.caller_api import CallerApi

NOT_DECIDED = "Nobody has decided on the question yet. Ask again with the idempotency_key {key}: it is asked once."

APPEAR_SECONDS = 5.0
"""The API shows a session a moment after its alert was accepted."""

# No `type` statements: the SDK has to recognise the context, and not every model takes `$ref` in a schema.
ToolContext = Context[None, Request]

SessionId = Annotated[
    str,
    Field(
        max_length=200,
        pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]*$",
        description="id of a session, as submit_alert and find_sessions return it",
    ),
]
Wait = Annotated[
    float,
    Field(ge=0, le=MOST_SECONDS, description="how many seconds to wait for the end; then the answer is how far it is"),
]
IdempotencyKey = Annotated[
    str | None, Field(min_length=1, max_length=255, description="the same key again does nothing a second time")
]
Status = Literal["pending", "in_progress", "cancelling", "completed", "failed", "cancelled", "timed_out"]
Priority = Literal["urgent", "high", "normal", "low"]


class McpTools:
    """Every tool raises ToolError, whose text the model reads."""

    def __init__(self, ingest_url: str, waits: BoundedWaits, new_key: Callable[[], str] = lambda: str(uuid4())) -> None:
        self._ingest_url = ingest_url
        self._waits = waits
        self._new_key = new_key

    async def submit_alert(
        self,
        context: ToolContext,
        data: Annotated[str, Field(min_length=1, description="the alert, as text or JSON, with all that is known")],
        alert_type: Annotated[
            str | None, Field(description="which chain investigates; the default one without it")
        ] = None,
        title: Annotated[str | None, Field(max_length=500, description="one line that people see in the list")] = None,
        runbook: Annotated[str | None, Field(description="address of a runbook")] = None,
        priority: Priority | None = None,
        idempotency_key: IdempotencyKey = None,
    ) -> answers.AlertTaken:
        """Have TARSy investigate an alert. Returns at once; read_session returns the outcome."""
        given = {"data": data, "alert_type": alert_type, "title": title, "runbook": runbook, "priority": priority}
        alert: dict[str, JsonValue] = {name: value for name, value in given.items() if value is not None}
        accepted = await self._api_of_caller(context).submit(alert, idempotency_key)
        return answers.AlertTaken(session_id=accepted.session_id, status=accepted.status, message=accepted.message)

    async def find_sessions(
        self,
        context: ToolContext,
        search: Annotated[
            str | None,
            Field(min_length=3, max_length=500, description='words in alert or timeline; "a phrase" as it is'),
        ] = None,
        status: Annotated[list[Status] | None, Field(max_length=7)] = None,
        alert_type: str | None = None,
        severity: str | None = None,
        cluster: str | None = None,
        namespace: str | None = None,
        workload: str | None = None,
        start_date: Annotated[str | None, Field(description="RFC 3339, such as 2026-11-26T03:00:00Z")] = None,
        end_date: Annotated[str | None, Field(description="RFC 3339, exclusive")] = None,
        page: Annotated[int, Field(ge=1, le=1_000_000)] = 1,
        page_size: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> answers.FoundSessions:
        """Find investigations that TARSy has done or does now, the newest first, or the best first with a search."""
        given = {
            "search": search,
            "status": ",".join(status) if status else None,
            "alert_type": alert_type,
            "severity": severity,
            "cluster": cluster,
            "namespace": namespace,
            "workload": workload,
            "start_date": start_date,
            "end_date": end_date,
            "page": page,
            "page_size": page_size,
        }
        query = {name: value for name, value in given.items() if value is not None}
        return answers.describe_sessions(await self._api_of_caller(context).sessions(query))

    async def read_session(
        self, context: ToolContext, session_id: SessionId, wait_seconds: Wait = 0
    ) -> answers.SessionReport:
        """Read how far an investigation is, and what it found: executive summary, final analysis, stages."""
        api = self._api_of_caller(context)
        await self._wait_until_shown(api, session_id)

        async def look() -> SessionState:
            return await api.state(session_id)

        async def report(session: SessionState, left: float) -> None:
            await context.report_progress(wait_seconds - left, wait_seconds, f"The session is {session.status}.")

        deadline = self._waits.deadline(wait_seconds)
        await self._waits.until(look, lambda session: session.status in ENDED, deadline, report)
        return answers.session_report(await api.session(session_id))

    async def read_timeline(
        self,
        context: ToolContext,
        session_id: SessionId,
        after: Annotated[int, Field(ge=0, description="next_after of the part before; 0 for the beginning")] = 0,
    ) -> answers.TimelinePart:
        """Read what the agents of an investigation thought, called and were answered, a part at a time."""
        api = self._api_of_caller(context)
        session = await api.session(session_id)
        return answers.timeline_part(session, await api.timeline(session_id), after)

    async def ask_session(
        self,
        context: ToolContext,
        session_id: SessionId,
        question: Annotated[str, Field(min_length=1, max_length=100_000)],
        wait_seconds: Wait = MOST_SECONDS,
        idempotency_key: IdempotencyKey = None,
    ) -> answers.ReplyReport:
        """Ask an investigation that has ended. Its agent knows all that was found, and may use its tools again."""
        api, key = self._api_of_caller(context), idempotency_key or self._new_key()

        async def send() -> ChatMessageSent:
            return await api.ask(session_id, question, key)

        async def report(_: ChatMessageSent, left: float) -> None:
            await context.report_progress(MOST_SECONDS - left, MOST_SECONDS, "The question is being taken in.")

        deadline = self._waits.deadline(wait_seconds)
        sent = await self._waits.until(send, lambda sent: sent.accepted, deadline, report)
        if not sent.accepted:
            raise ToolError(NOT_DECIDED.format(key=key))
        return await self._wait_for_reply(context, session_id, sent.stage_id, deadline)

    async def read_reply(
        self,
        context: ToolContext,
        session_id: SessionId,
        stage_id: Annotated[str, Field(description="as ask_session returned it")],
        wait_seconds: Wait = MOST_SECONDS,
    ) -> answers.ReplyReport:
        """Read the reply to a question that ask_session did not wait for long enough."""
        return await self._wait_for_reply(context, session_id, stage_id, self._waits.deadline(wait_seconds))

    async def _wait_until_shown(self, api: CallerApi, session_id: str) -> None:
        """For a while: an agent that submits an alert reads its session at once, and must not take it for lost."""

        async def look() -> bool:
            return await api.shows(session_id)

        await self._waits.until(look, bool, self._waits.deadline(APPEAR_SECONDS), _report_nothing)

    async def _wait_for_reply(
        self, context: ToolContext, session_id: str, stage_id: str, deadline: float
    ) -> answers.ReplyReport:
        api = self._api_of_caller(context)

        session = await api.session(session_id)

        async def look() -> SessionDetail:
            nonlocal session
            if (await api.state(session_id)).last_number != session.last_number:
                session = await api.session(session_id)
            return session

        def ended(session: SessionDetail) -> bool:
            return any(stage.id == stage_id and stage.status in ENDED for stage in session.stages)

        async def report(_: SessionDetail, left: float) -> None:
            await context.report_progress(MOST_SECONDS - left, MOST_SECONDS, "The reply is being written.")

        await self._waits.until(look, ended, deadline, report)
        events = await api.timeline(session_id) if ended(session) else ()
        return answers.reply_of(session, events, stage_id)

    def _api_of_caller(self, context: ToolContext) -> CallerApi:
        request = context.request_context.request
        assert request is not None, "tools are called over HTTP"
        return CallerApi(request, self._ingest_url)


async def _report_nothing(_: bool, left: float) -> None:
    pass
