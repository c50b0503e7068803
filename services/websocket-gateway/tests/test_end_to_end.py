"""The gateway between a real Kafka and a real timeline, which runs beside it as a process of its own."""

import asyncio
import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families
from websockets.asyncio.client import ClientConnection, connect

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts import events as e
from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_contracts.timeline.changes import llm_timeline_event_id
from tarsy_contracts.wire.ids import execution_id, stage_id
from tarsy_contracts.wire.topics import Topics
from tarsy_testing.browser.gateway_running import running_gateway
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.live_messages import PROGRESS
from tarsy_testing.story.projection import until_projected
from tarsy_testing.story.reply import Exchange
from tarsy_testing.story.whole_chain import whole_chain

pytestmark = pytest.mark.asyncio(loop_scope="session")

type Story = Callable[[], Any]
type Message = dict[str, Any]

WAIT_SECONDS = 90.0
WHOLE = [1, 2, 2, 3, 5, 5, 6, 8, 9, 10, 11, 11, 12, 13]


async def subscribe(client: ClientConnection, session: Any) -> None:
    await client.send(json.dumps({"action": "subscribe", "channel": f"session:{session.id}"}))


async def watch(gateway: str, client: ClientConnection, session: Any) -> None:
    """Subscribes alone to a session that nobody knows yet. Returns when the timeline has said so, and the log is read:
    whatever happens from here on comes live. The subscription is confirmed when the session begins."""
    await read_until(client, lambda message: message["type"] == "connection.established")
    await until_measured(gateway, "tarsy_websocket_gateway_subscriptions", 0)
    await subscribe(client, session)
    await until_measured(gateway, "tarsy_websocket_gateway_log_partitions", 1)


async def read_until(client: ClientConnection, until: Callable[[Message], bool]) -> list[Message]:
    messages: list[Message] = []
    async with asyncio.timeout(WAIT_SECONDS):
        while not messages or not until(messages[-1]):
            message = json.loads(await client.recv())
            if message["type"] in PROGRESS:
                continue
            messages.append(message)
            assert messages[-1]["type"] != "subscription.error" or until(messages[-1]), messages[-1]
    return messages


def text_ends(end: str) -> Callable[[Message], bool]:
    """Text that comes at once is one message."""
    return lambda message: message.get("delta", "").endswith(end)


def text_of(messages: list[Message]) -> str:
    """What a client shows of one timeline event. A reset empties it: the gateway read its stream anew."""
    text = ""
    for message in messages:
        text = "" if message["type"] == "stream.reset" else text + message["delta"]
    return text


def number_is(number: int) -> Callable[[Message], bool]:
    return lambda message: message.get("number") == number


async def test_a_subscriber_from_before_the_beginning_sees_all_of_it(
    gateway: str, append: Callable[..., Any], story: Story
) -> None:
    session = story()
    async with connect(gateway) as client:
        await watch(gateway, client, session)
        await append(session.records[:7])
        await append(session.records[7:])
        confirmed, *messages = await read_until(client, number_is(13))

    assert confirmed == {"type": "subscription.confirmed", "channel": f"session:{session.id}"}
    assert [one["number"] for one in messages] == WHOLE


async def test_an_alert_that_joins_a_session_after_its_sender_asked_is_followed_there(
    gateway: str, append: Callable[..., Any], story: Story
) -> None:
    session, alert = story(), str(uuid4())
    records = list(session.records)
    session.add(e.AlertRepeated(input_id="again", source="api", total=1, joined=(alert,)))
    async with connect(gateway) as client:
        await client.send(json.dumps({"action": "subscribe", "channel": f"session:{alert}"}))
        await append(records)
        await append(session.records[len(records) :])
        found = await read_until(client, lambda message: message["type"] == "session.status")

    confirmed = next(one for one in found if one["type"] == "subscription.confirmed")
    assert confirmed["session_id"] == session.id
    assert found[-1]["session_id"] == session.id


