"""Everything that leaves goes through the company's proxy and trusts its authority; what is inside does neither.

Each kind of client asks a host of the internet by its own name: the proxy of the test leads all of them to one server.
Nobody looks at what a client makes of the answer `{}`.
"""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tarsy_auth.http_fetch import http_fetch
from tarsy_config.sections.providers import LlmProvider
from tarsy_contracts.conversation import Conversation, UserMessage
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.session_events import PublicSessionCompleted
from tarsy_contracts.runbook_urls import RunbookUrl, RunbookUrlRefusedError, require_allowed_runbook_url
from tarsy_egress.authorities import trust_authorities
from tarsy_egress.clients import inside_client, tls_context
from tarsy_llm.protocol import LlmRequest
from tarsy_llm.providers import build_llm
from tarsy_llm.timeouts import StreamLimits
from tarsy_notifier.notification import InvestigatedSession, Notification
from tarsy_notifier.slack.receiver import SlackReceiver
from tarsy_notifier.webhook.receiver import WebhookReceiver
from tarsy_service.telemetry.exporting import create_exporting_provider
from tarsy_testing.programs import required_program
from tarsy_testing.servers.connect_proxy import Edge, running_edge
from tarsy_testing.servers.webhook import Webhook
from tarsy_tool_gateway.builtin.runbooks.dns_guard import ResolvedAddress, UnknownHostError
from tarsy_tool_gateway.builtin.runbooks.fetcher import RunbookFetcher
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, StdioTransport
from tarsy_tool_gateway.mcp.transports.connections import connections_to
from tarsy_tool_gateway.mcp.transports.stdio import environment_of
from tarsy_tool_gateway.mcp.transports.streamable_http import web_client

