"""Signed bodies: on marked routes a signature tells who sends, everywhere else it counts for nothing."""

import asyncio
import hashlib
import hmac
from collections import Counter
from collections.abc import AsyncIterator, Sequence

import httpx2
import pytest
from fastapi import APIRouter, FastAPI, Request
from prometheus_client import CollectorRegistry
from starlette.types import Message, Scope
from structlog.testing import capture_logs

from tarsy_auth.auth_config import WebhookEntry
from tarsy_auth.roles import Role
from tarsy_auth.webhooks import Webhooks
from tarsy_processes.ports import free_port
from tarsy_service.access.caller import caller_of
from tarsy_service.access.http_policy import HttpPolicy
from tarsy_service.access.rights import RightsTable, rights
from tarsy_service.http.bounded_http import HttpLimits, Traffic
from tarsy_service.http.server import http_server
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Ready, Service
from tarsy_testing.access import authenticate, key_of
from tarsy_testing.real_servers import eventually

HOST = "127.0.0.1"
ALERTS, CHAT, REBUILD = "/api/v1/alerts", "/api/v1/chat", "/api/v1/rebuild"
LIMIT_BYTES = 100_000
HEADER, OTHER_HEADER = "X-Hub-Signature-256", "X-Signature"
SECRET = b"a secret of the sender"
BODY = b"x" * 50_000
PIECES = [BODY[:1], b"", BODY[1:40_000], BODY[40_000:]]
type Header = tuple[str, str]


def entry(name: str, header: str) -> WebhookEntry:
    fields = {"name": name, "secret_file": "file", "header": header}
    return WebhookEntry.model_validate(fields, context=lambda _: SECRET)


SENDERS = Webhooks([entry("github", HEADER), entry("other", OTHER_HEADER)])


async def senders() -> Webhooks:
    return SENDERS


POLICY = HttpPolicy(authenticate=authenticate, webhooks=senders)


def signed(body: bytes = BODY, header: str = HEADER, secret: bytes = SECRET) -> Header:
    return header, f"sha256={hmac.new(secret, body, hashlib.sha256).hexdigest()}"


async def nothing(ready: Ready) -> None:
    ready()


class Asked:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.reached = 0
        router = APIRouter()

        @router.post(ALERTS)
        @router.get(ALERTS)
        @router.post(CHAT)
        @router.post(REBUILD)
        async def taken(request: Request) -> dict[str, str]:
            self.reached += 1
            body = await request.body()
            return {"name": caller_of(request).name, "digest": hashlib.sha256(body).hexdigest()}

        table = (
            *rights(Role.RESPONDER, f"POST {ALERTS}", signed_bytes=LIMIT_BYTES),
            *rights(Role.VIEWER, f"GET {ALERTS}"),
            *rights(Role.RESPONDER, f"POST {CHAT}"),
            *rights(Role.OPERATOR, f"POST {REBUILD}"),
        )
        service = Service("one", nothing, router, rights=table)
        self.app: FastAPI = build_app([service], Readiness([]), self.registry, policy=POLICY)

    async def __call__(
        self, *headers: Header, pieces: Sequence[bytes] = PIECES, path: str = ALERTS, method: str = "POST"
    ) -> httpx2.Response:
        async def sent() -> AsyncIterator[bytes]:
            for piece in pieces:
                yield piece

        transport = httpx2.ASGITransport(app=self.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, headers=list(headers), content=sent())

    def denied(self, reason: str) -> float:
        return self.registry.get_sample_value("tarsy_http_denied_total", {"reason": reason}) or 0

    def answered(self, status: int) -> float:
        labels = {"method": "POST", "route": "other", "status": str(status)}
        return self.registry.get_sample_value("tarsy_http_requests_total", labels) or 0


async def test_a_body_that_comes_in_pieces_is_handed_on_as_its_sender_signed_it() -> None:
    answer = await Asked()(signed())
    assert answer.json() == {"name": "github", "digest": hashlib.sha256(BODY).hexdigest()}


async def test_an_empty_body_can_be_signed() -> None:
    answer = await Asked()(signed(b""), pieces=[])
    assert answer.json() == {"name": "github", "digest": hashlib.sha256(b"").hexdigest()}


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (signed(BODY + b"y"), "unknown"),
        (signed(secret=b"a secret of a stranger"), "unknown"),
        ((HEADER, "sha256=abc"), "malformed"),
        ((HEADER, ""), "malformed"),
    ],
    ids=["other body", "other secret", "short", "empty"],
)
async def test_a_wrong_signature_is_refused_counted_and_logged_without_it(header: Header, reason: str) -> None:
    asked = Asked()
    with capture_logs() as lines:
        answer = await asked(header)
    assert (answer.status_code, answer.headers["content-type"]) == (401, "application/problem+json")
    assert answer.json()["detail"] == "No sender that is known here signed this body."
    assert (asked.denied(reason), asked.reached) == (1, 0)
    assert [(line["event"], line["reason"]) for line in lines] == [("request.denied", reason)]
    assert not header[1] or header[1] not in str(lines)


