"""Address at which TARSy speaks MCP: streamable HTTP without sessions, so that any instance answers any request."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter
from mcp.server import MCPServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from tarsy_service.http.bounded_routes import require_json
from tarsy_service.http.problems import problem_response

PATH = "/mcp"
LONGEST_REQUEST_BYTES = 4 * 1024 * 1024
"""An alert of the longest data, whose control characters take six bytes each, fits."""
NOT_NOW = "TARSy is starting or stopping. Try again."


class McpEndpoint:
    """An ASGI app for POST. It stands behind AccessControl, CsrfProtection and HostProtection."""

    def __init__(self, server: MCPServer) -> None:
        self._server = server
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Once. Calls that run at its end are cancelled."""
        self._server.streamable_http_app(
            stateless_http=True,
            max_request_body_size=LONGEST_REQUEST_BYTES,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        manager = self._server.session_manager
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._manager is None:
            await problem_response(503, "Service unavailable", NOT_NOW)(scope, receive, send)
        else:
            # The SDK would answer 400.
            require_json(Request(scope))
            await self._manager.handle_request(scope, receive, send)


def mcp_routes(endpoint: McpEndpoint) -> APIRouter:
    """POST alone: without sessions there is nothing to listen to, and nothing to end."""
    router = APIRouter()
    router.add_route(PATH, endpoint, methods=["POST"], include_in_schema=False)  # type: ignore[arg-type] # an ASGI app
    return router
