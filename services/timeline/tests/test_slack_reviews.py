"""Clicks in Slack go to the session's owner as any review does, and their authors are told what it decided."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_contracts.messages.audit import ActRequested
from tarsy_contracts.messages.inputs import ReviewRequested
from tarsy_contracts.slack_reviews import button
from tarsy_testing.servers.slack_clicks import ANN, BEN, SIGNING_SECRET, SlackPerson, SlackRequest, clicked, form_of
from tarsy_testing.servers.slack_server import CHANNEL, Message, SlackServer, serving
from tarsy_testing.story.session_owner import owner_answers

pytestmark = pytest.mark.asyncio(loop_scope="module")
WAIT_SECONDS = 90.0
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
MESSAGE: Any = {
    "ts": "1.0",
    "blocks": [
        {"type": "actions", "elements": [button("accurate", "Accurate", "abc"), button("wrong", "Wrong", "abc")]}
    ],
}
REVIEWED = "slack:U01ANN/ann has reviewed it already (accurate): reopen it first"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def slack() -> AsyncIterator[SlackServer]:
    async with serving() as one:
        yield one


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(
    system_bus: Bus,
    module_schema: str,
    running_api: Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]],
    slack: SlackServer,
) -> AsyncIterator[httpx2.AsyncClient]:
    settings = {
        "slack_signing_secrets": f"the-old-one,{SIGNING_SECRET}",
        "slack_review_channels": f"C0999, {CHANNEL}",
        "slack_hooks_url": slack.hooks_url,
        "wait_seconds": WAIT_SECONDS,
    }
    async with running_api(system_bus, module_schema, **settings) as client:
        yield client


async def send(
    client: httpx2.AsyncClient, bus: Bus, slack: SlackServer, sent: SlackRequest, reason: str = ""
) -> tuple[ReviewRequested, Message]:
    """What came to the inbox, and what the person was told. With a reason the owner refuses."""
    asking = asyncio.Event()
    owner = asyncio.create_task(owner_answers(bus, asking, not reason, 409 if reason else 200, reason))
    await asking.wait()
    assert (await sent.send(client)).status_code == 200
    async with asyncio.timeout(WAIT_SECONDS):
        [asked] = await owner
    assert isinstance(asked, ReviewRequested)
    return asked, slack.answers[-1]


def request_of(
    slack: SlackServer, text: str, by: SlackPerson, message: Message = MESSAGE, typed: str = ""
) -> SlackRequest:
    return SlackRequest(form_of(clicked(slack, message, text, by, typed)))


async def test_a_click_is_a_review_of_its_author_and_on_record_as_one(
    client: httpx2.AsyncClient, system_bus: Bus, slack: SlackServer
) -> None:
    asked, told = await send(client, system_bus, slack, request_of(slack, "Accurate", ANN))
    assert (asked.author, asked.action, asked.rating) == (ANN.author, "complete", "accurate")
    assert told == {"response_type": "ephemeral", "replace_original": False, "text": "It is on record: accurate."}
    acts: list[ActRequested] = []

    def take(record: Record) -> None:
        acts.append(ActRequested.model_validate_json(record.value or b""))

    await read_to_end(system_bus, system_bus.topics.audit, {0: 0}, take)
    act = acts[-1]
    assert (act.name, act.door, act.credential, act.role) == (ANN.author, "webhook", "slack", "responder")
    assert (act.act, act.session_id) == ("POST /api/v1/slack/interactions", "abc")


async def test_whoever_comes_second_is_told_who_was_first(
    client: httpx2.AsyncClient, system_bus: Bus, slack: SlackServer
) -> None:
    asked, told = await send(client, system_bus, slack, request_of(slack, "Accurate", BEN), REVIEWED)
    assert (asked.author, told["text"], told["response_type"]) == (BEN.author, REVIEWED, "ephemeral")


async def test_the_same_click_again_is_the_same_request_and_another_click_is_another(
    client: httpx2.AsyncClient, system_bus: Bus, slack: SlackServer
) -> None:
    sent = request_of(slack, "Accurate", ANN)
    first, again, other = [
        (await send(client, system_bus, slack, one))[0] for one in (sent, sent, request_of(slack, "Accurate", ANN))
    ]
    assert first.request_id == again.request_id != other.request_id


async def test_wrong_asks_for_the_real_cause_which_is_masked_and_the_form_stays_until_it_is_taken(
    client: httpx2.AsyncClient, system_bus: Bus, slack: SlackServer
) -> None:
    assert (await request_of(slack, "Wrong", ANN).send(client)).status_code == 200
    form = slack.answers[-1]
    filled = request_of(slack, "Rate it as wrong", ANN, form, f"a full disk, {SECRET}")
    _, told = await send(client, system_bus, slack, filled, "ben <b@x> has claimed the review: reassign it first")
    assert (told["replace_original"], told["text"]) == (
        False, "ben &lt;b@x&gt; has claimed the review: reassign it first"
    )  # fmt: skip
    filled = request_of(slack, "Rate it as wrong", ANN, form, f"a full disk, {SECRET}")
    asked, told = await send(client, system_bus, slack, filled)
    assert (asked.action, asked.rating, asked.cause.partition(",")[0]) == ("complete", "wrong", "a full disk")
    assert SECRET not in asked.to_bytes().decode()
    assert told == {"replace_original": True, "text": "It is on record: wrong."}