async def test_subscribers_in_the_middle_get_history_then_live_without_a_gap(
    gateway: str, append: Callable[..., Any], story: Story
) -> None:
    """One comes after each event; the next event is written while its history is on its way."""
    session, clients = story(), list[asyncio.Task[list[Message]]]()

    async def watch() -> list[Message]:
        async with connect(gateway) as client:
            await subscribe(client, session)
            return await read_until(
                client, lambda one: one["type"] == "session.status" and one["status"] == "completed"
            )

    for record in session.records:
        await append([record])
        clients.append(asyncio.create_task(watch()))
        await asyncio.sleep(0)

    for messages in await asyncio.gather(*clients):
        confirmed = [one["type"] for one in messages].index("subscription.confirmed")
        events = messages[confirmed + 1 :]
        states = [(one["type"], one.get("event_id"), one.get("status"), one["number"]) for one in events]
        assert len(states) == len(set(states))
        ended = {
            one["event_id"]: one["content"] for one in events if one.get("status") == "completed" and "event_id" in one
        }
        assert len(ended) == 5
        assert "It was DNS." in ended.values()


async def test_what_streams_is_there_for_late_subscribers_and_a_newer_run_replaces(
    gateway: str, append: Callable[..., Any], stream: Callable[..., Any], story: Story
) -> None:
    session = story()
    call = f"{session.id}/l"
    event_id = llm_timeline_event_id(call, "text")

    def chunk(run: int, index: int, text: str) -> LlmChunk:
        return LlmChunk(call_id=call, execution_id=f"{session.id}/e", run=run, index=index, part="text", text=text)

    async with connect(gateway) as early, connect(gateway) as late:
        await append(session.records[:4])
        await subscribe(early, session)
        await read_until(early, lambda one: one["type"] == "session.status")
        await stream(session.id, chunk(1, 0, "I "), chunk(1, 1, "thi"))
        first = await read_until(early, text_ends("thi"))
        await subscribe(late, session)
        caught_up = await read_until(late, lambda one: "delta" in one)
        await stream(session.id, chunk(2, 0, "I "), chunk(1, 2, "nk"), chunk(2, 1, "look."))
        rest = await read_until(late, text_ends("look."))
        await append(session.records[4:])
        ended = await read_until(late, lambda one: one.get("event_id") == event_id)

    created, *streamed = [one for one in first if one.get("event_id") == event_id]
    assert created["type"] == "timeline_event.created"
    assert text_of(streamed) == "I thi"
    assert [one["type"] for one in caught_up[-2:]] == ["timeline_event.created", "stream.chunk"]
    assert caught_up[-1]["delta"] == "I thi"
    assert [one["type"] for one in rest if one["type"] != "stream.chunk"] == ["stream.reset"]
    assert rest[0]["type"] == "stream.reset"
    assert text_of(rest) == "I look."
    assert (ended[-1]["type"], ended[-1]["content"]) == ("timeline_event.completed", "I look.")

    async def rest_is_read() -> dict[str, float] | None:
        shown = await metrics(gateway)
        return shown if shown["tarsy_websocket_gateway_log_lag_seconds"] == 0 else None

    shown = await eventually(rest_is_read, "the gateway has read the rest of the log")
    assert shown["tarsy_websocket_gateway_chunks_total"] >= 5
    assert shown["tarsy_process_ready"] == 1


async def test_who_resumes_alone_is_told_that_the_text_begins_again(
    gateway: str, append: Callable[..., Any], stream: Callable[..., Any], story: Story
) -> None:
    """Nobody watched meanwhile: the gateway reads the stream anew."""
    session = story()
    call = f"{session.id}/l"

    def chunk(index: int, text: str) -> LlmChunk:
        return LlmChunk(call_id=call, execution_id=f"{session.id}/e", run=1, index=index, part="text", text=text)

    await append(session.records[:4])
    async with connect(gateway) as client:
        await subscribe(client, session)
        await read_until(client, lambda one: one["type"] == "session.status")
        await stream(session.id, chunk(0, "I "), chunk(1, "thi"))
        await read_until(client, text_ends("thi"))
    await until_measured(gateway, "tarsy_websocket_gateway_subscriptions", 0)
    await stream(session.id, chunk(2, "nk"))
    async with connect(gateway) as client:
        await client.send(json.dumps({"action": "subscribe", "channel": f"session:{session.id}", "last_event_id": 4}))
        resumed = await read_until(client, text_ends("nk"))
        await append(session.records[4:])
        await read_until(client, lambda one: one["type"] == "session.status" and one["status"] == "completed")
    about = [one for one in resumed if one.get("event_id") == llm_timeline_event_id(call, "text")]
    assert [one["type"] for one in about[:2]] == ["timeline_event.created", "stream.reset"]
    assert text_of(about[1:]) == "I think"