SECONDS = 60
CLOUDS = ("AWS_", "AZURE_", "GOOGLE_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "IDENTITY_", "REQUESTS_", "SSL_", "NODE_")
CHILD = "import urllib.request; urllib.request.urlopen('https://child.example.org/ask').read()"
NODE_CHILD = """
const proxy = new URL(process.env.HTTPS_PROXY), host = "child.example.org";
const basic = "Basic " + Buffer.from(proxy.username + ":" + proxy.password).toString("base64");
const way = { host: proxy.hostname, port: proxy.port, method: "CONNECT", path: host + ":443" };
require("http").request({ ...way, headers: { "proxy-authorization": basic } }).on("connect", (_, socket) => {
  const tls = require("tls").connect({ socket, servername: host }, () =>
    tls.write("GET /ask HTTP/1.1\\r\\nhost: " + host + "\\r\\n\\r\\n"));
  tls.on("error", () => process.exit(1)).resume();
}).end();
"""
"""As the agents of npm and of many servers do it: Node.js itself looks at proxies from 22.21 and 24 only."""

type Ask = Callable[[Path], Awaitable[None]]


def asks_model(kind: str, **keys: object) -> Ask:
    async def ask(folder: Path) -> None:
        llm = build_llm(LlmProvider.model_validate({"type": kind, **keys}), StreamLimits())
        conversation = Conversation(system="Be brief.", messages=(UserMessage(content="Why?"),))
        request = LlmRequest(agent="KubernetesAgent", iteration=1, conversation=conversation, tools=())
        try:
            async with aclosing(llm.stream(request)) as parts:
                async for _ in parts:
                    pass
        finally:
            await llm.aclose()

    return ask


async def asks_google_cloud(folder: Path) -> None:
    pem = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    account = {
        "type": "service_account",
        "project_id": "shop",
        "private_key": pem.decode(),
        "client_email": "tarsy@shop.iam.gserviceaccount.com",
        "token_uri": "https://oauth2.googleapis.com/token",
    }
    (file := folder / "account.json").write_text(json.dumps(account), "utf-8")
    await asks_model("vertexai", model="gemini-2.5-pro", project="shop", location="eu", credentials=str(file))(folder)


async def asks_mcp_server(_: Path) -> None:
    async with web_client(HttpTransport("https://mcp.example.org/mcp"), calls=1) as client:
        await client.post("https://mcp.example.org/mcp", json={})


async def calls_mcp_server_directly(_: Path) -> None:
    async with connections_to(HttpTransport("https://mcp.example.org/mcp"), most=1) as connections:
        (await connections.post("https://mcp.example.org/mcp", b"{}", {})).close()


async def fetches_runbook(_: Path) -> None:
    await runbook_fetched(unknown_host)


async def runbook_fetched(find: Callable[[RunbookUrl], Awaitable[Sequence[ResolvedAddress]]]) -> str:
    rules = RunbookRules(allowed_domains=("books.example.org",))
    fetcher = RunbookFetcher(rules, find=find, tls=tls_context())
    url = require_allowed_runbook_url("https://books.example.org/disk.md", rules.allowed_domains)
    return (await fetcher.fetch(url)).text


async def unknown_host(url: RunbookUrl) -> Sequence[ResolvedAddress]:
    raise UnknownHostError(url.host)


async def calls_webhook(_: Path) -> None:
    now = datetime(2026, 11, 26, 3, 0, tzinfo=UTC)
    receiver = WebhookReceiver(
        "ops", "https://hooks.example.org/x", "cloudevents", secret=None, dashboard_url="", now=lambda: now
    )
    await receiver.send(notification())
    await receiver.close()


async def writes_to_slack(_: Path) -> None:
    receiver = SlackReceiver("C1", "xoxb-planted", "https://slack.com/api")
    try:
        await receiver.send(notification())
    finally:
        await receiver.close()


def notification() -> Notification:
    event = PublicSessionCompleted(analysis="a", executive_summary="b")
    envelope = PublicEnvelope(
        id="s-1-5",
        type=event.type,
        source="tarsy.events",
        subject="s-1",
        time="2026-11-26T03:00:00+00:00",
        dataschema=event.dataschema(),
        sequence=5,
        log_offset=5,
    )
    return Notification("completed", event, envelope, event.to_bytes(), InvestigatedSession("s-1"), "")


async def fetches_keys_of_logins(_: Path) -> None:
    await http_fetch(seconds=SECONDS)("https://login.example.org/keys")


async def exports_traces(_: Path) -> None:
    provider = create_exporting_provider("ingest", "1", endpoint="https://otel.example.org", ratio=1.0)
    provider.get_tracer("test").start_span("one").end()
    await asyncio.to_thread(provider.force_flush)
    provider.shutdown()


def starts_child(command: str, *arguments: str) -> Ask:
    async def start(_: Path) -> None:
        program = sys.executable if command == "python" else required_program(command)
        transport = StdioTransport(program, arguments, inherit=("PATH",))
        child = await asyncio.create_subprocess_exec(
            program, *arguments, env=environment_of(transport, os.environ), stderr=asyncio.subprocess.DEVNULL
        )
        await child.wait()

    return start


AZURE = {"AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "c", "AZURE_CLIENT_SECRET": "planted"}
AWS = {"AWS_ACCESS_KEY_ID": "AKIAPLANTED", "AWS_SECRET_ACCESS_KEY": "planted", "AWS_EC2_METADATA_DISABLED": "true"}
ROLE = "arn:aws:iam::1:role/tarsy"
KINDS: dict[str, tuple[str, Ask, dict[str, str]]] = {
    "OpenAI": ("api.openai.com", asks_model("openai", model="gpt-5", api_key="k"), {}),
    "xAI": ("api.x.ai", asks_model("xai", model="grok-4", api_key="k"), {}),
    "Anthropic's SDK": ("api.anthropic.com", asks_model("anthropic", model="claude-sonnet-5", api_key="k"), {}),
    "google-genai": (
        "generativelanguage.googleapis.com",
        asks_model("google", model="gemini-2.5-pro", api_key="k"),
        {},
    ),
    "Bedrock": (
        "bedrock-runtime.eu-west-1.amazonaws.com",
        asks_model("bedrock", model="eu.anthropic.claude-sonnet-4-5-20250929-v1:0", region="eu-west-1"),
        AWS,
    ),
    "botocore's STS": (
        "sts.eu-west-1.amazonaws.com",
        asks_model("bedrock", model="eu.anthropic.claude-sonnet-4-5", region="eu-west-1", role_arn=ROLE),
        AWS,
    ),
    "azure-identity": (
        "login.microsoftonline.com",
        asks_model("azure", model="gpt-5", base_url="https://shop.openai.azure.com"),
        AZURE,
    ),
    "Azure OpenAI": (
        "shop.openai.azure.com",
        asks_model("azure", model="gpt-5", base_url="https://shop.openai.azure.com", api_key="k"),
        {},
    ),
    "google-auth": ("oauth2.googleapis.com", asks_google_cloud, {}),
    "MCP over HTTP": ("mcp.example.org", asks_mcp_server, {}),
    "MCP, direct calls": ("mcp.example.org", calls_mcp_server_directly, {}),
    "runbooks": ("books.example.org", fetches_runbook, {}),
    "webhooks": ("hooks.example.org", calls_webhook, {}),
    "Slack": ("slack.com", writes_to_slack, {}),
    "OpenID provider": ("login.example.org", fetches_keys_of_logins, {}),
    "traces": ("otel.example.org", exports_traces, {}),
    "stdio, Python": ("child.example.org", starts_child("python", "-c", CHILD), {}),
    "stdio, Node.js": ("child.example.org", starts_child("node", "-e", NODE_CHILD), {}),
}
HOSTS = sorted({host for host, _, _ in KINDS.values()})


@pytest.fixture
async def edge(tmp_path: Path, environment: pytest.MonkeyPatch) -> AsyncIterator[Edge]:
    """A machine that reaches the internet by its proxy alone, and has the company's authority in TARSY_CA_FILE."""
    async with running_edge(tmp_path, *HOSTS) as edge:
        environment.setenv("HTTPS_PROXY", edge.proxy)
        environment.setenv("HTTP_PROXY", edge.proxy)
        trusted: dict[str, str] = {}
        trust_authorities(str(edge.authority), trusted)
        for name, value in trusted.items():
            environment.setenv(name, value)
        yield edge


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(CLOUDS) or name.upper().endswith("_PROXY"):
                patch.delenv(name)
        for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
            patch.setenv(name, str(tmp_path / "none"))
        yield patch


@pytest.mark.parametrize("kind", KINDS)
async def test_what_leaves_goes_through_the_proxy_and_trusts_the_companys_authority(
    edge: Edge, environment: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    host, ask, variables = KINDS[kind]
    for name, value in variables.items():
        environment.setenv(name, value)
    async with asyncio.timeout(SECONDS):
        with suppress(Exception):
            await ask(tmp_path)
    assert f"{host}:443" in edge.connected
    assert host in {reached for reached, _ in edge.reached}, "the proxy was asked, but its answer was not trusted"


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}", "http://localhost:{port}"], ids=["address", "name"])
async def test_our_own_services_are_asked_without_the_proxy(edge: Edge, hook: Webhook, url: str) -> None:
    async with inside_client(url.format(port=hook.port), seconds=SECONDS) as client:
        assert (await client.post("/hook", json={})).status_code == 200
    assert edge.connected == []


@pytest.mark.parametrize("kind", ["Slack", "webhooks", "MCP over HTTP", "OpenID provider", "OpenAI", "Anthropic's SDK"])
async def test_what_no_proxy_names_is_asked_directly(
    edge: Edge, environment: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    host, ask, _ = KINDS[kind]
    environment.setenv("NO_PROXY", host)
    looked_up: list[str] = []

    def find_nothing(name: str | bytes, *_: object, **__: object) -> list[object]:
        looked_up.append(name.decode() if isinstance(name, bytes) else name)
        raise socket.gaierror("no test asks the internet")

    environment.setattr(socket, "getaddrinfo", find_nothing)
    with suppress(Exception):
        await ask(tmp_path)
    assert (edge.connected, set(looked_up)) == ([], {host})


async def test_a_runbook_of_a_host_that_we_know_to_be_inside_is_not_asked_of_the_proxy(edge: Edge) -> None:
    async def inside(url: RunbookUrl) -> Sequence[ResolvedAddress]:
        raise RunbookUrlRefusedError("leads into a network that runbooks may not come from")

    assert "may not come from" in await runbook_fetched(inside)
    assert edge.connected == []
