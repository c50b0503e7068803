"""The person of a soak: says yes to each call that waits, as soon as its dry run has ended."""

import asyncio
from collections.abc import Callable

import structlog
from pydantic import ValidationError

from tarsy_cli.api import ApiError
from tarsy_cli.errors import CommandError
from tarsy_cli.lists.approvals import decide, read_approvals
from tarsy_contracts.api.approvals import WaitingApproval

log = structlog.get_logger(__name__)

LOOK_SECONDS = 1.0
FAILURES = (ApiError, CommandError, OSError, ValidationError)


class Approver:
    """`api` is asked anew for every look: addresses may change. `approved` counts what was acknowledged."""

    def __init__(self, api: Callable[[], str]) -> None:
        self.approved = 0
        self._api = api

    async def run(self, stopping: asyncio.Event) -> None:
        while not stopping.is_set():
            await asyncio.to_thread(self._approve_all)
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await stopping.wait()
            except TimeoutError:
                continue

    def _approve_all(self) -> None:
        """One that could not be sent is tried again with the next look: the list still has it."""
        try:
            waiting = read_approvals(self._api()).approvals
        except FAILURES as problem:
            log.warning("soak.approvals_unreadable", reason=repr(problem))
            return
        for one in waiting:
            if one.dry_run_status != "streaming":
                self._approve(one)

    def _approve(self, one: WaitingApproval) -> None:
        """One that is refused keeps nobody waiting behind it."""
        try:
            decide(self._api(), one.session_id, one.call_id, "approve", "in the soak")
            self.approved += 1
        except FAILURES as problem:
            log.warning("soak.approval_failed", session_id=one.session_id, reason=repr(problem))
