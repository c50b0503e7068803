"""The command sends the key of its environment, and says what to do when it is refused."""

import asyncio
import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from tarsy_cli.api import ApiError, delete, download, get, post
from tarsy_cli.credentials import key_headers
from tarsy_cli.errors import CommandError
from tarsy_cli.watch.rendering import Payload
from tarsy_cli.watch.session_messages import follow
from tarsy_processes.ports import free_port
from tarsy_testing.servers.http_server import Quiet, serving

KEY = "tarsy_abc"


class Guarded(Quiet):
    """Lets in whoever has the key, but for what an operator may do."""

    def _answer(self) -> None:
        known = self.headers.get("Authorization") == f"Bearer {KEY}"
        status = 401 if not known else 403 if self.path == "/operators" else 200
        detail = {401: "Send a key.", 403: "This needs the role operator, and you have the role viewer."}
        body = json.dumps({"detail": detail.get(status, "")}).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_DELETE = _answer  # as http.server has it


@pytest.fixture
def url() -> Iterator[str]:
    with serving(Guarded) as url:
        yield url


def test_each_request_has_the_key(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TARSY_API_KEY", KEY)
    assert get(url) == post(url, {}) == delete(url, idempotency_key="k") == {"detail": ""}
    assert download(url, tmp_path / "file") > 0


def test_the_key_may_lie_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n", encoding="ascii")
    monkeypatch.setenv("TARSY_API_KEY_FILE", str(file))
    assert key_headers() == {"Authorization": f"Bearer {KEY}"}
    file.unlink()
    with pytest.raises(CommandError, match="TARSY_API_KEY_FILE"):
        key_headers()


def test_what_is_no_key_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARSY_API_KEY", "a b")
    with pytest.raises(CommandError) as refused:
        key_headers()
    assert ("TARSY_API_KEY" in str(refused.value), "a b" in str(refused.value)) == (True, False)


@pytest.mark.parametrize(
    ("key", "path", "sentence"),
    [
        ("", "/", "Send a key. TARSY_API_KEY holds no key: set it to one that this TARSy knows."),
        ("other", "/", "Send a key. The key in TARSY_API_KEY is not one that this TARSy takes now."),
        (KEY, "/operators", "This needs the role operator, and you have the role viewer."),
    ],
    ids=["none", "wrong", "too little"],
)
def test_a_refusal_is_a_sentence(url: str, monkeypatch: pytest.MonkeyPatch, key: str, path: str, sentence: str) -> None:
    monkeypatch.setenv("TARSY_API_KEY", key)
    with pytest.raises(ApiError) as refused:
        get(f"{url}{path}")
    assert str(refused.value) == sentence


class Shown:
    """A view that ends with the first message."""

    ended = False

    def show(self, payload: Payload) -> None:
        self.ended = True

    def show_interruption(self, reason: str) -> None:
        raise AssertionError(reason)


async def _nothing() -> None:
    return


@pytest.mark.parametrize("key", ["", KEY], ids=["none", "right"])
async def test_a_session_is_watched_with_the_key_and_a_refusal_ends_it_at_once(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("TARSY_API_KEY", key)

    def guard(connection: ServerConnection, request: Request) -> Response | None:
        known = request.headers.get("Authorization") == f"Bearer {KEY}"
        return None if known else connection.respond(HTTPStatus.UNAUTHORIZED, "{}")

    async def tell(connection: ServerConnection) -> None:
        await connection.recv()
        status = {"type": "session.status", "session_id": "s", "status": "pending", "number": 1}
        told = {"final_analysis": None, "error_message": None, "timestamp": "2026-11-22T10:00:00.000Z"}
        await connection.send(json.dumps({**status, **told}))
        await connection.wait_closed()

    port, view = free_port(), Shown()
    async with serve(tell, "127.0.0.1", port, process_request=guard), asyncio.timeout(90):
        following = follow(f"http://127.0.0.1:{port}", "s", view, _nothing)
        if key:
            await following
        else:
            with pytest.raises(ApiError, match=r"^TARSY_API_KEY holds no key"):
                await following
    assert view.ended is bool(key)
