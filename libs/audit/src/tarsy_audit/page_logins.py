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

type PageLoginOutcome = Literal["logged_in", "logged_out", "refused"]
type RecordPageLogin = Callable[[Request, PageLoginOutcome, Identity | None, str], Awaitable[None]]
"""Request, outcome, who it is as far as that is known, and why somebody was refused. Raises NotWrittenError.

A refusal for the reason of one a moment ago is passed over.
"""

REFUSALS_EVERY_SECONDS = 1.0
"""The limit for each reason: repeated requests must not fill the topic."""


class PageLoginTrail:
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

    async def record_unless_repeated(
        self, request: Request, outcome: PageLoginOutcome, identity: Identity | None, refusal: str
    ) -> None:
        """See RecordPageLogin."""
        if outcome == "refused" and not self._is_due(refusal):
            return
        if not self._publisher.is_running:
            raise NotWrittenError("the service is not running")
        # In a thread: the first login makes its masker, which takes a second.
        act = await asyncio.to_thread(self._make_act, request, outcome, identity, refusal)
        await self._publisher.publish(
            self._publisher.topics.audit, act, key=act.name, id=self._new_id(), subject=act.act
        )

    def _is_due(self, refusal: str) -> bool:
        now = self._monotonic()
        last = self._refused_at.get(refusal)
        if last is not None and now - last < REFUSALS_EVERY_SECONDS:
            return False
        self._refused_at[refusal] = now
        return True

    def _make_act(
        self, request: Request, outcome: PageLoginOutcome, identity: Identity | None, refusal: str
    ) -> ActRequested:
        target = {"outcome": outcome, "reason": refusal} if refusal else {"outcome": outcome}
        return act_of(request, self._mask, NOBODY if identity is None else identity.name, identity, target)
