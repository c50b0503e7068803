"""Questions to a finished investigation: HTTP in front, a real Kafka and a real PostgreSQL behind."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from opentelemetry.trace import NoOpTracer

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_contracts.api.chat import LONGEST_QUESTION
from tarsy_contracts.messages.inputs import ChatRequested
from tarsy_contracts.wire.ids import chat_id, message_id, reply_stage_id
from tarsy_masking.masker import REDACTED, Masker
from tarsy_service.http.problem_handlers import install_problem_handlers
from tarsy_testing.broken_masker import RulesFailedError
from tarsy_testing.story.projection import once_projected
from tarsy_testing.story.reply import Exchange
from tarsy_testing.story.session_owner import owner_answers
from tarsy_timeline.api.requests.chat_routes import chat_routes
from tarsy_timeline.api.requests.reply_waiter import ReplyWaiter
from tarsy_timeline.api.requests.request_handler import BODY_LIMIT_BYTES
from tarsy_timeline.api.requests.session_commands import SessionCommands

type Append = Callable[..., Awaitable[int]]
type NewSession = Callable[[], Any]
type Json = dict[str, Any]

pytestmark = pytest.mark.asyncio(loop_scope="module")

WAIT_SECONDS = 90.0
PATH = "/api/v1/sessions/abc/chat/messages"
JSON = {"Content-Type": "application/json"}
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


async def ask(
    client: httpx2.AsyncClient,
    bus: Bus,
    content: str,
    *,
    accepted: bool = True,
    code: int = 200,
    reason: str = "",
    **headers: str,
) -> tuple[httpx2.Response, ChatRequested]:
    """The API's answer, and what came to the inbox, when the owner answers so."""
    asking = asyncio.Event()
    owner = asyncio.create_task(owner_answers(bus, asking, accepted, code, reason))
    await asking.wait()
    sent = {name.replace("_", "-"): value for name, value in headers.items()} | JSON
    answer = await client.post(PATH, content=json.dumps({"content": content}), headers=sent)
    async with asyncio.timeout(WAIT_SECONDS):
        [asked] = await owner
    assert isinstance(asked, ChatRequested)
    return answer, asked


async def test_a_question_that_the_owner_takes_is_answered_with_the_ids_of_its_reply(
    client: httpx2.AsyncClient, system_bus: Bus
) -> None:
    answer, asked = await ask(client, system_bus, "Since when?", X_Forwarded_User="bob")

    message = message_id("abc", asked.request_id)
    assert (asked.author, asked.content) == ("bob", "Since when?")
    assert (answer.status_code, answer.json()) == (
        202,
        {
            "session_id": "abc", "chat_id": chat_id("abc"), "message_id": message,
            "stage_id": reply_stage_id(message), "request_id": asked.request_id, "accepted": True,
        },
    )  # fmt: skip


@pytest.mark.usefixtures("impatient")
async def test_while_nobody_answers_the_question_is_taken_in_and_the_same_key_is_the_same_question(
    client: httpx2.AsyncClient,
) -> None:
    async def send(content: str, key: str, session: str = "abc") -> httpx2.Response:
        path = f"/api/v1/sessions/{session}/chat/messages"
        return await client.post(path, json={"content": content}, headers={"Idempotency-Key": key})

    first, again, other, elsewhere = await asyncio.gather(
        send("Since when?", "k"), send("Since when?", "k"), send("Since when?", "l"), send("Since when?", "k", "xyz")
    )
    reworded = await send("Until when?", "k")

    assert (first.status_code, first.json()["accepted"], again.json()) == (202, False, first.json())
    assert len({one.json()["message_id"] for one in (first, other, elsewhere)}) == 3
    assert (reworded.status_code, reworded.headers["content-type"]) == (422, "application/problem+json")
    assert "Idempotency-Key" in reworded.json()["detail"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (400, "the investigation has not ended yet"),
        (404, "there is no such session"),
        (409, "a reply is being written: wait for its end, or cancel it"),
    ],
)
async def test_a_refusal_is_the_owners(client: httpx2.AsyncClient, system_bus: Bus, code: int, reason: str) -> None:
    answer, _ = await ask(client, system_bus, "Since when?", accepted=False, code=code, reason=reason)

    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.status_code, answer.json()["status"], answer.json()["detail"]) == (code, code, reason)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"content": ""}, "/content"),
        ({"content": " \n\t"}, "/content"),
        ({"content": "x" * (LONGEST_QUESTION + 1)}, "/content"),
        ({"content": "half a character: \ud83d"}, "/content"),
        ({"content": 7}, "/content"),
        ({"content": None}, "/content"),
        ({"content": ["Since when?"]}, "/content"),
        ({"question": "Since when?"}, "/content"),
        ([], ""),
        ("Since when?", ""),
    ],
)
async def test_what_is_no_question_is_a_problem_that_points_to_it(
    client: httpx2.AsyncClient, body: object, pointer: str
) -> None:
    answer = await client.post(PATH, content=json.dumps(body), headers=JSON)

    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]
    assert len(answer.text) < 1_000, "it does not say the question again"


