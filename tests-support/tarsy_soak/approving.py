"""The person of a soak: says yes to each call that waits, as soon as its dry run has ended."""

import asyncio
from collections.abc import Callable

import structlog
from pydantic import ValidationError

from tarsy_cli.api import ApiError
from tarsy_cli.errors import CommandError
from tarsy_cli.lists.approvals import decide, read_approvals

log = structlog.get_logger(__name__)

LOOK_SECONDS = 1.0


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
            api = self._api()
            for one in read_approvals(api).approvals:
                if one.dry_run_status != "streaming":
                    decide(api, one.session_id, one.call_id, "approve", "in the soak")
                    self.approved += 1
        except (ApiError, CommandError, OSError, ValidationError) as problem:
            log.warning("soak.approval_failed", reason=repr(problem))