async def until_measured(gateway: str, name: str, value: float) -> None:
    async def look() -> bool:
        return (await metrics(gateway))[name] == value

    await eventually(look, f"{name} is {value}")


async def metrics(gateway: str) -> dict[str, float]:
    """Those without labels, and of the others the last."""
    address = gateway.replace("ws://", "http://").replace("/api/v1/ws", "/metrics")
    async with httpx2.AsyncClient() as client:
        text = (await client.get(address)).text
    return {one.name: one.value for family in text_string_to_metric_families(text) for one in family.samples}


async def test_the_sessions_channel_has_the_status_of_all(
    gateway: str, append: Callable[..., Any], story: Story
) -> None:
    sessions = [story(), story()]
    running = {session.id for session in sessions}

    def ends_the_last(message: dict[str, Any]) -> bool:
        """Sessions of tests before may have news, too."""
        if message.get("status") == "completed":
            running.discard(message["session_id"])
        return not running

    async with connect(gateway) as client:
        await client.send(json.dumps({"action": "subscribe", "channel": "sessions"}))
        await read_until(client, lambda message: message["type"] == "subscription.confirmed")
        for session in sessions:
            await append(session.records)
        seen = await read_until(client, ends_the_last)

    for session in sessions:
        told = [one["status"] for one in seen if one["session_id"] == session.id]
        assert told == ["pending", "in_progress", "completed"]


async def test_a_session_streams_while_somebody_watches_the_list_too(
    gateway: str, timeline: str, append: Callable[..., Any], stream: Callable[..., Any], story: Story
) -> None:
    session = story()
    chunk = LlmChunk(call_id=f"{session.id}/l", execution_id=f"{session.id}/e", run=1, index=0, part="text", text="I ")
    async with connect(gateway) as listing, connect(gateway) as client:
        await listing.send(json.dumps({"action": "subscribe", "channel": "sessions"}))
        await read_until(listing, lambda message: message["type"] == "subscription.confirmed")
        await append(session.records[:4])
        await read_until(listing, lambda one: one.get("status") == "in_progress")
        await until_projected(timeline, session.id, 4)
        await subscribe(client, session)
        await read_until(client, lambda one: one["type"] == "session.status")
        await stream(session.id, chunk)
        await read_until(client, lambda one: one.get("delta") == "I ")


async def test_whoever_is_told_that_a_session_completed_reads_the_same_in_the_api(
    gateway: str, timeline: str, append: Callable[..., Any], story: Story
) -> None:
    session = story()
    async with connect(gateway) as client, httpx2.AsyncClient(base_url=timeline) as api:
        await watch(gateway, client, session)
        await append(session.records)
        await read_until(client, lambda one: one.get("status") == "completed" and one["type"] == "session.status")
        answer = await api.get(f"/api/v1/sessions/{session.id}/status")
    assert answer.json()["status"] == "completed"


async def test_a_session_that_never_begins_is_an_error(system_bus: Bus, timeline: str) -> None:
    async with running_gateway(system_bus, timeline, appear_seconds=0.0) as url, connect(url) as client:
        await client.send(json.dumps({"action": "subscribe", "channel": "session:never-was"}))
        *_, refused = await read_until(client, lambda message: message["type"] == "subscription.error")
    assert (refused["channel"], refused["code"]) == ("session:never-was", "unknown_session")


async def test_every_timeline_event_names_its_stage_live_and_in_history(
    gateway: str, append: Callable[..., Any], stream: Callable[..., Any], story: Story
) -> None:
    session = story()
    chunk = LlmChunk(call_id=f"{session.id}/l", execution_id=f"{session.id}/e", run=1, index=0, part="text", text="I ")
    async with connect(gateway) as early, connect(gateway) as late:
        await watch(gateway, early, session)
        await append(session.records[:4])
        await read_until(early, number_is(3))
        await stream(session.id, chunk)
        told = await read_until(early, lambda one: "delta" in one)
        await append(session.records[4:])
        told += await read_until(early, number_is(13))
        await subscribe(late, session)
        told += await read_until(late, number_is(13))
    created = [one for one in told if one["type"] == "timeline_event.created"]
    assert len(created) == 10
    assert {one["stage_id"] for one in created} == {f"{session.id}/st"}


