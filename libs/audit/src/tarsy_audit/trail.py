"""Audit trail: an act is on record before it is done. Where Kafka does not take the record, nothing is done."""

from collections.abc import Callable

from fastapi import Request

from tarsy_audit.requested_act import describe_request
from tarsy_audit.shared_records import SharedRecords
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_contracts.messages.audit import ActRequested
from tarsy_contracts.wire.ids import session_traceparent
from tarsy_service.http.problems import ProblemError

READING = frozenset({"GET", "HEAD", "OPTIONS"})
NOT_RECORDED = "Kafka did not accept the record of who asks for this, so nothing was done. Try again."


class AuditTrail:
    """`mask` is for what the caller chose: names, and the values of parameters."""

    def __init__(self, publisher: Publisher, mask: Callable[[str], str], new_id: Callable[[], str]) -> None:
        self._publisher = publisher
        self._mask = mask
        self._new_id = new_id
        self._records = SharedRecords(self._write_act)

    async def require(self, request: Request) -> None:
        """A dependency of routes, which looks at requests that change something. Raises ProblemError."""
        if request.method in READING:
            return
        try:
            await self.record(request)
        except NotWrittenError as problem:
            raise ProblemError(503, "Service unavailable", NOT_RECORDED) from problem

    async def record(self, request: Request) -> None:
        """Returns when it is on record. Raises NotWrittenError."""
        await self.record_act(describe_request(request, self._mask))

    async def record_act(self, act: ActRequested) -> None:
        """For acts whose author the request does not name. Returns when it is on record. Raises NotWrittenError."""
        await self._records.write(act)

    async def _write_act(self, act: ActRequested) -> None:
        if not self._publisher.is_running:
            raise NotWrittenError("the service is not running")
        session = act.session_id
        await self._publisher.publish(
            self._publisher.topics.audit,
            act,
            key=session or act.name,
            id=self._new_id(),
            subject=session or act.act,
            traceparent=session_traceparent(session) if session else None,
        )
