"""Runbooks over HTTP from a real server; what goes wrong is told to whoever is on call."""

import ssl
from collections.abc import Iterator, Sequence
from functools import partial

import pytest
from gateway_owner import call
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue
from runbook_server import Answer, RunbookServer, runbook_server

from tarsy_processes.ports import free_port
from tarsy_tool_gateway.builtin.runbooks.cache import RunbookCache
from tarsy_tool_gateway.builtin.runbooks.dns_guard import (
    Find,
    Lookup,
    ResolvedAddress,
    SystemLookup,
    UnknownHostError,
    resolve_endpoints,
)
from tarsy_tool_gateway.builtin.runbooks.fetcher import RunbookFetcher
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules
from tarsy_tool_gateway.builtin.runbooks.tool import fetch_runbook, fetch_runbook_tool
from tarsy_tool_gateway.tool_servers import ToolOutput

TLS = ssl.create_default_context()
HTML = {"Content-Type": "text/html; charset=utf-8"}
PATIENT_SECONDS = 90.0
"""A DNS that is far away, or a server of ours that has no turn, may need ten."""


@pytest.fixture
def server() -> Iterator[RunbookServer]:
    with runbook_server() as server:
        yield server


@pytest.fixture
def elsewhere() -> Iterator[RunbookServer]:
    with runbook_server() as server:
        yield server


async def fetch(url: JsonValue, *domains: str, seconds: float = PATIENT_SECONDS, most_bytes: int = 1000) -> ToolOutput:
    """From the listed domains."""
    rules = RunbookRules(allowed_domains=domains, seconds=seconds, most_bytes=most_bytes)
    return await fetch_runbook_tool(rules)(call("fetch_runbook", server="tarsy", repeatable=True, url=url))


async def looked_up(url: str, domains: Sequence[str], lookup: Lookup) -> ToolOutput:
    """With a DNS of our own."""
    rules = RunbookRules(allowed_domains=tuple(domains), seconds=PATIENT_SECONDS)
    return await found(url, rules, partial(resolve_endpoints, domains=domains, lookup=lookup))


async def found(url: str, rules: RunbookRules, find: Find) -> ToolOutput:
    fetcher = RunbookFetcher(rules, find=find, tls=TLS)
    cache = RunbookCache(60, clock=lambda: 0.0)
    return await fetch_runbook(rules, fetcher, cache, call("fetch_runbook", url=url))


async def test_a_runbook_is_its_text(server: RunbookServer) -> None:
    url = server.url("/disk%20full.md?v=1", Answer("\ufeff# Platte voll ☠\r\n".encode()))
    assert await fetch(url, server.host) == ToolOutput("ok", "# Platte voll ☠\r\n")
    assert server.asked[0].headers["Host"] == server.host


@pytest.mark.parametrize("kind", ["text/markdown", "application/x-yaml", "application/octet-stream", None])
async def test_text_may_be_called_many_things(server: RunbookServer, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    assert (await fetch(server.url("/x", Answer(b"steps", headers=headers)), server.host)).outcome == "ok"


async def test_redirects_are_followed_within_the_list(server: RunbookServer, elsewhere: RunbookServer) -> None:
    elsewhere.redirect("/moved", "real", status=301)
    elsewhere.url("/real", Answer(b"here"))
    url = server.redirect("/old", elsewhere.url("/moved"))
    assert await fetch(url, server.host, elsewhere.host) == ToolOutput("ok", "here")


async def test_a_redirect_out_of_the_list_is_refused_and_not_followed(
    server: RunbookServer, elsewhere: RunbookServer
) -> None:
    said = await fetch(server.redirect("/old", elsewhere.url("/x", Answer())), server.host)
    assert said.outcome == "rejected"
    assert "redirects to one that is at a host that runbooks may not come from" in said.text
    assert elsewhere.asked == []


@pytest.mark.parametrize("to", ["file:///etc/passwd", "http://[::1", "//u:p@github.com/", "http://169.254.169.254/x"])
async def test_a_redirect_is_judged_like_the_first_address(server: RunbookServer, to: str) -> None:
    assert (await fetch(server.redirect("/old", to), server.host)).outcome == "rejected"


async def test_redirects_have_an_end(server: RunbookServer) -> None:
    said = await fetch(server.redirect("/round", "/round"), server.host)
    assert said == ToolOutput("tool_error", "The address of the runbook redirects more than 5 times.")
    assert len(server.asked) == 6


async def test_reading_stops_when_a_runbook_is_too_large(server: RunbookServer) -> None:
    url = server.url("/x", Answer(b"x" * 4096, endless=True))
    said = await fetch(url, server.host)
    assert said.outcome == "tool_error"
    assert "larger than 1000 bytes" in said.text
    assert "system.runbooks.max_bytes" in said.text
    assert (await fetch(server.url("/y", Answer(b"y" * 1000)), server.host)).outcome == "ok"
    assert (await fetch(server.url("/z", Answer(b"z" * 1001)), server.host)).outcome == "tool_error"


@pytest.mark.parametrize("answer", [Answer(never=True), Answer(b"", endless=True)])
async def test_a_slow_server_is_not_waited_for(server: RunbookServer, answer: Answer) -> None:
    said = await fetch(server.url("/x", answer), server.host, seconds=0.3)
    assert said == ToolOutput("unavailable", "The runbook did not come from 127.0.0.1 within 0.3 s.")


@pytest.mark.parametrize(
    "answer",
    [Answer(b"x", headers=HTML), Answer(b"\n<!DOCTYPE html><html>Sign in</html>"), Answer(b"<HTML>")],
)
async def test_a_web_page_is_no_runbook_and_the_sentence_says_what_to_link(
    server: RunbookServer, answer: Answer
) -> None:
    said = await fetch(server.url("/x", answer), server.host)
    assert said.outcome == "tool_error"
    assert "web page (HTML)" in said.text
    assert "link to the raw file" in said.text


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"\x89PNG", headers={"Content-Type": "image/png"}),
        Answer(b"a\0b"),
        Answer(b"\xff\xfe"),
        Answer(b"text", headers={"Content-Encoding": "gzip", "Content-Type": "text/plain"}),
        Answer(b"text", headers={"Content-Type": "application/pdf"}),
        Answer(b" \n"),
    ],
)
async def test_what_is_no_text_is_no_runbook(server: RunbookServer, answer: Answer) -> None:
    said = await fetch(server.url("/x", answer), server.host)
    assert said.outcome == "tool_error"