@pytest.mark.parametrize("body", [b"", b"{", b'{"content": "\xff"}'])
async def test_what_is_no_json_is_a_problem(client: httpx2.AsyncClient, body: bytes) -> None:
    answer = await client.post(PATH, content=body, headers=JSON)

    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")


@pytest.mark.parametrize("path", [PATH, "/api/v1/sessions/abc/fail"])
@pytest.mark.parametrize("is_declared", [True, False])
async def test_a_body_that_can_be_no_question_is_refused_before_it_is_parsed(
    client: httpx2.AsyncClient, path: str, is_declared: bool
) -> None:
    """15 MB of small values held the event loop for seconds."""
    body = b'{"content": [' + b"1," * BODY_LIMIT_BYTES

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 100_000):
            yield body[start : start + 100_000]

    answer = await client.post(path, content=body if is_declared else pieces(), headers=JSON)

    assert (answer.status_code, answer.headers["content-type"]) == (413, "application/problem+json")
    assert answer.json()["errors"] == [{"detail": "the body is larger than 1500000 bytes", "pointer": ""}]


async def test_characters_are_counted_and_not_their_bytes(client: httpx2.AsyncClient, system_bus: Bus) -> None:
    longest = "\N{FIRE}" * LONGEST_QUESTION

    answer, asked = await ask(client, system_bus, longest)

    assert (answer.status_code, asked.content) == (202, longest)


async def test_a_question_and_its_author_are_masked_before_they_reach_the_inbox(
    client: httpx2.AsyncClient, system_bus: Bus
) -> None:
    _, asked = await ask(client, system_bus, f"Is {SECRET} leaked?", X_Forwarded_User=f"bob {SECRET}")

    assert asked.content.startswith("Is [MASKED")
    assert asked.content.endswith(" leaked?")
    assert SECRET not in asked.to_bytes().decode()
    assert asked.author.startswith("bob [MASKED")


async def test_nobody_in_front_of_us_means_a_client_of_the_api(client: httpx2.AsyncClient, system_bus: Bus) -> None:
    assert (await ask(client, system_bus, "Since when?"))[1].author == "api-client"


class FailsOnQuestions(Masker):
    """Its rules fail where there is much to do, as an engine does that has no memory left."""

    def _mask_until_settled(self, text: bytes, *rest: Any) -> Any:
        if b"?" in text:
            raise RulesFailedError
        return super()._mask_until_settled(text, *rest)