@pytest.mark.parametrize(("path", "method"), [(CHAT, "POST"), (REBUILD, "POST"), (ALERTS, "GET"), ("/nowhere", "POST")])
async def test_on_other_routes_a_signature_counts_for_nothing(path: str, method: str) -> None:
    asked = Asked()
    answer = await asked(signed(), path=path, method=method)
    assert (answer.status_code, asked.denied("missing"), asked.reached) == (401, 1, 0)


async def test_beside_a_signature_the_authorization_counts_alone() -> None:
    asked = Asked()
    wrong, nobody = signed(secret=b"a secret of a stranger"), ("Authorization", "Bearer nobody")
    assert (await asked(wrong, ("Authorization", key_of(Role.RESPONDER)))).json()["name"] == "the responder"
    assert (await asked(signed(), nobody)).status_code == 401
    assert (await asked(signed(), ("Authorization", ""))).status_code == 401
    assert (await asked(signed(), ("Authorization", key_of(Role.VIEWER)))).status_code == 403


@pytest.mark.parametrize(
    "headers", [(signed(), signed()), (signed(), signed(header=OTHER_HEADER))], ids=["the same twice", "two"]
)
async def test_two_signatures_are_none(headers: tuple[Header, Header]) -> None:
    asked = Asked()
    assert (await asked(*headers)).status_code == 401
    assert asked.denied("missing") == 1


async def test_a_body_longer_than_the_door_takes_is_refused_before_it_is_judged() -> None:
    asked = Asked()
    body = b"x" * (LIMIT_BYTES + 1)
    for declared in ([], [("Content-Length", str(len(body)))]):
        answer = await asked(signed(body), *declared, pieces=[body[:LIMIT_BYTES], body[LIMIT_BYTES:]])
        assert (answer.status_code, answer.headers["content-type"]) == (413, "application/problem+json")
    assert asked.reached == 0
    assert (await asked(signed(body[1:]), pieces=[body[1:]])).status_code == 200


async def test_a_sender_that_goes_before_its_body_ended_is_no_error_of_ours() -> None:
    asked, answers = Asked(), []
    unread: list[Message] = [
        {"type": "http.disconnect"},
        {"type": "http.request", "body": b"x", "more_body": True},
    ]

    async def receive() -> Message:
        return unread.pop()

    async def send(message: Message) -> None:
        answers.append(message)

    raw = [(name.lower().encode(), value.encode()) for name, value in [("Host", "localhost"), signed()]]
    scope: Scope = {"type": "http", "method": "POST", "path": ALERTS, "headers": raw, "query_string": b""}
    await asked.app(scope, receive, send)
    assert (asked.answered(499), asked.reached) == (1, 0)


async def test_a_signed_body_that_does_not_come_ends_after_the_time_of_bodies() -> None:
    asked, port = Asked(), free_port()
    refused: Counter[str] = Counter()
    limits = HttpLimits(body_seconds=0.5)
    name, value = signed()
    head = f"POST {ALERTS} HTTP/1.1\r\nhost: {HOST}\r\ncontent-length: {len(BODY)}\r\n{name}: {value}\r\n\r\n"
    async with http_server(asked.app, HOST, port, limits=limits, count=lambda why: refused.update([why])) as traffic:
        reader, writer = await asyncio.open_connection(HOST, port)
        writer.write(head.encode() + BODY[:-1])
        answer = await reader.read()
        writer.close()
        await eventually(lambda: _is_free(traffic), "nothing is left of the body")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert (dict(refused), asked.reached) == ({"slow_body": 1}, 0)


async def _is_free(traffic: Traffic) -> bool:
    return traffic.bytes_in_flight == 0


def test_the_shortest_limit_counts_where_templates_overlap() -> None:
    table = RightsTable(
        [
            *rights(Role.RESPONDER, "POST /a/{id}", signed_bytes=9),
            *rights(Role.RESPONDER, "POST /a/b", signed_bytes=5),
            *rights(Role.ADMIN, "POST /{x}/c"),
        ]
    )
    assert [table.limit_signed_bytes("POST", path) for path in ("/a/a", "/a/b", "/a/c", "/b")] == [9, 5, 0, 0]