async def test_a_gateway_that_starts_in_the_middle_knows_every_chain(
    system_bus: Bus, timeline: str, append: Callable[..., Any], story: Story
) -> None:
    session = story()
    zombie = session.add(e.SessionFailed(error="of an owner that was replaced")).records.pop()
    await append(session.records[:6])
    await until_projected(timeline, session.id, 6)
    async with running_gateway(system_bus, timeline) as url, connect(url) as client:
        await subscribe(client, session)
        await read_until(client, lambda one: one["type"] == "session.status")
        await append([session.records[2], *session.records[6:], zombie])
        messages = await read_until(client, number_is(13))

    assert [one["number"] for one in messages] == WHOLE[7:]


async def test_a_gateway_asks_about_a_session_that_ended_before_it_began(
    system_bus: Bus, timeline: str, append: Callable[..., Any], story: Story
) -> None:
    """It was told the chain of every session ever at each start, and kept them all."""
    session = story()
    zombie = session.records[:11]
    repeated = session.add(e.AlertRepeated(input_id="again", source="api")).records.pop()
    await append(session.records)
    await until_projected(timeline, session.id, 13)
    async with httpx2.AsyncClient(base_url=timeline, timeout=WAIT_SECONDS) as api:
        chains = await api.get("/internal/v1/chains", params={"open_only": "true"})
        assert session.id not in chains.text
    async with running_gateway(system_bus, timeline) as url, connect(url) as client:
        await client.send(json.dumps({"action": "subscribe", "channel": "sessions"}))
        await read_until(client, lambda message: message["type"] == "subscription.confirmed")
        another = story()
        await append([*zombie, repeated, *another.records])
        seen = await read_until(client, lambda one: one["session_id"] == another.id and one["status"] == "completed")
        # The timeline may have been behind with sessions of tests before, of which there is news then, too.
        assert session.id not in {one["session_id"] for one in seen}, "zombies of the ended session are not shown"
    await until_projected(timeline, session.id, 14)


async def test_of_a_whole_chain_history_tells_what_was_live(
    gateway: str, append: Callable[..., Any], new_session: Callable[[], Any]
) -> None:
    session = new_session()
    session.add(*whole_chain(session.id))
    last = len(session.records)
    async with connect(gateway) as client:
        await watch(gateway, client, session)
        await append(session.records)
        live = known(await read_until(client, number_is(last)))
    async with connect(gateway) as client:
        await subscribe(client, session)
        history = known(await read_until(client, number_is(last)))

    fallen_back = execution_id(stage_id(session.id, 1), 2)
    live[fallen_back] |= {"llm_provider": "claude", "original_llm_provider": "gemini"}
    told = {id: {name: value for name, value in one.items() if value is not None} for id, one in history.items()}
    assert told == {id: {name: value for name, value in one.items() if value is not None} for id, one in live.items()}
    assert len(told) == 1 + 4 + 5 + 15


def known(messages: list[Message]) -> dict[str, Message]:
    """What a client that keeps everything by id knows in the end. When it was told is another matter."""
    found: dict[str, Message] = {}
    for message in messages:
        about = message.get("event_id") or message.get("execution_id") or message.get("stage_id")
        if message.get("session_id") is None:
            continue
        shown = {name: value for name, value in message.items() if name not in ("type", "timestamp", "db_event_id")}
        metadata = found.get(about or "session", {}).get("metadata", {}) | shown.get("metadata", {})
        found[about or "session"] = found.get(about or "session", {}) | shown | {"metadata": metadata}
    return found


