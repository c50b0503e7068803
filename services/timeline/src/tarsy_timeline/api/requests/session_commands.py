"""Commands to sessions: a person's request goes to the inbox, and the owner answers it (docs/concepts.md)."""

import asyncio
from http import HTTPStatus
from uuid import uuid4

from opentelemetry.trace import Tracer

from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.tracing import open_span
from tarsy_contracts.messages.control import RequestAnswered
from tarsy_contracts.messages.inputs import (
    BudgetDecisionRequested,
    CallDecisionRequested,
    CancelRequested,
    ChatRequested,
    MemoryChangeRequested,
    ReviewRequested,
    ScoreRequested,
    SessionDeleteRequested,
    SessionFailRequested,
    SessionReleaseRequested,
)
from tarsy_contracts.wire.ids import derive_id, report_id
from tarsy_service.access.caller import Caller
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.requests.reply_waiter import ReplyWaiter

type PersonRequest = (
    CancelRequested
    | ChatRequested
    | CallDecisionRequested
    | BudgetDecisionRequested
    | ReviewRequested
    | ScoreRequested
    | MemoryChangeRequested
    | SessionDeleteRequested
    | SessionReleaseRequested
    | SessionFailRequested
)


def request_id(kind: str, caller: Caller, session_id: str) -> str:
    """The same for the same key, so that a repeat gets the answer on record.

    The session is part of what a key stands for: the same key for another session is another request.
    """
    return derive_id("request", caller.scope, caller.key, kind, session_id) if caller.key else str(uuid4())


class SessionCommands:
    def __init__(self, publisher: Publisher, replies: ReplyWaiter, wait_seconds: float, tracer: Tracer) -> None:
        self._publisher = publisher
        self._replies = replies
        self._wait_seconds = wait_seconds
        self._tracer = tracer

    async def ask(
        self, session_id: str, kind: str, message: PersonRequest, *, cause: str | None = None
    ) -> RequestAnswered | None:
        """The owner's answer, if it was accepted; None when no answer came in time. Raises ProblemError if refused.

        `cause` is the caller's `traceparent`.
        """
        traced = open_span(self._tracer, f"request_{kind}", session_id=session_id, cause=cause)
        with traced, self._replies.to(message.request_id) as coming:
            await self._publish_request(kind, message, session_id)
            try:
                async with asyncio.timeout(self._wait_seconds):
                    answer = await coming
            except TimeoutError:
                return None
        if answer is not None and not answer.accepted:
            raise ProblemError(answer.code, HTTPStatus(answer.code).phrase, answer.reason)
        return answer

    async def _publish_request(self, kind: str, message: PersonRequest, session_id: str) -> None:
        try:
            await self._publisher.publish(
                self._publisher.topics.inbox,
                message,
                key=session_id,
                id=report_id(kind, message.request_id),
                subject=session_id,
            )
        except NotWrittenError as problem:
            detail = "The request may not have been written. Repeat it with the same Idempotency-Key."
            raise ProblemError(503, "Service unavailable", detail) from problem
