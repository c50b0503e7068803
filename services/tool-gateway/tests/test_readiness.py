"""What keeps a gateway unready: servers that are configured wrongly, and not those that are down."""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from certificates import write_certificates
from connections import SECRET, plan_to
from http_servers import NewServer
from structlog.testing import capture_logs
from verdicts import verdict_on

from tarsy_processes.ports import free_port
from tarsy_tool_gateway.mcp.diagnosis import Diagnosis
from tarsy_tool_gateway.mcp.readiness import ReadinessGate, refusals
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, ServerPlan, SseTransport, StdioTransport


@dataclass
class Server:
    plan: ServerPlan
    error: str = "it has not been reached yet"
    misconfigured: bool = False
    diagnosed: bool = False
    listing_refused: bool = False

    def found(self) -> None:
        self.error, self.misconfigured, self.diagnosed = "", False, True

    def wrong(self, error: str = "it answered HTTP 401") -> None:
        self.error, self.misconfigured, self.diagnosed = error, True, True

    def down(self) -> None:
        self.error, self.misconfigured, self.diagnosed = "connection refused", False, True


def server(name: str) -> Server:
    plan = plan_to(StdioTransport("x"))
    return Server(ServerPlan(name, plan.transport, plan.limits))


def test_a_server_whose_list_is_refused_is_degraded_work_with_its_reason() -> None:
    refused, other = server("one"), server("other")
    refused.error, refused.listing_refused = "it lists more than 1000 tools", True
    assert refusals([refused, other]) == [
        "MCP server one: it lists more than 1000 tools; it is asked again after some minutes"
    ]


async def test_the_gate_opens_when_every_server_has_shown_what_it_is() -> None:
    one, other = server("one"), server("other")
    gate = ReadinessGate([one, other], seconds=30)
    watching = asyncio.create_task(gate.watch())
    one.found()
    assert gate.unready_reasons() == ["MCP server other: it has not been reached yet"]
    other.down()
    async with asyncio.timeout(90):
        await watching
    assert gate.unready_reasons() == []


async def test_a_server_that_is_slow_to_show_itself_is_not_waited_for_for_ever() -> None:
    gate = ReadinessGate([server("slow")], seconds=0.05)
    async with asyncio.timeout(90):
        await gate.watch()
    assert gate.unready_reasons() == []


@pytest.mark.timing
async def test_a_server_that_is_configured_wrongly_keeps_the_gate_closed_until_it_is_right() -> None:
    one, other = server("one"), server("other")
    gate = ReadinessGate([one, other], seconds=0.05)
    one.wrong()
    other.found()
    with capture_logs() as logs:
        watching = asyncio.create_task(gate.watch())
        done, _ = await asyncio.wait([watching], timeout=0.6)
        assert not done
        assert gate.unready_reasons() == ["MCP server one: it answered HTTP 401"]
        one.found()
        async with asyncio.timeout(90):
            await watching
    errors = [(line["event"], line["server"]) for line in logs if line["log_level"] == "error"]
    assert errors == [("mcp_server.misconfigured", "one")]
    assert gate.unready_reasons() == []


async def test_what_goes_wrong_later_does_not_close_it_again() -> None:
    one = server("one")
    one.found()
    gate = ReadinessGate([one], seconds=30)
    await gate.watch()
    one.wrong("it answered HTTP 403")
    assert gate.unready_reasons() == []


async def test_a_gateway_without_servers_is_ready() -> None:
    gate = ReadinessGate([], seconds=30)
    await gate.watch()
    assert gate.unready_reasons() == []


# Real servers, and what a connection makes of them.


@pytest.mark.parametrize("status", [401, 403, 404, 405])
async def test_an_address_that_refuses_us_is_a_mistake(new_server: NewServer, calls_file: Path, status: int) -> None:
    one = new_server("legacy")
    await one.start()
    calls_file.with_name("FAULT").write_text(f"initialize {status}", encoding="utf-8")
    verdict = await verdict_on(HttpTransport(one.url))
    assert (verdict.misconfigured, f"HTTP {status}" in verdict.reason, SECRET in verdict.reason) == (True, True, False)


