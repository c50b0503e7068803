"""A crowd on a few sessions whose texts have streamed for a while: everybody sees the same, however they come."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from tarsy_contracts.messages.chunks import LlmChunk, TextSoFar

pytestmark = pytest.mark.asyncio(loop_scope="session")

type Story = Callable[[], Any]

WAIT_SECONDS = 90.0
SESSIONS, CLIENTS, SLOW, RELOADING = 4, 200, 20, 60
BEFORE, LIVE = 150, 60
TELLING = 2
"""So many of the sessions tell now and then all that was said; the others have a writer of 0.1.0, which does not."""
TELLS_EACH = 20
END = "the end."
SLOW_PAUSE_SECONDS = 0.02


def chunk(session: Any, index: int) -> LlmChunk:
    text = END if index == BEFORE + LIVE - 1 else f"word {index} "
    return LlmChunk(
        call_id=f"{session.id}/l", execution_id=f"{session.id}/e", run=1, index=index, part="text", text=text
    )


def told(session: Any, begin: int, end: int) -> list[LlmChunk | TextSoFar]:
    """Chunks, and what their writer tells between them."""
    found: list[LlmChunk | TextSoFar] = []
    for index in range(begin, end):
        found.append(chunk(session, index))
        if session.tells and index % TELLS_EACH == 0:
            text = "".join(chunk(session, one).text for one in range(index + 1))
            found.append(
                TextSoFar(call_id=f"{session.id}/l", execution_id=f"{session.id}/e", run=1, index=index, text=text)
            )
    return found


async def subscribe(client: ClientConnection, session: Any) -> None:
    await client.send(json.dumps({"action": "subscribe", "channel": f"session:{session.id}"}))


async def read_text(client: ClientConnection, until: Callable[[str], bool], *, pause: float = 0.0) -> str:
    """What a client shows once `until` says so. `pause`: after each message, of a client that reads slowly."""
    text = ""
    async with asyncio.timeout(WAIT_SECONDS):
        while not until(text):
            message = json.loads(await client.recv())
            assert message["type"] != "subscription.error", message
            text = "" if message["type"] == "stream.reset" else text + message.get("delta", "")
            await asyncio.sleep(pause)
    return text


async def watch(gateway: str, session: Any, number: int) -> str:
    """The last text of this client; some have reloaded the page before, some read slowly."""
    if number < RELOADING:
        async with connect(gateway, max_size=None) as first:
            await subscribe(first, session)
            await read_text(first, lambda text: bool(text))
    async with connect(gateway, max_size=None) as client:
        await subscribe(client, session)
        pause = SLOW_PAUSE_SECONDS if number >= CLIENTS - SLOW else 0.0
        return await read_text(client, lambda text: text.endswith(END), pause=pause)


async def test_a_crowd_that_comes_while_texts_stream_sees_all_of_them(
    gateway: str, append: Callable[..., Any], stream: Callable[..., Any], story: Story
) -> None:
    """Some reload, some are slow, one never reads: nobody else notices."""
    sessions = [story() for _ in range(SESSIONS)]
    for number, session in enumerate(sessions):
        session.tells = number < TELLING
        await append(session.records[:4])
        await stream(session.id, *told(session, 0, BEFORE))

    async def go_on(session: Any) -> None:
        await stream(session.id, *told(session, BEFORE, BEFORE + LIVE))

    async with connect(gateway, max_size=None, max_queue=1) as stalled:
        await subscribe(stalled, sessions[0])
        clients = [asyncio.create_task(watch(gateway, sessions[one % SESSIONS], one)) for one in range(CLIENTS)]
        await asyncio.gather(*map(go_on, sessions))
        shown = await asyncio.gather(*clients)

    whole = ["".join(chunk(session, index).text for index in range(BEFORE + LIVE)) for session in sessions]
    assert shown == [whole[one % SESSIONS] for one in range(CLIENTS)]
