"""Session with an MCP server, from opening to end: one task enters and exits it, calls come from anywhere."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial

from mcp import Client
from mcp.client.session import IncomingMessage
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import CallToolResult, Tool
from pydantic import JsonValue

from tarsy_bus.background_tasks import background_tasks
from tarsy_config.sections.servers import Elicitation
from tarsy_tool_gateway.mcp.arguments import ArgumentChecks
from tarsy_tool_gateway.mcp.direct_calls import DirectCalls
from tarsy_tool_gateway.mcp.elicitation import elicitation_callback
from tarsy_tool_gateway.mcp.failures import CallFailedError, failure_of
from tarsy_tool_gateway.mcp.protocol_versions import ProbingClient, ProtocolVersions
from tarsy_tool_gateway.mcp.tool_changes import follow_tool_changes, is_about_tools
from tarsy_tool_gateway.mcp.tool_listing import list_all_tools
from tarsy_tool_gateway.mcp.tool_sieve import NONE_REFUSED, RefusedTools, ToolSieve
from tarsy_tool_gateway.mcp.transports.opener import Open

GRACE_SECONDS = 1.0
"""How much longer than its own limit a call may take before the session counts as hung."""
SETTLE_SECONDS = 0.3
"""So long after the first word of changed tools they are asked for: servers often change several at once."""


class McpSession:
    """`stirred` is called when somebody should look at it: it ended, or its tools are said to have changed."""

    def __init__(
        self,
        eras: ProtocolVersions,
        *,
        connect_seconds: float,
        stirred: Callable[[], None],
        unchecked: Callable[[str], None] = lambda _: None,
        elicitation: Elicitation = "decline",
        refused: Callable[[RefusedTools], None] = lambda _: None,
    ) -> None:
        """`unchecked`: see ArgumentChecks. `refused` is called with tools that no agent may have, when they change."""
        self.tools: dict[str, Tool] = {}
        self.checks = ArgumentChecks(self.tools, unchecked=unchecked)
        self._unchecked = unchecked
        self._elicitation = elicitation
        self._refused = refused
        self._sieve = ToolSieve()
        self._reported = NONE_REFUSED
        self.in_flight = 0
        self.answered_at = 0.0
        """When the last call was answered, by the clock of the event loop."""
        self.protocol_version = ""
        self.server_name, self.server_version = "", ""
        self.problem: BaseException | None = None
        self._eras = eras
        self._connect_seconds = connect_seconds
        self._stirred = stirred
        self._client: Client | None = None
        self._settled = asyncio.Event()
        self._over = asyncio.Event()
        self._retired = False
        self._settling: asyncio.TimerHandle | None = None

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    async def run(self, open_streams: Open) -> None:
        """Until `end`, or until the server ends. Never raises for what a foreign server does: see `problem`."""
        try:
            async with AsyncExitStack() as stack:
                client = await self._open_client(stack, open_streams)
                async with background_tasks(follow_tool_changes(client, self._note_tools_changed)):
                    await self._over.wait()
        except Exception as problem:  # noqa: BLE001 - whatever a foreign server does, it is told, and another follows
            self.problem = problem
        finally:
            self._client = None
            if self._settling is not None:
                self._settling.cancel()
            self.end()
            self._settled.set()

    async def wait_until_open(self) -> bool:
        """Waits until it is known whether there is a session."""
        await self._settled.wait()
        return self._client is not None

    def end(self) -> None:
        """At once, with the calls that still run."""
        self._over.set()
        self._stirred()

    def retire(self) -> None:
        """Ends when the last of its calls has ended; there must be no new ones. Each of them has a limit."""
        self._retired = True
        if self.in_flight == 0:
            self.end()

    async def call(
        self, tool: str, arguments: dict[str, JsonValue], seconds: float, progress: ProgressFnT | None = None
    ) -> CallToolResult:
        """Raises CallFailedError."""
        client = self._client
        if client is None or self.is_over:
            raise CallFailedError("not_sent", "its session is over")
        self.in_flight += 1
        try:
            async with asyncio.timeout(seconds + GRACE_SECONDS):
                result = await client.call_tool(tool, arguments, seconds, progress)
        except Exception as problem:
            failure = failure_of(problem, alive=not self.is_over)
            if failure is None:
                raise
            raise failure from problem
        finally:
            self.in_flight -= 1
            if self._retired:
                self.retire()
        self.answered_at = asyncio.get_running_loop().time()
        return result

    async def list_tools(self, seconds: float) -> None:
        """Takes over the server's tools. Raises whatever goes wrong, TimeoutError when there is no answer."""
        client = self._client
        if client is None or self.is_over:
            raise CallFailedError("not_sent", "its session is over")
        async with asyncio.timeout(seconds):
            self._note_tools(await list_all_tools(client))

    async def _open_client(self, stack: AsyncExitStack, open_streams: Open) -> Client:
        async with asyncio.timeout(self._connect_seconds):
            direct_calls = DirectCalls()
            new_client = partial(
                ProbingClient,
                open_streams(self.end, direct_calls),
                direct_calls=direct_calls,
                sieve=self._sieve,
                message_handler=self._note_message,
                elicitation_callback=elicitation_callback(self._elicitation),
            )
            client = await stack.enter_async_context(self._eras.speaking(new_client))
            self._note_tools(await list_all_tools(client))
        self._eras.note_success(client)
        self.protocol_version = client.protocol_version
        if (info := client.server_info) is not None:
            self.server_name, self.server_version = info.name, info.version
        self._client = client
        self._settled.set()
        return client

    @property
    def refused(self) -> RefusedTools:
        return self._sieve.refused

    def _note_tools(self, tools: dict[str, Tool]) -> None:
        if self.refused != self._reported:
            self._reported = self.refused
            self._refused(self.refused)
        # Mostly nothing is new, and the checks have been compiled.
        if tools != self.tools:
            self.tools, self.checks = tools, ArgumentChecks(tools, unchecked=self._unchecked)

    async def _note_message(self, message: IncomingMessage) -> None:
        if is_about_tools(message):
            self._note_tools_changed()

    def _note_tools_changed(self) -> None:
        if self._settling is None and not self.is_over:
            self._settling = asyncio.get_running_loop().call_later(SETTLE_SECONDS, self._stir_once)

    def _stir_once(self) -> None:
        self._settling = None
        self._stirred()
