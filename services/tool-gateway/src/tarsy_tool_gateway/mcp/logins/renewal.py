"""Renewal of logins: one gateway asks the authorization server, all others read what it got (decision 0041)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import structlog

from tarsy_bus.client.publisher import NotWrittenError
from tarsy_bus.retries import draw_growing_pauses
from tarsy_contracts.messages.mcp_tokens import CLAIM_SECONDS
from tarsy_service.supervision import SupervisedGroup, Supervisor
from tarsy_tool_gateway.mcp.diagnosis import MisconfiguredError, make_login_error
from tarsy_tool_gateway.mcp.logins.errors import NotRenewedError, RefusedError
from tarsy_tool_gateway.mcp.logins.login import McpLogin
from tarsy_tool_gateway.mcp.logins.refresh import renew_over
from tarsy_tool_gateway.mcp.logins.stored_logins import NumberedLogin, StoredLogins
from tarsy_tool_gateway.mcp.logins.token_topic import TokenWriter
from tarsy_tool_gateway.mcp.server_plan import LoginClient, WebAddress
from tarsy_tool_gateway.mcp.transports.connections import connections_to

log = structlog.get_logger(__name__)

REFRESH_SECONDS = 30.0
"""For claim and request together: half of the time that a claim holds."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.2, 10.0
STOP_SECONDS = 5.0
ANSWER_SECONDS = 5.0
"""An answer that came while this process slept lies there when it wakes: it is taken, as the old token is used up."""

type RenewalOutcome = Literal["renewed", "left_to_another", "refused", "failed"]


@dataclass(slots=True)
class _Renewal:
    """One that runs. Without a `problem` it is worth looking at the login again when it is `done`."""

    done: asyncio.Event = field(default_factory=asyncio.Event)
    problem: str = ""


