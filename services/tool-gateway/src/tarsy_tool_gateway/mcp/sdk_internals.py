"""Private parts of the MCP SDK, all in one place: what it has no public way to.

`TransportStreams` is what a transport of one's own has to be; the two functions keep a request within its server's
origin. `PreparedClient` changes a session before it begins, and `IssuerProvider` chooses among authorization servers.
"""

from abc import abstractmethod
from contextlib import AsyncExitStack

from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.utils import issuers_match
from mcp.client.session import ClientSession
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext

try:
    from mcp.client._transport import TransportStreams
    from mcp.shared._httpx_utils import request_within_origin, sse_within_origin
except ImportError as problem:
    raise ImportError(
        f"the MCP SDK has moved a private part that we use ({problem}): see mcp/sdk_internals.py"
    ) from None

__all__ = [
    "IssuerProvider",
    "PreparedClient",
    "TransportStreams",
    "dispatcher_of",
    "request_within_origin",
    "sse_within_origin",
]


def dispatcher_of(session: ClientSession) -> JSONRPCDispatcher[TransportContext]:
    """Sender of the session's requests. Raises ImportError when the SDK has moved it."""
    dispatcher = getattr(session, "_dispatcher", None)
    if not isinstance(dispatcher, JSONRPCDispatcher):
        raise ImportError(
            "the MCP SDK has moved a private part that we use (ClientSession._dispatcher): see mcp/sdk_internals.py"
        )
    return dispatcher


class PreparedClient(Client):
    """A client that changes its session before it begins. The SDK builds sessions in a private method."""

    @abstractmethod
    def prepare(self, session: ClientSession) -> None: ...

    async def _build_session(self, exit_stack: AsyncExitStack) -> ClientSession:
        session = await super()._build_session(exit_stack)
        self.prepare(session)
        return session


class IssuerProvider(OAuthClientProvider):
    """It chooses the issuer of the configuration among the authorization servers that the MCP server names."""

    issuer = ""

    def _select_authorization_server(self, advertised: list[str]) -> str:
        return next((server for server in advertised if issuers_match(server, self.issuer)), advertised[0])
