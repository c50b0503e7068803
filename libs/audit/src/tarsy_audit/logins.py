"""Logins and logouts of people at the page, on record."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from fastapi import Request

from tarsy_audit.requested_act import act_of
from tarsy_auth.identity import Identity
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_contracts.messages.audit import ActRequested
from tarsy_service.access.caller import NOBODY

type LoginOutcome = Literal["logged_in", "logged_out", "refused"]
type RecordLogin = Callable[[Request, LoginOutcome, Identity | None, str], Awaitable[None]]
"""Request, outcome, who it is as far as that is known, and why somebody was refused. Raises NotWrittenError."""

REFUSALS_EVERY_SECONDS = 1.0
"""The limit for each reason: repeated requests must not fill the topic."""


class LoginTrail:
    """`mask` is for names and reasons. Without an identity the record names nobody: the provider refused the login."""

    def __init__(
        self,
        publisher: Publisher,
        mask: Callable[[str], str],
        new_id: Callable[[], str],
        monotonic: Callable[[], float],
    ) -> None:
        self._publisher = publisher
        self._mask = mask
        self._new_id = new_id
        self._monotonic = monotonic
        self._refused_at: dict[str, float] = {}

    async def record(self, request: Request, outcome: LoginOutcome, identity: Identity | None, reason: str) -> None:
        """See RecordLogin."""
        if outcome == "refused" and not self._is_due(reason):
            return
        if not self._publisher.is_running:
            raise NotWrittenError("the service is not running")
        # In a thread: the first login makes its masker, which takes a second.
        act = await asyncio.to_thread(self._make_act, request, outcome, identity, reason)
        await self._publisher.publish(
            self._publisher.topics.audit, act, key=act.name, id=self._new_id(), subject=act.act
        )

    def _is_due(self, reason: str) -> bool:
        now = self._monotonic()
        last = self._refused_at.get(reason)
        if last is not None and now - last < REFUSALS_EVERY_SECONDS:
            return False
        self._refused_at[reason] = now
        return True

    def _make_act(
        self, request: Request, outcome: LoginOutcome, identity: Identity | None, reason: str
    ) -> ActRequested:
        target = {"outcome": outcome, "reason": reason} if reason else {"outcome": outcome}
        return act_of(request, self._mask, NOBODY if identity is None else identity.name, identity, target)