@pytest.mark.parametrize(
    ("status", "outcome", "part"),
    [
        (404, "tool_error", "127.0.0.1 has no such runbook (HTTP 404)."),
        (401, "tool_error", "does not let TARSy read"),
        (403, "tool_error", "does not let TARSy read"),
        (429, "unavailable", "asked too often"),
        (503, "unavailable", "a problem of its own (HTTP 503)"),
        (304, "tool_error", "did not send"),
        (418, "tool_error", "did not send"),
        (799, "unavailable", "a problem of its own"),
    ],
)
async def test_a_status_becomes_a_sentence(server: RunbookServer, status: int, outcome: str, part: str) -> None:
    said = await fetch(server.url("/x", Answer(b"", status)), server.host)
    assert said.outcome == outcome
    assert part in said.text


async def test_who_cannot_be_reached_is_named() -> None:
    closed = f"127.0.0.1:{free_port()}"
    said = await fetch(f"http://{closed}/x", closed)
    assert said == ToolOutput("unavailable", "The runbook cannot be fetched from 127.0.0.1: no connection.")


async def test_what_speaks_no_http_is_told(server: RunbookServer) -> None:
    said = await fetch(f"https://{server.host}/x", server.host)
    assert said.outcome == "unavailable"


@pytest.mark.parametrize("host", ["runbooks.invalid", "a..example.org", f"{'x' * 64}.example.org"])
async def test_a_name_that_no_dns_knows_is_told(host: str) -> None:
    said = await looked_up(f"https://{host}/x", [host], SystemLookup())
    assert said == ToolOutput("unavailable", f"The tool gateway does not find the host of the runbook, {host} (DNS).")


async def test_a_name_that_leads_to_this_machine_is_not_asked(server: RunbookServer) -> None:
    host = f"runbooks.example.org:{server.port}"

    async def here(_: str, port: int) -> list[ResolvedAddress]:
        return [ResolvedAddress("127.0.0.1", port)]

    said = await looked_up(f"http://{host}/x", [host], here)
    assert said.outcome == "rejected"
    assert "leads into a network" in said.text
    assert server.asked == []


async def test_the_next_address_of_a_host_is_tried(server: RunbookServer) -> None:
    async def two(_: object) -> list[ResolvedAddress]:
        return [ResolvedAddress("127.0.0.1", free_port()), ResolvedAddress("127.0.0.1", server.port)]

    server.url("/x", Answer(b"second"))
    said = await found(
        "http://runbooks.example.org/x",
        RunbookRules(allowed_domains=("runbooks.example.org",), seconds=PATIENT_SECONDS),
        two,
    )
    assert said == ToolOutput("ok", "second")
    assert server.asked[0].headers["Host"] == "runbooks.example.org"


@pytest.mark.parametrize("url", [None, 5, ["https://github.com/x"], ""])
async def test_a_call_without_an_address_is_rejected(url: JsonValue) -> None:
    assert (await fetch(url, "github.com")).outcome == "rejected"


async def test_an_address_that_held_a_secret_says_so() -> None:
    said = await fetch("https://raw.githubusercontent.com/a/b/main/x?token=[MASKED_TOKEN]", "raw.githubusercontent.com")
    assert said.outcome == "rejected"
    assert "has been masked" in said.text


ADDRESSES = st.one_of(
    st.text(),
    st.builds("https://github.com{}".format, st.text()),
    st.builds("https://{}/x".format, st.text()),
    st.builds("http://{}github.com:{}/{}".format, st.text(max_size=3), st.text(max_size=6), st.text()),
)


@given(url=ADDRESSES)
async def test_no_address_can_make_it_raise(url: str) -> None:
    asked: list[str] = []

    async def nobody(host: str, _: int) -> list[ResolvedAddress]:
        asked.append(host)
        raise UnknownHostError(host)

    said = await looked_up(url, ["github.com", ".example.org"], nobody)
    assert said.outcome in ("rejected", "unavailable")
    assert set(asked) <= {"github.com", "raw.githubusercontent.com"}