async def test_who_comes_in_the_middle_of_a_reply_gets_what_streams_and_after_its_end_only_what_was_said(
    gateway: str, timeline: str, append: Callable[..., Any], stream: Callable[..., Any], story: Story
) -> None:
    """The status of its session is `completed` all the time."""
    session = story()
    exchange = Exchange(session.id)
    session.add(*exchange.whole())
    call, event_id = exchange.llm_call_id(2), llm_timeline_event_id(exchange.llm_call_id(2), "text")
    chunks = [
        LlmChunk(call_id=call, execution_id=exchange.execution_id, run=1, index=index, part="text", text=text)
        for index, text in enumerate(("Since ", "**03"))
    ]

    async with connect(gateway) as early, connect(gateway) as late:
        await watch(gateway, early, session)
        await append(session.records[:-4])
        await read_until(early, lambda one: one["type"] == "chat.user_message")
        await stream(session.id, *chunks)
        await read_until(early, text_ends("**03"))
        await subscribe(late, session)
        caught_up = await read_until(late, lambda one: "delta" in one)
        await append(session.records[-4:])
        ended = await read_until(late, lambda one: one["type"] == "stage.status")
    await until_projected(timeline, session.id, len(session.records))
    async with connect(gateway) as last:
        await stream(session.id, *chunks)
        await subscribe(last, session)
        whole = await read_until(last, lambda one: one["type"] == "session.status")

    assert [(one["type"], one["status"]) for one in caught_up if one["type"] == "session.status"] == [
        ("session.status", "completed")
    ]
    assert (caught_up[-1]["event_id"], caught_up[-1]["delta"]) == (event_id, "Since **03")
    assert [one["type"] for one in ended] == [
        "timeline_event.completed", "timeline_event.created", "execution.status", "stage.status"
    ]  # fmt: skip
    assert (ended[0]["content"], ended[-1]["status"]) == (exchange.answer, "completed")
    assert [one["status"] for one in whole if one.get("event_id") == event_id] == ["completed"]
    assert not {"stream.chunk", "stream.reset"} & {one["type"] for one in whole}


async def test_a_session_that_rested_long_before_the_gateway_began_is_asked(
    system_bus: Bus, timeline: str, append: Callable[..., Any], story: Story
) -> None:
    """The gateway holds no chain of it."""
    session = story()
    exchange = Exchange(session.id)
    zombie = session.add(e.AlertRepeated(input_id="of a zombie", source="api")).records.pop()
    session.add(*exchange.whole())
    await append(session.records[:13])
    await until_projected(timeline, session.id, 13)
    async with httpx2.AsyncClient(base_url=timeline, timeout=WAIT_SECONDS) as api:
        chains = await api.get("/internal/v1/chains", params={"open_only": "true"})
        assert session.id not in chains.text
    async with running_gateway(system_bus, timeline) as url, connect(url) as client:
        await subscribe(client, session)
        history = await read_until(client, lambda one: one["type"] == "session.status")
        await append([*session.records[13:16], zombie, *session.records[16:]])
        messages = await read_until(client, number_is(len(session.records) - 1))

    assert history[-1]["number"] == 13
    assert [one["number"] for one in messages] == [16, 16, 16, 17, 18, 20, 21, 23, 25, 26, 26, 27]
    assert messages[0]["type"] == "chat.created"


async def test_of_a_chat_history_tells_what_was_live(gateway: str, append: Callable[..., Any], story: Story) -> None:
    session = story()
    first = Exchange(session.id)
    second = Exchange(session.id, number=2, stage=3, author="bob")
    session.add(*first.whole(), *second.begun(), *second.ended("cancelled", "cancelled by ann"))
    last = len(session.records) - 1
    async with connect(gateway) as client:
        await watch(gateway, client, session)
        await append(session.records)
        told = await read_until(client, number_is(last))
        live = known([one for one in told if not one["type"].startswith("chat.")])
    async with connect(gateway) as client:
        await subscribe(client, session)
        history = known(await read_until(client, lambda one: one["type"] == "session.status"))

    assert {live.pop("session")["status"], history.pop("session")["status"]} == {"completed"}
    assert {id: _said(one) for id, one in history.items()} == {id: _said(one) for id, one in live.items()}
    assert len(history) == 3 + 3 + 5 + 1 + 4 + 1, "stages, agents, the timeline, questions and the first reply"


def _said(message: Message) -> Message:
    """Without what is empty: live and history say nothing in different ways."""
    return {name: value for name, value in message.items() if value}


async def test_a_timeline_of_another_log_is_refused(kafka_bootstrap: str, timeline: str) -> None:
    bus = Bus(bootstrap=kafka_bootstrap, topics=Topics(f"t{uuid4().hex[:10]}"), client="test")
    await apply_topics(bus)
    with pytest.raises(ExceptionGroup) as found:
        async with running_gateway(bus, timeline):
            pass

    mismatch = found.value.subgroup(LogMismatchError)
    assert mismatch is not None
    assert "TARSY_TIMELINE_URL or TARSY_KAFKA names the wrong one" in repr(mismatch)
