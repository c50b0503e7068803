"""Downloads of results over a real connection: readers that are slow, and readers that go away."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from fastapi import FastAPI
from structlog.testing import capture_logs

from tarsy_processes.ports import free_port
from tarsy_results.source import ResultGoneError, ResultSource
from tarsy_service.http.server import http_server
from tarsy_timeline.api.results.download import DownloadResponse, ResultDownload

PIECE = b"x" * (512 * 1024)
PIECES = 64
WAIT_SECONDS = 30.0
QUESTION = b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n"


class StoredText:
    """What a download reads, and whether it still holds it."""

    def __init__(self, *, seconds: float = WAIT_SECONDS, fails_at: int = PIECES) -> None:
        self._seconds = seconds
        self._fails_at = fails_at
        self.read = 0
        self.released = asyncio.Event()

    def download(self) -> ResultDownload:
        held = AsyncExitStack()
        held.callback(self.released.set)
        source = ResultSource(lines=1, size=len(PIECE) * PIECES, pieces=self._pieces())
        return ResultDownload(source, b"", held, self._seconds)

    async def _pieces(self) -> AsyncGenerator[bytes]:
        for number in range(PIECES):
            if number == self._fails_at:
                raise ResultGoneError("it was deleted meanwhile")
            self.read += 1
            yield PIECE


@asynccontextmanager
async def asked(text: StoredText) -> AsyncIterator[asyncio.StreamReader]:
    """A reader that has sent its question."""
    app, port = FastAPI(), free_port()

    @app.get("/")
    async def get() -> DownloadResponse:
        return DownloadResponse(text.download(), "result-1a2b3c4d.txt")

    async with http_server(app, "127.0.0.1", port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(QUESTION)
        yield reader
        writer.close()
        async with asyncio.timeout(WAIT_SECONDS):
            await text.released.wait()


async def test_the_whole_text_arrives_and_nothing_is_held_after_it() -> None:
    text = StoredText()
    async with asked(text) as reader:
        head, _, rest = (await reader.read()).partition(b"\r\n\r\n")
    assert f"content-length: {len(PIECE) * PIECES}".encode() in head.lower()
    assert rest == PIECE * PIECES


async def test_a_reader_that_goes_away_holds_nothing_and_is_no_error() -> None:
    text = StoredText()
    with capture_logs() as logs:
        async with asked(text) as reader:
            await reader.readexactly(1_000)
    assert text.read < PIECES
    assert logs == []


async def test_a_reader_that_does_not_read_on_is_left_when_its_time_is_over() -> None:
    text = StoredText(seconds=0.5)
    with capture_logs() as logs:
        async with asked(text) as reader:
            await reader.readexactly(1_000)
            async with asyncio.timeout(WAIT_SECONDS):
                await text.released.wait()
    assert text.read < PIECES
    assert [line["event"] for line in logs] == ["result.download_ended"]


async def test_a_text_that_is_gone_in_the_middle_ends_early_and_the_reader_can_tell(
    caplog: pytest.LogCaptureFixture,
) -> None:
    text = StoredText(fails_at=3)
    async with asked(text) as reader:
        _, _, rest = (await reader.read()).partition(b"\r\n\r\n")
    assert rest == PIECE * 3
    assert "Traceback" not in caplog.text
