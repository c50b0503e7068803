"""Plan of an MCP server: what the gateway needs of its configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, assert_never

from pydantic import SecretStr

from tarsy_config.document.templates import with_session
from tarsy_config.sections.approval import Approve, rule_of
from tarsy_config.sections.oauth_client import OAuthClient
from tarsy_config.sections.servers import Elicitation, McpServerConfig
from tarsy_config.sections.transports import INHERITED, Protocol, Transport
from tarsy_contracts.chain import ApprovalRule, Isolation
from tarsy_tool_gateway.mcp.known_servers import find_known_server
from tarsy_worker.claim_types import ServerLimits

type ClientAuthentication = Literal["client_secret_basic", "client_secret_post"]

CLIENT_AUTHENTICATION: Mapping[str, ClientAuthentication] = {
    "basic": "client_secret_basic",
    "post": "client_secret_post",
}
NO_APPROVAL = ApprovalRule()
CATALOG_SESSION = "tarsy-catalog"
"""The name of the session that only lists the tools."""


@dataclass(frozen=True, slots=True)
class StdioTransport:
    """`environment` comes on top of the variables of ours that `inherit` names, and of proxies and authorities."""

    command: str
    arguments: tuple[str, ...] = field(default=(), repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    inherit: tuple[str, ...] = INHERITED
    cwd: Path | None = None
    protocol: Protocol = "auto"


@dataclass(frozen=True, slots=True)
class OAuthCredentials:
    """Credentials of the tool gateway as a client of the authorization server with this issuer."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    method: ClientAuthentication = "client_secret_basic"
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class LoginClient:
    """Client for which a person logs in at the authorization server with this issuer; without an id it is registered
    there."""

    server: str
    issuer: str
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    method: ClientAuthentication = "client_secret_basic"
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class WebAddress:
    """`headers` are sent with every request. `ca_file` is trusted instead of the CAs of the system.

    `cleanup_url` gets a DELETE when the sessions are over. With `oauth`, requests carry a token.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    verify: bool = True
    ca_file: Path | None = None
    cleanup_url: str | None = field(default=None, repr=False)
    oauth: OAuthCredentials | LoginClient | None = None


@dataclass(frozen=True, slots=True)
class HttpTransport(WebAddress):
    protocol: Protocol = "auto"


@dataclass(frozen=True, slots=True)
class SseTransport(WebAddress):
    """The transport of the first servers. It was given up long before the newer era."""

    protocol: Protocol = "legacy"


type TransportPlan = StdioTransport | HttpTransport | SseTransport


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """`call_seconds` bounds a single call when it is less than what the request allows.

    `isolation`: whether all investigations share one session, or each has one of its own. `allow`: None where the
    operator has not said anything. `approve`: of this server and of all chains. `use_known_tools`: what is known of
    servers of its kind counts; `known_read_only_tools` is that, once the server has said its name.
    """

    name: str
    transport: TransportPlan
    limits: ServerLimits
    call_seconds: float | None = None
    repeatable_tools: frozenset[str] = frozenset()
    unrepeatable_tools: frozenset[str] = frozenset()
    isolation: Isolation = "shared"
    read_only_tools: tuple[str, ...] = ()
    allow: tuple[str, ...] | None = None
    approve: ApprovalRule = NO_APPROVAL
    elicitation: Elicitation = "decline"
    use_known_tools: bool = True
    known_read_only_tools: frozenset[str] = frozenset()


def plan_of(name: str, server: McpServerConfig, approve: Approve | None = None) -> ServerPlan:
    """`approve`: what counts for the server, its own word or that of the defaults."""
    return ServerPlan(
        name=name,
        transport=_to_transport_plan(name, server.transport),
        call_seconds=server.transport.timeout,
        repeatable_tools=frozenset(server.repeatable_tools),
        unrepeatable_tools=frozenset(server.unrepeatable_tools),
        isolation=server.isolation_in_use,
        read_only_tools=server.read_only_tools,
        allow=server.allow,
        approve=rule_of(approve),
        elicitation=server.elicitation,
        use_known_tools=server.use_known_tools,
        limits=ServerLimits(concurrent=server.max_concurrent_calls, queue=server.queue_size),
    )


def with_known_tools(plan: ServerPlan, name: str, version: str) -> ServerPlan:
    """The plan with what is known of a server that calls itself so, unless the operator refused it."""
    known = find_known_server(name, version) if plan.use_known_tools else None
    return plan if known is None else replace(plan, known_read_only_tools=known.read_only_tools)


def for_session(plan: ServerPlan, session_id: str) -> ServerPlan:
    """The plan with the session's id wherever the configuration has a place for it."""
    return replace(plan, transport=_transport_of_session(plan.transport, session_id))


def _transport_of_session(transport: TransportPlan, session_id: str) -> TransportPlan:
    match transport:
        case StdioTransport():
            return replace(
                transport,
                arguments=tuple(with_session(argument, session_id) for argument in transport.arguments),
                environment=_fill_in_session(transport.environment, session_id),
            )
        case HttpTransport() | SseTransport():
            cleanup = transport.cleanup_url
            return replace(
                transport,
                headers=_fill_in_session(transport.headers, session_id),
                cleanup_url=None if cleanup is None else with_session(cleanup, session_id),
            )
        case _:
            assert_never(transport)


def _fill_in_session(values: Mapping[str, str], session_id: str) -> dict[str, str]:
    return {name: with_session(value, session_id) for name, value in values.items()}


def _to_transport_plan(server: str, given: Transport) -> TransportPlan:
    if given.type == "stdio":
        assert given.command is not None  # load_config refuses this
        environment = _reveal_secrets(given.env)
        return StdioTransport(given.command, given.args, environment, given.inherit, given.cwd, given.protocol)
    assert given.url is not None  # load_config refuses this
    headers = _reveal_secrets(given.headers)
    if given.bearer_token is not None:
        headers["Authorization"] = f"Bearer {given.bearer_token.get_secret_value()}"
    address = (
        given.url,
        headers,
        given.verify_ssl,
        given.ca_file,
        given.session_cleanup_url,
        _to_oauth_plan(server, given.oauth),
    )
    match given.type:
        case "http":
            return HttpTransport(*address, given.protocol)
        case "sse":
            return SseTransport(*address)
        case _:
            assert_never(given.type)


def _to_oauth_plan(server: str, given: OAuthClient | None) -> OAuthCredentials | LoginClient | None:
    if given is None:
        return None
    secret = given.client_secret.get_secret_value() if given.client_secret is not None else None
    method = CLIENT_AUTHENTICATION[given.client_authentication]
    match given.grant:
        case "client_credentials":
            assert given.client_id is not None  # load_config refuses this
            assert secret is not None  # and this
            return OAuthCredentials(given.issuer, given.client_id, secret, method, given.scope)
        case "authorization_code":
            return LoginClient(server, given.issuer, given.client_id, secret, method, given.scope)
        case _:
            assert_never(given.grant)


def _reveal_secrets(secrets: Mapping[str, SecretStr]) -> dict[str, str]:
    return {name: value.get_secret_value() for name, value in secrets.items()}