async def test_when_masking_fails_the_whole_question_is_redacted(system_bus: Bus) -> None:
    app = FastAPI()
    install_problem_handlers(app)
    async with Publisher(system_bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        commands = SessionCommands(publisher, ReplyWaiter(system_bus), 0.1, NoOpTracer())
        app.include_router(chat_routes(commands, FailsOnQuestions.default(bytes(32))))
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answer, asked = await ask(client, system_bus, f"Is {SECRET} leaked?")

    assert (answer.status_code, answer.json()["accepted"]) == (202, False)
    assert asked.content == REDACTED


# The chat in detail, list and timeline


UNCHANGED = ("status", "completed_at", "started_at", "duration_ms", "final_analysis", "error_message", "total_stages",
             "completed_stages", "failed_stages", "executive_summary")  # fmt: skip


async def test_a_reply_leaves_the_session_as_it_ended_and_the_detail_tells_of_the_chat(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, session: Any
) -> None:
    async def detail(number: int) -> Json:
        found: Json = (await once_projected(client, f"/api/v1/sessions/{session.id}?at_least={number}")).json()
        return found

    async def add(events: list[Any]) -> Json:
        before = len(session.records)
        session.add(*events)
        await append(system_bus, 1, session.records[before:])
        return await detail(len(session.records))

    before = await detail(13)
    first, second = Exchange(session.id), Exchange(session.id, number=2, stage=3, author="bob")
    during = await add(first.begun())
    after = await add([*first.looked(), *first.answered()])
    failed = await add([*second.begun(), *second.ended("cancelled", "cancelled by ann")])

    assert (before["chat_enabled"], before["chat_id"], before["chat_message_count"]) == (True, None, 0)
    for told, count in ((during, 1), (after, 1), (failed, 2)):
        assert {name: told[name] for name in UNCHANGED} == {name: before[name] for name in UNCHANGED}
        assert (told["chat_id"], told["chat_message_count"]) == (chat_id(session.id), count)
    assert [(one["stage_type"], one["status"]) for one in failed["stages"]] == [
        ("investigation", "completed"),
        ("chat", "completed"),
        ("chat", "cancelled"),
    ]
    assert during["stages"][1]["status"] == "active"
    assert after["total_tokens"] == before["total_tokens"] + 24, "what a reply used is counted"
    [listed] = (await client.get(f"/api/v1/sessions?id_prefix={session.id}")).json()["sessions"]
    shared = listed.keys() - {"matched_in_content", "highlights"}
    assert {name: listed[name] for name in shared} == {name: failed[name] for name in shared}
    status = (await client.get(f"/api/v1/sessions/{session.id}/status")).json()
    assert (status["status"], status["final_analysis"]) == ("completed", "It was DNS.")


async def test_the_timeline_has_questions_and_replies_in_order(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, session: Any
) -> None:
    exchange = Exchange(session.id, content=f"{'a' * 40_000}\nb")
    await append(system_bus, 1, session.add(*exchange.whole()).records[13:])
    last = len(session.records)

    events = (await once_projected(client, f"/api/v1/sessions/{session.id}/timeline?at_least={last}")).json()

    asked, *reply = events[5:]
    assert (asked["event_type"], asked["status"], asked["execution_id"]) == ("user_question", "completed", None)
    assert len(asked["content"]) == 32_000
    assert asked["metadata"] == {
        "author": "ann", "message_id": exchange.message_id, "stage_id": exchange.stage_id, "display_cut": True
    }  # fmt: skip
    assert {one["stage_id"] for one in reply} == {exchange.stage_id}
    assert [(one["event_type"], one["content"]) for one in reply] == [
        ("llm_thinking", "I look at the restarts."),
        ("llm_tool_call", "03:00 restarted"),
        ("llm_response", exchange.answer),
        ("final_analysis", exchange.answer),
    ]


async def test_a_chain_without_chat_says_so(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession, story: Callable[[Any], Any]
) -> None:
    session, told = new_session(), story(new_session())
    started = told.recorded(1).event
    chain = started.chain.model_copy(update={"chat_enabled": False})
    session.add(started.model_copy(update={"chain": chain}))
    await append(system_bus, 1, session.records)

    detail = (await once_projected(client, f"/api/v1/sessions/{session.id}?at_least=1")).json()

    assert (detail["chat_enabled"], detail["chat_id"]) == (False, None)


async def test_the_contract_of_the_endpoint_names_its_limit(client: httpx2.AsyncClient) -> None:
    models = (await client.get("/openapi.json")).json()["components"]["schemas"]

    assert models["ChatMessage"]["properties"]["content"]["maxLength"] == LONGEST_QUESTION
    assert json.dumps(models["ChatMessageSent"]["required"]).count("_id") == 5