class LoginRenewals:
    """`fresh` is for sessions; renewals outlive them, so that no new token is lost with one."""

    def __init__(
        self,
        stored: StoredLogins,
        writer: TokenWriter,
        *,
        claimant: str,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
        renewed: Callable[[str, RenewalOutcome], None] = lambda _server, _outcome: None,
    ) -> None:
        self._stored = stored
        self._writer = writer
        self._claimant = claimant
        self._now = now
        self._new_id = new_id
        self._renewed = renewed
        self._running: dict[str, _Renewal] = {}
        self._refused: dict[str, tuple[int, LoginClient]] = {}
        self._group: SupervisedGroup | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self, supervisor: Supervisor) -> AsyncIterator[None]:
        """After the body it waits for renewals that have begun: a token that came is written."""
        async with supervisor.group() as self._group:
            try:
                yield
            finally:
                self._group = None
                if self._tasks:
                    await asyncio.wait(self._tasks, timeout=STOP_SECONDS)

    def find_login(self, address: WebAddress, client: LoginClient) -> McpLogin:
        """The login that counts now. Raises LoginNeededError or MisconfiguredError."""
        return self._stored.login(address.url, client).login

    async def fresh(self, address: WebAddress, client: LoginClient, refused: str | None) -> McpLogin:
        """A login with another token than the refused one (its header), which has not expired.

        The caller limits the time. Raises LoginNeededError, MisconfiguredError or NotRenewedError.
        """
        await self._stored.wait_through()
        began: int | None = None
        while True:
            found = self._stored.login(address.url, client)
            is_new = began not in (None, found.number)
            if found.login.authorization != refused and (is_new or not found.login.has_expired(self._now())):
                return found.login
            began = found.number
            if found.login.refresh_token is None:
                raise make_login_error(client.server, "the login has ended")
            if self._refused.get(client.server) == (found.number, client):
                raise make_login_error(client.server, "the authorization server does not renew the login")
            renewal = self._begin_or_join(address, client, found)
            await renewal.done.wait()
            if renewal.problem:
                raise NotRenewedError(renewal.problem)

    def _begin_or_join(self, address: WebAddress, client: LoginClient, found: NumberedLogin) -> _Renewal:
        running = self._running.get(client.server)
        if running is not None:
            return running
        if self._group is None:
            raise NotRenewedError("the gateway stops")
        renewal = self._running[client.server] = _Renewal()
        work = self._renew_login(address, client, found, renewal)
        task = self._group.start_finite(f"login at {client.server}", work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return renewal

    async def _renew_login(
        self, address: WebAddress, client: LoginClient, found: NumberedLogin, renewal: _Renewal
    ) -> None:
        outcome: RenewalOutcome = "failed"
        try:
            login = await self._claim_and_ask(address, client, found)
            outcome = "renewed" if login is not None else "left_to_another"
            if login is None:
                await self._wait_for_other_renewal(client.server, found.number)
            else:
                await self._write_login(client.server, found.number + 1, login)
        except RefusedError as problem:
            outcome = "refused"
            self._refused[client.server] = (found.number, client)
            log.warning("mcp_login.refused", server=client.server, reason=str(problem))
        except (NotRenewedError, NotWrittenError, MisconfiguredError) as problem:
            renewal.problem = str(problem)
        except TimeoutError:
            renewal.problem = f"nobody gave a token within {REFRESH_SECONDS:g} seconds"
        finally:
            self._renewed(client.server, outcome)
            del self._running[client.server]
            renewal.done.set()

    async def _claim_and_ask(self, address: WebAddress, client: LoginClient, found: NumberedLogin) -> McpLogin | None:
        """None where another gateway asks. Raises TimeoutError, before the claim is over."""
        end = asyncio.get_running_loop().time() + REFRESH_SECONDS
        # First: nothing is waited for between a claim that holds and the request.
        async with connections_to(address, most=1) as wire:
            async with asyncio.timeout_at(end):
                holds = await self._claim(client.server, found.number)
            return await _wait_for_answer(renew_over(wire, client, found.login, self._now), end) if holds else None

    async def _claim(self, server: str, number: int) -> bool:
        """Whether our claim holds, once it was read back. The caller limits the time."""
        offset = await self._writer.claim(server, number, self._claimant, self._new_id())
        await self._stored.wait_for(offset)
        return self._stored.records.holder(server, number) == self._claimant and not self._is_over(server, number)

    async def _wait_for_other_renewal(self, server: str, number: int) -> None:
        try:
            async with asyncio.timeout(CLAIM_SECONDS):
                await self._stored.wait_until(lambda: self._is_over(server, number))
        except TimeoutError:
            log.warning("mcp_login.claim_expired", server=server)

    async def _write_login(self, server: str, number: int, login: McpLogin) -> None:
        """Waits until Kafka has the record: the old token may already be invalid. Then it is read back."""
        sealed, id = self._stored.seal(login, server, number), self._new_id()
        for pause in draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS):
            try:
                offset = await self._writer.write_token(server, number, sealed, id)
                break
            except NotWrittenError:
                log.warning("mcp_login.not_written", server=server)
                await asyncio.sleep(pause)
        await self._stored.wait_for(offset)
        await self._writer.drop(self._stored.records.list_superseded(server))
        log.info("mcp_login.renewed", server=server)

    def _is_over(self, server: str, number: int) -> bool:
        """Whether another token than the one with this number counts."""
        token = self._stored.records.token(server)
        return token is None or token.number != number


async def _wait_for_answer(asking: Coroutine[None, None, McpLogin], end: float) -> McpLogin:
    """The request is not sent when the process slept until `end` (the loop's time): another gateway may have asked.

    A connection that is still being opened ends by its own limit, which is shorter.
    """
    if asyncio.get_running_loop().time() >= end:
        asking.close()
        raise TimeoutError
    task = asyncio.create_task(asking)
    try:
        await asyncio.wait([task], timeout=end - asyncio.get_running_loop().time())
        await asyncio.wait([task], timeout=ANSWER_SECONDS)
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        task.cancel()
