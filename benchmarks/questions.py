"""How soon the reply to a question begins to stream: `python benchmarks/questions.py [--sessions 40]`.

From sending the question to the first words of the reply on a WebSocket, with an instant model behind real HTTP, all
services and the projection at work. First for sessions whose state their owner has in memory, then, after a restart of
the orchestrator, for sessions of which it knows the head alone, and last for 20 of those at once. And what the
orchestrator's memory is before the first of the questions and after the last.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import httpx2
import uvloop
from processes import all_used
from saying import load_told, say, tail
from submitting import submit
from watching import Watch, follow, until_ended
from websockets.asyncio.client import connect
from whole_system import Plan, Whole, prepared, serving

from tarsy_bus.background_tasks import background_tasks
from tarsy_contracts.api.websocket import (
    ChatUserMessage,
    ClientAction,
    SessionStatusChanged,
    StageStatusChanged,
    StreamedText,
    TimelineEventCreated,
    read_message,
)

TURNS = 4
GIVE_UP_SECONDS = 120.0
AT_ONCE = 20
SETTLED_SECONDS = 2.0
QUESTION = "Since when does the pod restart, and is it over?"


@dataclass(frozen=True, slots=True)
class Asked:
    """Milliseconds from sending the question: until it was answered with 202, and until the reply's first words."""

    taken: float
    streams: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=40)
    given = parser.parse_args()
    plan = Plan(model_seconds=0.0, tool_seconds=0.0, turns=TURNS)
    with load_told(), prepared(plan) as whole:
        uvloop.run(run(whole, plan, given.sessions))


async def run(whole: Whole, plan: Plan, sessions: int) -> None:
    watch, began = Watch(), asyncio.Event()
    async with serving(whole, plan), background_tasks(follow(whole.bus, watch, began)), httpx2.AsyncClient() as client:
        await began.wait()
        ids = list((await submit(whole.system.of("ingest").url, 3 * sessions)).values())
        if not await until_ended(watch, len(ids), GIVE_UP_SECONDS):
            raise TimeoutError("not all sessions ended")
        await asyncio.sleep(SETTLED_SECONDS)
        before = memory(whole)
        tell("its owner has it in memory", [await ask(whole, client, one) for one in ids[:sessions]])
        say(f"memory of the orchestrator: {before:.0f} MB before, {memory(whole):.0f} MB after")
        await restart_the_orchestrator(whole)
        await ask(whole, client, ids[0])
        before = memory(whole)
        tell("its owner knows its head alone", [await ask(whole, client, one) for one in ids[sessions : 2 * sessions]])
        tell(f"the same, {AT_ONCE} at once", await ask_together(whole, client, ids[2 * sessions :]))
        await asyncio.sleep(SETTLED_SECONDS)
        say(f"memory of the orchestrator: {before:.0f} MB before, {memory(whole):.0f} MB after")


async def ask_together(whole: Whole, client: httpx2.AsyncClient, ids: Sequence[str]) -> list[Asked]:
    found: list[Asked] = []
    for start in range(0, len(ids), AT_ONCE):
        found += await asyncio.gather(*(ask(whole, client, one) for one in ids[start : start + AT_ONCE]))
    return found


async def ask(whole: Whole, client: httpx2.AsyncClient, session_id: str) -> Asked:
    """Asks, and waits for the end of the reply."""
    url = f"{whole.system.of('websocket-gateway').url.replace('http', 'ws', 1)}/api/v1/ws"
    async with asyncio.timeout(GIVE_UP_SECONDS), connect(url, max_size=None) as socket:
        await socket.send(ClientAction(action="subscribe", channel=f"session:{session_id}").to_text())
        while not isinstance(read_message(await socket.recv()), SessionStatusChanged):
            pass
        began = time.monotonic()
        sending = asyncio.create_task(send(whole, client, session_id))
        streams, stage = 0.0, None
        while True:
            message = read_message(await socket.recv())
            if isinstance(message, ChatUserMessage):
                stage = message.stage_id
            elif stage is not None and not streams and isinstance(message, StreamedText | TimelineEventCreated):
                streams = time.monotonic() if _has_words(message) else 0.0
            elif isinstance(message, StageStatusChanged) and message.stage_id == stage and message.status != "started":
                return Asked((await sending - began) * 1000, (streams - began) * 1000)


def _has_words(message: StreamedText | TimelineEventCreated) -> bool:
    return isinstance(message, StreamedText) or message.event_type == "llm_response"


async def send(whole: Whole, client: httpx2.AsyncClient, session_id: str) -> float:
    """Returns when the question was taken in."""
    url = f"{whole.system.of('timeline').url}/api/v1/sessions/{session_id}/chat/messages"
    answer = await client.post(url, json={"content": QUESTION}, timeout=GIVE_UP_SECONDS)
    if answer.status_code != 202:
        raise AssertionError(f"the question was refused: {answer.text}")
    return time.monotonic()


async def restart_the_orchestrator(whole: Whole) -> None:
    await asyncio.to_thread(whole.system.of("orchestrator").stop)
    await whole.system.until_ready(whole.system.start("orchestrator", name="orchestrator-2"))


def memory(whole: Whole) -> float:
    used = all_used(whole.processes())
    return sum(one.memory_mb for name, one in used.items() if name.startswith("orchestrator"))


def tell(what: str, found: Sequence[Asked]) -> None:
    say(what)
    say(f"  question to 202: {tail([one.taken for one in found])}")
    say(f"  question to the first words of the reply: {tail([one.streams for one in found])}")


if __name__ == "__main__":
    main()
