"""The door for clicks of Slack, without a Kafka: who is let in, how fast it answers, and what needs no owner."""

import asyncio
from collections.abc import Callable
from typing import Any, cast, override

import httpx2
import pytest
from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from tarsy_audit.trail import NOT_RECORDED, AuditTrail
from tarsy_bus.client.publisher import NotWrittenError
from tarsy_contracts.messages.audit import ActRequested
from tarsy_contracts.slack_reviews import button
from tarsy_masking.masker import Masker
from tarsy_processes.ports import free_port
from tarsy_service.http.problem_handlers import install_problem_handlers
from tarsy_service.http.server import http_server
from tarsy_service.process.runner import Readiness, build_app
from tarsy_testing.servers.slack_clicks import (
    ANN,
    SIGNING_SECRET,
    SlackPerson,
    SlackRequest,
    click,
    clicked,
    form_of,
)
from tarsy_testing.servers.slack_server import CHANNEL, SlackServer
from tarsy_timeline.api.requests.request_handler import RequestHandler
from tarsy_timeline.api.slack import reviews as slack_reviews
from tarsy_timeline.api.slack.click_answers import Answer, AnswerClicks, SlackAnswers
from tarsy_timeline.api.slack.reviews import SlackReviews
from tarsy_timeline.api.slack.routes import BODY_LIMIT_BYTES, slack_routes
from tarsy_timeline.app import build
from tarsy_timeline.settings import TimelineSettings

TEXTS = {"claim": "Claim", "accurate": "Accurate", "wrong": "Wrong"}
MESSAGE: Any = {
    "ts": "1.0",
    "blocks": [{"type": "actions", "elements": [button(act, text, "s-1") for act, text in TEXTS.items()]}],  # type: ignore[arg-type]
}
NOBODY_DECIDES = cast(RequestHandler, None)


class NotWritten(AuditTrail):
    """No act comes on record."""

    @override
    async def record_act(self, act: ActRequested) -> None:
        raise NotWrittenError("no broker")


class HeldAnswers(AnswerClicks):
    """Slack takes no answer until it is told to."""

    def __init__(self) -> None:
        self.released = asyncio.Event()

    @override
    async def send(self, url: str, answer: Answer) -> None:
        await self.released.wait()


def door(slack: SlackServer, channels: str = CHANNEL, answers: AnswerClicks | None = None) -> FastAPI:
    masker = Masker.default(b"")
    trail = NotWritten(cast(Any, None), masker.mask, lambda: "1")
    reviews = SlackReviews(NOBODY_DECIDES, masker, trail, answers or SlackAnswers(), channels.split(",").__contains__)
    app = FastAPI()
    install_problem_handlers(app)
    app.include_router(slack_routes(reviews, (SIGNING_SECRET.encode(),), slack.hooks_url, lambda: 1_800_000_000.0))
    return app


def inside(app: FastAPI) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost")


def request_of(slack: SlackServer, text: str, by: SlackPerson = ANN) -> SlackRequest:
    return SlackRequest(form_of(clicked(slack, MESSAGE, text, by)), at=1_800_000_000.0)


@pytest.mark.parametrize(
    ("forge", "status"),
    [
        (lambda one: SlackRequest(one.body, "a secret of somebody else", one.at), 401),
        (lambda one: SlackRequest(one.body, at=one.at - 301), 401),
        (lambda one: SlackRequest(b"no form", at=one.at), 400),
        (lambda one: SlackRequest(b"x" * (BODY_LIMIT_BYTES + 1), at=one.at), 413),
        (lambda one: SlackRequest(form_of({"type": "view_closed"}), at=one.at), 200),
    ],
)
async def test_what_is_no_click_of_slack_is_answered_by_a_status_and_nothing_follows(
    slack: SlackServer, forge: Callable[[SlackRequest], SlackRequest], status: int
) -> None:
    async with inside(door(slack)) as client:
        answer = await forge(request_of(slack, "Accurate")).send(client)
    assert (answer.status_code, slack.answers) == (status, [])


@pytest.mark.parametrize(
    ("channels", "by", "text", "told"),
    [
        ("C0999", ANN, "Accurate", slack_reviews.NOT_HERE.format(channel=CHANNEL)),
        ("", ANN, "Wrong", slack_reviews.NOT_HERE.format(channel=CHANNEL)),
        (CHANNEL, SlackPerson("U1", "eve", "T0666"), "Accurate", slack_reviews.NOT_FOREIGNERS),
        (CHANNEL, ANN, "Claim", NOT_RECORDED),
        (CHANNEL, ANN, "Wrong", "What was the real cause?"),
    ],
)
async def test_no_owner_is_asked_for_somebody_without_the_right_nor_for_what_is_not_on_record(
    slack: SlackServer, channels: str, by: SlackPerson, text: str, told: str
) -> None:
    async with inside(door(slack, channels)) as client:
        assert (await request_of(slack, text, by).send(client)).status_code == 200
    (answer,) = slack.answers
    assert (answer["text"], answer["response_type"], answer["replace_original"]) == (told, "ephemeral", False)


async def test_slack_is_answered_before_the_person_is_and_too_many_who_wait_are_sent_away(
    slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slack_reviews, "MOST_AT_ONCE", 2)
    held, port = HeldAnswers(), free_port()
    async with (
        http_server(door(slack, answers=held), "127.0.0.1", port),
        httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client,
    ):
        statuses = [(await request_of(slack, "Wrong").send(client)).status_code for _ in range(3)]
        held.released.set()
    assert statuses == [200, 200, 503]


async def test_an_answer_that_slack_does_not_take_ends_nothing(slack: SlackServer) -> None:
    await SlackAnswers().send(f"{slack.hooks_url}/gone", {"text": "a"})
    await SlackAnswers().send("http://127.0.0.1:1/actions/1", {"text": "a"})


async def test_without_a_secret_the_door_is_shut(slack: SlackServer) -> None:
    settings = TimelineSettings.model_validate({"database": "postgresql://nobody@127.0.0.1:1/none"})
    registry = CollectorRegistry()
    app = build_app([service := build(settings, registry)], Readiness([service.name]), registry)
    async with inside(app) as client:
        with pytest.raises(AssertionError, match="TARSY_SLACK_SIGNING_SECRETS is not set"):
            await click(slack, client, MESSAGE, "Accurate", ANN)
