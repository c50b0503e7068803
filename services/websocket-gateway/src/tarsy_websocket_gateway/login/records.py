"""Records of the page's logins: a login is on record before it is one; a logout is done in any case."""

import structlog
from fastapi import Request

from tarsy_audit.page_logins import PageLoginOutcome, RecordPageLogin
from tarsy_auth.identity import Identity
from tarsy_auth.login import LoginFailedError, LoginFailure
from tarsy_bus.client.publisher import NotWrittenError
from tarsy_websocket_gateway.errors import LoginNotRecordedError

NOT_RECORDED = "Kafka did not accept the record of this login, so nobody is logged in. Try again."
RECORDED: frozenset[LoginFailure] = frozenset({"denied", "rejected", "without_role", "ended"})
"""Refusals of somebody. The others say that nobody came, or that something is not set up."""

log = structlog.get_logger(__name__)


class LoginRecords:
    def __init__(self, record: RecordPageLogin) -> None:
        self._record = record

    async def record_login(self, request: Request, identity: Identity) -> None:
        """Raises LoginNotRecordedError."""
        try:
            await self._record(request, "logged_in", identity, "")
        except NotWrittenError as problem:
            log.warning("login.not_recorded", reason=str(problem))
            raise LoginNotRecordedError(NOT_RECORDED) from problem

    async def record_logout(self, request: Request, identity: Identity | None) -> None:
        if identity is not None:
            await self._record_or_log(request, "logged_out", identity, "")

    async def record_refusal(self, request: Request, problem: LoginFailedError) -> None:
        if problem.failure in RECORDED:
            await self._record_or_log(request, "refused", None, problem.failure)

    async def _record_or_log(
        self, request: Request, outcome: PageLoginOutcome, identity: Identity | None, reason: str
    ) -> None:
        try:
            await self._record(request, outcome, identity, reason)
        except NotWrittenError as problem:
            log.warning("login.not_recorded", reason=str(problem))