@pytest.mark.parametrize("status", [429, 500, 502, 503])
async def test_an_address_that_is_overwhelmed_is_down(new_server: NewServer, calls_file: Path, status: int) -> None:
    one = new_server("legacy")
    await one.start()
    calls_file.with_name("FAULT").write_text(f"initialize {status}", encoding="utf-8")
    verdict = await verdict_on(HttpTransport(one.url))
    assert (verdict.misconfigured, f"HTTP {status}" in verdict.reason) == (False, True)


@pytest.mark.parametrize("kind", [HttpTransport, SseTransport])
async def test_an_address_where_nobody_is_or_that_nobody_knows_is_down(
    kind: type[HttpTransport] | type[SseTransport],
) -> None:
    assert not (await verdict_on(kind(f"http://127.0.0.1:{free_port()}/mcp"))).misconfigured
    assert not (await verdict_on(kind("http://no-such-host.invalid/mcp"))).misconfigured


@pytest.mark.parametrize("kind", [HttpTransport, SseTransport])
async def test_an_address_that_no_host_can_have_is_a_mistake(kind: type[HttpTransport] | type[SseTransport]) -> None:
    assert (await verdict_on(kind("http://[zz]/mcp"))).misconfigured


@pytest.mark.parametrize("kind", [HttpTransport, SseTransport])
async def test_a_web_page_is_no_mcp_server(kind: type[HttpTransport] | type[SseTransport]) -> None:
    port = free_port()
    page = await asyncio.start_server(_serve_a_page, "127.0.0.1", port)
    async with page:
        verdict = await verdict_on(kind(f"http://127.0.0.1:{port}/mcp"))
    assert (verdict.misconfigured, bool(verdict.reason), SECRET in verdict.reason) == (True, True, False)


async def _serve_a_page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    body = f"<html>password: {SECRET}</html>".encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
    writer.close()


@pytest.mark.parametrize("kind", [HttpTransport, SseTransport])
async def test_a_certificate_that_cannot_be_trusted_is_a_mistake(
    new_server: NewServer, tmp_path: Path, kind: type[HttpTransport] | type[SseTransport]
) -> None:
    _, *certificate = write_certificates(tmp_path)
    one = new_server("sse" if kind is SseTransport else "modern", tls=tuple(certificate))
    await one.start()
    verdict = await verdict_on(kind(one.url))
    assert (verdict.misconfigured, "certificate verify failed" in verdict.reason) == (True, True)


@pytest.mark.parametrize("kind", [HttpTransport, SseTransport])
async def test_a_ca_file_that_is_missing_or_holds_no_certificate_is_a_mistake(
    tmp_path: Path, kind: type[HttpTransport] | type[SseTransport]
) -> None:
    empty = tmp_path / "empty.pem"
    empty.touch()
    url = f"https://127.0.0.1:{free_port()}/mcp"
    assert await verdict_on(kind(url, ca_file=empty)) == Diagnosis(True, f"ca_file {empty} holds no certificate")
    gone = tmp_path / "gone.pem"
    assert await verdict_on(kind(url, ca_file=gone)) == Diagnosis(
        True,
        f"ca_file {gone} cannot be read: No such file or directory",
    )


async def test_https_to_a_server_without_it_is_a_mistake(new_server: NewServer) -> None:
    one = new_server()
    await one.start()
    assert (await verdict_on(HttpTransport(one.url.replace("http:", "https:")))).misconfigured


ODD = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], %s}), flush=True)
"""


@pytest.mark.parametrize(
    "answer",
    [
        '"error": {"code": -32601, "message": "what?"}',
        '"result": {"hello": "world"}',
        '"result": {"protocolVersion": "1999-01-01", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}',
        '"error": {"code": -32022, "message": "no", "data": {"supported": ["2099-01-01"], "requested": "x"}}',
    ],
)
async def test_a_program_that_speaks_no_protocol_of_ours_is_a_mistake(answer: str) -> None:
    assert (await verdict_on(StdioTransport(sys.executable, ("-c", ODD % answer)))).misconfigured
