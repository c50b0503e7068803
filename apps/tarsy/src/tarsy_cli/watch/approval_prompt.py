"""Calls that wait for a person while somebody watches: asked about at a terminal, else left to the page."""

import asyncio
import sys
from contextlib import suppress
from typing import Literal

from pydantic import ValidationError
from rich.console import Console
from rich.text import Text

from tarsy_cli.api import ApiError
from tarsy_cli.errors import CommandError
from tarsy_cli.lists.approvals import decide, read_approvals_of
from tarsy_contracts.api.approvals import WaitingApproval
from tarsy_local.terminal_text import printable

COMMENT = "decided in `tarsy watch`"
QUESTION = "Approve it? [y/n] "
ANSWERS: dict[str, Literal["approve", "deny"]] = {"y": "approve", "yes": "approve", "n": "deny", "no": "deny"}
LOOK_SECONDS = 1.0


class ApprovalPrompt:
    """`yes` approves all without a question. `look` is called while nothing else comes. Each call is decided or left
    once; others may decide it meanwhile.
    """

    def __init__(self, api: str, session: str, console: Console, *, yes: bool) -> None:
        self._api = api
        self._session = session
        self._console = console
        self._yes = yes
        self._seen = set[str]()

    async def look(self) -> None:
        for one in await self._waiting():
            if one.call_id not in self._seen and one.dry_run_status != "streaming":
                self._seen.add(one.call_id)
                await self._decide(one)

    async def _decide(self, one: WaitingApproval) -> None:
        if one.dry_run:
            self._console.print(Text(f"dry run of {one.tool_name}:\n{printable(one.dry_run)}".rstrip(), style="dim"))
        if self._yes:
            self._console.print(f"{QUESTION}yes (--yes)", markup=False)
            await self._send(one, "approve")
        elif sys.stdin.isatty():
            decision = await self._ask(one)
            if decision is not None:
                await self._send(one, decision)

    async def _ask(self, one: WaitingApproval) -> Literal["approve", "deny"] | None:
        """None when somebody else has decided, or the input ended. Any answer but yes or no decides nothing."""
        while answer := await self._read_answer(one):
            if (decision := ANSWERS.get(answer.strip().casefold())) is not None:
                return decision
        return None

    async def _read_answer(self, one: WaitingApproval) -> str | None:
        """None when somebody else has decided meanwhile."""
        self._console.print(QUESTION, end="", markup=False)
        loop = asyncio.get_running_loop()
        typed: asyncio.Future[str] = loop.create_future()

        def read_line() -> None:
            if not typed.done():
                typed.set_result(sys.stdin.readline())

        loop.add_reader(sys.stdin, read_line)
        try:
            while not typed.done():
                await asyncio.wait([typed], timeout=LOOK_SECONDS)
                if not typed.done() and one.call_id not in {it.call_id for it in await self._waiting()}:
                    self._console.print("\n(somebody else decided it)", markup=False)
                    return None
            return typed.result()
        finally:
            loop.remove_reader(sys.stdin)

    async def _send(self, one: WaitingApproval, decision: Literal["approve", "deny"]) -> None:
        try:
            said = await asyncio.to_thread(decide, self._api, self._session, one.call_id, decision, COMMENT)
        except (ApiError, CommandError, ValidationError) as problem:
            said = str(problem)
        self._console.print(said, markup=False)

    async def _waiting(self) -> tuple[WaitingApproval, ...]:
        """Returns none where the API cannot say: the next silence asks again."""
        with suppress(ApiError, ValidationError):
            return (await asyncio.to_thread(read_approvals_of, self._api, self._session)).approvals
        return ()
