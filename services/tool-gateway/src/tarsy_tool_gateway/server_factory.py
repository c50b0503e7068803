"""Assembly of one MCP server of the configuration: connection, masks, metrics, pool of sessions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from tarsy_bus.client.publisher import Publisher
from tarsy_tool_gateway.managed_server import ManagedServer
from tarsy_tool_gateway.masking import ServerMaskers
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.per_session_pool import PerSessionPool, PoolLimits
from tarsy_tool_gateway.mcp.progress import ProgressPublisher
from tarsy_tool_gateway.mcp.server_plan import CATALOG_SESSION, ServerPlan, for_session
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.mcp.transports.login_tokens import NO_LOGINS, Logins
from tarsy_tool_gateway.metrics import Metrics
from tarsy_tool_gateway.results.bytes_in_flight import BytesInFlight
from tarsy_tool_gateway.settings import ToolGatewaySettings


@dataclass(frozen=True, slots=True)
class ServerFactory:
    """`masking`: the maskers that hold now."""

    settings: ToolGatewaySettings
    publisher: Publisher
    metrics: Metrics
    masking: Callable[[], ServerMaskers]
    now: Callable[[], datetime]
    logins: Logins = NO_LOGINS
    in_flight: BytesInFlight = field(default_factory=BytesInFlight)

    def make(self, plan: ServerPlan) -> ManagedServer:
        name, metrics = plan.name, self.metrics
        connection = McpConnection(
            for_session(plan, CATALOG_SESSION),
            mask=partial(self._mask_for_server, name),
            connect_seconds=self.settings.mcp_connect_seconds,
            connected=partial(metrics.count_connection, name),
            ended=partial(metrics.count_session_end, name),
            unchecked=partial(metrics.count_unchecked, name),
            garbage=partial(metrics.unreadable, name),
            in_flight=self.in_flight,
            now=self.now,
            logins=self.logins,
        )
        metrics.watch(name, connection)
        if plan.isolation != "session":
            return ManagedServer(plan, connection, self._make_tool_server(connection))
        limits = PoolLimits(
            self.settings.mcp_sessions, self.settings.mcp_session_idle_seconds, self.settings.mcp_ready_seconds
        )
        pool = PerSessionPool(plan, limits, connect=self._make_connection, tools=self._make_tool_server)
        return ManagedServer(plan, connection, pool, pool)

    def _make_connection(self, plan: ServerPlan) -> McpConnection:
        return McpConnection(
            plan,
            mask=partial(self._mask_for_server, plan.name),
            connect_seconds=self.settings.mcp_connect_seconds,
            unchecked=partial(self.metrics.count_unchecked, plan.name),
            garbage=partial(self.metrics.unreadable, plan.name),
            in_flight=self.in_flight,
            now=self.now,
            logins=self.logins,
        )

    def _make_tool_server(self, connection: McpConnection) -> McpToolServer:
        name = connection.plan.name
        progress = ProgressPublisher(
            self.publisher,
            mask_of=lambda session_id: self.masking().of_session(name, session_id),
            now=self.now,
            metrics=self.metrics,
        )
        retried = partial(self.metrics.count_retry, name)
        return McpToolServer(connection, self.settings.mcp_ready_seconds, progress=progress.of, retried=retried)

    def _mask_for_server(self, server: str, text: str) -> str:
        return self.masking().of(server).mask(text)
