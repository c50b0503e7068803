"""Links to GitHub, and who may see the token for it."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import write_certificates
from runbook_server import Answer, RunbookServer, runbook_server

from tarsy_contracts.runbook_urls import RunbookUrl, RunbookUrlRefusedError, require_allowed_runbook_url
from tarsy_tool_gateway.builtin.runbooks.dns_guard import ResolvedAddress
from tarsy_tool_gateway.builtin.runbooks.fetcher import RunbookFetcher
from tarsy_tool_gateway.builtin.runbooks.github import raw_file_url
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules
from tarsy_tool_gateway.tool_servers import ToolOutput

RAW = "https://raw.githubusercontent.com"
TOKEN = "ghp-fake-token-of-the-test"
OTHER = "wiki.example.org"
NAMES = ("github.com", "raw.githubusercontent.com", "api.github.com", OTHER)


def linked(text: str) -> RunbookUrl:
    return raw_file_url(require_allowed_runbook_url(text, NAMES))


@pytest.mark.parametrize(
    ("link", "text"),
    [
        ("https://github.com/acme/books/blob/main/db/disk.md", f"{RAW}/acme/books/main/db/disk.md"),
        ("https://github.com/acme/books/blob/main/db/disk.md?plain=1#L7", f"{RAW}/acme/books/main/db/disk.md"),
        ("https://github.com/acme/books/raw/main/disk.md", f"{RAW}/acme/books/main/disk.md"),
        ("https://github.com/acme/books/blob/feature/new/disk.md", f"{RAW}/acme/books/feature/new/disk.md"),
        ("https://github.com/acme/books/blob/refs/heads/main/x.md", f"{RAW}/acme/books/refs/heads/main/x.md"),
        ("https://github.com/acme/books/blob/main/disk%20full.md", f"{RAW}/acme/books/main/disk%20full.md"),
        ("http://github.com/acme/books/blob/main/x.md", f"{RAW}/acme/books/main/x.md"),
        (f"{RAW}/acme/books/main/x.md", f"{RAW}/acme/books/main/x.md"),
        ("http://raw.githubusercontent.com/acme/x?y=1", f"{RAW}/acme/x?y=1"),
        ("https://github.com/acme/books", "https://github.com/acme/books"),
        ("https://wiki.example.org/a/b/blob/main/x.md", "https://wiki.example.org/a/b/blob/main/x.md"),
    ],
)
def test_a_link_to_a_page_of_a_file_becomes_the_address_of_its_text(link: str, text: str) -> None:
    assert str(linked(link)) == text


def test_a_link_to_a_folder_is_refused() -> None:
    with pytest.raises(RunbookUrlRefusedError, match="folder on GitHub"):
        linked("https://github.com/acme/books/tree/main/db")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RunbookServer]:
    """All hosts of the tests, with certificates of theirs: the DNS of the tests leads here."""
    _, *files = write_certificates(tmp_path, *NAMES)
    with runbook_server(*files) as server:
        yield server


@pytest.fixture
def tls(world: RunbookServer, tmp_path: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=tmp_path / "authority.pem")


async def fetch(link: str, world: RunbookServer, tls: ssl.SSLContext, *, token: str | None = TOKEN) -> ToolOutput:
    async def find(_: RunbookUrl) -> list[ResolvedAddress]:
        return [ResolvedAddress("127.0.0.1", world.port)]

    rules = RunbookRules(allowed_domains=NAMES, seconds=90.0, token=token, token_name="BOOKS_TOKEN")
    return await RunbookFetcher(rules, find=find, tls=tls).fetch(linked(link))


def shown(world: RunbookServer) -> list[tuple[str, str | None]]:
    """Who was asked, and what was shown."""
    return [(asked.headers["Host"], asked.headers["Authorization"]) for asked in world.asked]


async def test_the_token_goes_to_github(world: RunbookServer, tls: ssl.SSLContext) -> None:
    world.url("/acme/books/main/x.md", Answer(b"private steps"))
    assert await fetch("https://github.com/acme/books/blob/main/x.md", world, tls) == ToolOutput("ok", "private steps")
    assert shown(world) == [("raw.githubusercontent.com", f"Bearer {TOKEN}")]


async def test_the_token_goes_to_nobody_else(world: RunbookServer, tls: ssl.SSLContext) -> None:
    world.url("/x", Answer())
    assert (await fetch(f"https://{OTHER}/x", world, tls)).outcome == "ok"
    assert shown(world) == [(OTHER, None)]


async def test_the_token_does_not_follow_a_redirect_to_another_host(world: RunbookServer, tls: ssl.SSLContext) -> None:
    world.redirect("/acme/x", f"https://{OTHER}/moved")
    world.redirect("/moved", f"{RAW}/back")
    world.url("/back", Answer())
    assert (await fetch(f"{RAW}/acme/x", world, tls)).outcome == "ok"
    assert shown(world) == [
        ("raw.githubusercontent.com", f"Bearer {TOKEN}"),
        (OTHER, None),
        ("raw.githubusercontent.com", None),
    ]


async def test_the_token_stays_on_a_redirect_within_its_host(world: RunbookServer, tls: ssl.SSLContext) -> None:
    world.redirect("/acme/x", "/acme/renamed")
    world.url("/acme/renamed", Answer())
    assert (await fetch(f"{RAW}/acme/x", world, tls)).outcome == "ok"
    assert [token for _, token in shown(world)] == [f"Bearer {TOKEN}"] * 2


@pytest.mark.parametrize(
    ("token", "hint"),
    [
        (None, "Private repositories need a token: set BOOKS_TOKEN in the environment of the tool gateway."),
        (TOKEN, "In a private repository: the token in BOOKS_TOKEN has to be valid, and allowed to read it."),
    ],
)
async def test_what_github_does_not_find_may_be_private(
    world: RunbookServer, tls: ssl.SSLContext, token: str | None, hint: str
) -> None:
    said = await fetch("https://github.com/acme/books/blob/main/x.md", world, tls, token=token)
    assert said == ToolOutput("tool_error", f"raw.githubusercontent.com has no such runbook (HTTP 404). {hint}")


async def test_a_certificate_of_another_host_is_not_trusted(tmp_path: Path) -> None:
    _, *files = write_certificates(tmp_path, OTHER)
    with runbook_server(*files) as world:
        said = await fetch(f"{RAW}/x", world, ssl.create_default_context(cafile=tmp_path / "authority.pem"))
    assert said.outcome == "unavailable"
    assert "its certificate is not trusted" in said.text
    assert world.asked == []


def test_the_token_is_in_no_repr() -> None:
    assert TOKEN not in repr(RunbookRules(token=TOKEN))
