"""CPU of one LLM call and of one tool call: `python benchmarks/cost_of_calls.py [--calls 1000] [--at-once 200]`.

The real OpenAI adapter and the tool gateway's real MCP connection, against local servers in processes of their own.
Only the CPU of this process counts. `--profile` prints where it goes, by own time (it then costs more).
"""

import argparse
import asyncio
import cProfile
import pstats
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import uvloop
from outside import Outside, outside
from pydantic import SecretStr
from saying import load_told, say

from tarsy_bus.connection import Bus
from tarsy_bus.publisher import Publisher
from tarsy_bus.topics_admin import apply_topics
from tarsy_contracts.chunks import LlmChunk
from tarsy_contracts.conversation import (
    AssistantMessage,
    Conversation,
    ToolCall,
    ToolDefinition,
    ToolMessage,
    UserMessage,
)
from tarsy_contracts.inputs import CallClaimed
from tarsy_contracts.requests import ToolCallRequest
from tarsy_contracts.topics import Topics
from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.openai import OpenAiLlm
from tarsy_llm.protocol import Answer, Llm, LlmRequest
from tarsy_llm.timeouts import LimitedLlm, StreamLimits
from tarsy_masking.masker import Masker
from tarsy_processes.ports import free_port
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.sdk_logs import mute_values_in_sdk_logs
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, ServerPlan
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.results.results import prepare
from tarsy_worker.claim_types import ServerLimits
from tarsy_worker.reports import InboxClient

SERVER = "bench"
ANSWER_SECONDS = 0.5
READY_SECONDS = 20.0
TOP = 30
PROMPT = "You investigate alerts of a Kubernetes cluster. Look before you conclude. " * 40
TOOLS = tuple(
    ToolDefinition(
        name=f"bench__tool_{number}",
        description="Looks at something in the cluster, and says what is there. " * 3,
        input_schema={"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]},
    )
    for number in range(10)
)

type Call = Callable[[], Awaitable[object]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--at-once", type=int, default=200)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--no-kafka", action="store_true", help="only what needs none")
    given = parser.parse_args()
    with load_told(), outside(model_seconds=ANSWER_SECONDS, tool_seconds=ANSWER_SECONDS) as around:
        uvloop.run(without_kafka(around, given))
        if not given.no_kafka:
            with tempfile.TemporaryDirectory() as folder:
                kafka = EmbeddedKafka(
                    Path(folder), port=free_port(), cache_dir=default_cache_dir(), progress=lambda _: None
                )
                with kafka:
                    uvloop.run(with_kafka(kafka.bootstrap, around, given))


async def without_kafka(around: Outside, given: argparse.Namespace) -> None:
    async with model(around) as llm:
        await measure("LLM call, adapter alone", given, lambda: ask(llm))
    async with tools(around, given.at_once) as connection:
        await measure("tool call, connection alone", given, lambda: use(connection))
    mask = Masker.default().mask
    await measure("masking a tool's result", given, lambda: masked(mask))


async def with_kafka(bootstrap: str, around: Outside, given: argparse.Namespace) -> None:
    bus = Bus(bootstrap=bootstrap, topics=Topics("bench"), client="bench")
    await apply_topics(bus)
    publisher = Publisher(bus, source="bench/1", now=lambda: datetime.now(UTC))
    async with publisher.running():
        mask = Masker.default().mask
        async with model(around) as llm:
            await measure("LLM call, its chunks published", given, lambda: ask_and_publish(llm, publisher, mask))
        inbox = InboxClient(publisher)
        await measure("one report to the inbox", given, lambda: report(inbox))


async def measure(what: str, given: argparse.Namespace, call: Call) -> None:
    """After a tenth as many calls, which open connections and import what is imported late."""
    await repeat(call, given.calls // 10, given.at_once)
    profile = cProfile.Profile()
    if given.profile:
        profile.enable()
    began, cpu = time.monotonic(), time.process_time()
    await repeat(call, given.calls, given.at_once)
    cpu, wall = time.process_time() - cpu, time.monotonic() - began
    profile.disable()
    say(f"{what}: {cpu / given.calls * 1000:.2f} ms of CPU ({given.calls} calls in {wall:.1f} s)")
    if given.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(TOP)


async def repeat(call: Call, times: int, at_once: int) -> None:
    left = iter(range(times))

    async def one_after_the_other() -> None:
        for _ in left:
            await call()

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(one_after_the_other())


@asynccontextmanager
async def model(around: Outside) -> AsyncIterator[Llm]:
    settings = ModelSettings(model="bench", api_key=SecretStr("key"), base_url=around.model_url)
    llm = LimitedLlm(OpenAiLlm(settings), StreamLimits())
    try:
        yield llm
    finally:
        await llm.aclose()


async def ask(llm: Llm) -> Answer:
    async for part in llm.stream(REQUEST):
        if isinstance(part, Answer):
            return part
    raise AssertionError("no answer")


async def ask_and_publish(llm: Llm, publisher: Publisher, mask: Callable[[str], str]) -> None:
    session, call, index = str(uuid4()), str(uuid4()), 0
    async for part in llm.stream(REQUEST):
        if isinstance(part, Answer):
            return
        if "\n" in part.text:
            chunk = LlmChunk(call_id=call, execution_id=call, run=1, index=index, part=part.part, text=mask(part.text))
            await publisher.publish(publisher.topics.stream, chunk, key=session, id=f"{call}-{index}", subject=session)
            index += 1


async def report(inbox: InboxClient) -> None:
    id = str(uuid4())
    await inbox.report(id, CallClaimed(call_id=id, claim_id=id, worker_id=id))


@asynccontextmanager
async def tools(around: Outside, at_once: int) -> AsyncIterator[McpConnection]:
    mute_values_in_sdk_logs()
    plan = ServerPlan(
        name=SERVER, transport=HttpTransport(around.tools_url), limits=ServerLimits(concurrent=at_once, queue=at_once)
    )
    connection = McpConnection(plan, mask=lambda text: text, connect_seconds=READY_SECONDS)
    async with asyncio.TaskGroup() as group:
        group.create_task(connection.run())
        await connection.wait_ready(READY_SECONDS)
        try:
            yield connection
        finally:
            connection.stop()


async def use(connection: McpConnection) -> None:
    id = str(uuid4())
    request = ToolCallRequest(
        session_id=id,
        call_id=id,
        server=SERVER,
        tool="look",
        arguments={"what": "pods"},
        repeatable=True,
        timeout_seconds=60.0,
        not_after=datetime.now(UTC) + timedelta(seconds=60),
    )
    said = await McpToolServer(connection, READY_SECONDS).call(request)
    assert said.outcome == "ok", said


async def masked(mask: Callable[[str], str]) -> None:
    prepare(RESULT, mask)


def _conversation(turns: int) -> Conversation:
    messages = [UserMessage(content="The pod checkout restarts again and again. " * 20)]
    for turn in range(turns):
        call = ToolCall(id=f"c{turn}", name="bench__tool_1", arguments={"what": "pods"})
        messages.append(AssistantMessage(content="I look at the pods of the service.", tool_calls=(call,)))
        messages.append(ToolMessage(tool_call_id=call.id, tool_name=call.name, content=RESULT))
    return Conversation(system=PROMPT, messages=tuple(messages))


RESULT = "\n".join(f"pod/checkout-7c9d6f5b84-{n:05d}   1/1   Running   0   {n}h" for n in range(8))
REQUEST = LlmRequest(agent="bench", iteration=3, conversation=_conversation(2), tools=TOOLS)


if __name__ == "__main__":
    main()
