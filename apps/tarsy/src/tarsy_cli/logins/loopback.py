"""Listener on loopback for the answer of an authorization server (RFC 8252): one path, for one login."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import parse_qs, urlsplit

from mcp.shared.auth import AuthorizationCodeResult

from tarsy_cli.logins.errors import ServerLoginError

HOST, PATH = "127.0.0.1", "/callback"
MOST_HEAD_BYTES = 16 * 1024
HEAD_SECONDS = 5.0
DONE = "You may close this page: `tarsy servers login` has the answer."
NOT_OURS = "This is not the answer to the login that waits here."


class LoopbackListener:
    def __init__(self, port: int) -> None:
        self.redirect_uri = f"http://{HOST}:{port}{PATH}"
        self._state = ""
        self._answer: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()

    async def wait(self, state: str) -> AuthorizationCodeResult:
        """The answer with this state; any other one is refused, and waited past. Raises ServerLoginError."""
        self._state = state
        return await self._answer

    async def serve(self, reading: asyncio.StreamReader, writing: asyncio.StreamWriter) -> None:
        """One connection: any page may send requests here, so that only the state counts."""
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reading.readuntil(b"\r\n\r\n")
            status, text = self._take_request(head.split(b"\r\n", 1)[0].decode("latin-1"))
            body = text.encode()
            lines = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
            writing.write(f"{lines}Connection: close\r\n\r\n".encode() + body)
            await writing.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writing.close()
            with suppress(OSError):
                await writing.wait_closed()

    def _take_request(self, line: str) -> tuple[str, str]:
        method, _, rest = line.partition(" ")
        address = urlsplit(rest.partition(" ")[0])
        if method != "GET" or address.path != PATH:
            return "404 Not Found", NOT_OURS
        given = {name: values[0] for name, values in parse_qs(address.query).items()}
        state = given.get("state", "")
        if not self._state or not secrets.compare_digest(state.encode(), self._state.encode()) or self._answer.done():
            return "400 Bad Request", NOT_OURS
        if "code" in given:
            self._answer.set_result(AuthorizationCodeResult(code=given["code"], state=state, iss=given.get("iss")))
        else:
            error = (given.get("error", "no code"), given.get("error_description", ""))
            reason = ": ".join(part for part in error if part)
            self._answer.set_exception(ServerLoginError(f"the authorization server refused it: {reason}"))
        return "200 OK", DONE


@asynccontextmanager
async def listening(port: int) -> AsyncIterator[LoopbackListener]:
    """`port` 0: any that is free. Raises OSError."""
    found: list[LoopbackListener] = []

    async def serve(reading: asyncio.StreamReader, writing: asyncio.StreamWriter) -> None:
        await found[0].serve(reading, writing)

    server = await asyncio.start_server(serve, HOST, port, limit=MOST_HEAD_BYTES)
    found.append(LoopbackListener(server.sockets[0].getsockname()[1]))
    try:
        yield found[0]
    finally:
        server.close()
