from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from notifications import ACTED, APPROVAL, COMPLETED, NOW, SESSION, STARTED, notification_of
from starlette.responses import Response

from tarsy_config.config import Config
from tarsy_contracts.public.session_events import PublicSessionCancelled, PublicSessionCompleted
from tarsy_contracts.public.stage_events import CountedAction
from tarsy_contracts.slack_reviews import act_of
from tarsy_notifier.app import new_receiver
from tarsy_notifier.errors import NotificationRefusedError, ReceiverUnavailableError
from tarsy_notifier.notification import kind_of
from tarsy_notifier.receivers import plans_of
from tarsy_notifier.settings import NotifierSettings
from tarsy_notifier.slack.message import TEXT_LIMIT, message_of
from tarsy_notifier.slack.receiver import SlackReceiver
from tarsy_notifier.slack.review_buttons import review_buttons
from tarsy_testing.servers.slack_server import CHANNEL, TOKEN, SlackServer, rate_limited, slack_error


@asynccontextmanager
async def started(slack: SlackServer) -> AsyncIterator[SlackReceiver]:
    one = SlackReceiver(CHANNEL, TOKEN, slack.api_url)
    yield one
    await one.close()


@pytest.fixture
async def receiver(slack: SlackServer) -> AsyncIterator[SlackReceiver]:
    slack.now = NOW.timestamp
    async with started(slack) as one:
        yield one


def test_a_message_says_what_came_of_it_and_where_and_mentions_nobody() -> None:
    text = "@here <!channel> & *more*"
    notification = notification_of(
        PublicSessionCompleted(analysis="", executive_summary=text), link="https://tarsy/sessions/s-1"
    )
    message = message_of(notification)
    assert message.text == ":white_check_mark: Investigation completed: Pod &lt;crashes&gt; &amp; burns"
    written = str(message.blocks)
    assert "<https://tarsy/sessions/s-1|Pod &lt;crashes&gt; &amp; burns>" in written
    assert "@here &lt;!channel&gt; &amp; *more*" in written
    assert "kubernetes · critical · eu1/shop/cart · session s-1" in written


@pytest.mark.parametrize("summary", ["", "It leaks."])
def test_a_partial_analysis_says_so_and_why(summary: str) -> None:
    event = PublicSessionCompleted(
        analysis="**Partial analysis.** The context is full.",
        executive_summary=summary,
        partial_reason="The context is full.",
    )
    message = message_of(notification_of(event))
    assert message.text.startswith(":warning: Investigation completed with a partial analysis: ")
    assert str(message.blocks).count("The context is full.") == 1


def test_an_action_is_told_with_its_verdict_and_calls_and_one_that_had_nothing_to_do_is_not() -> None:
    message = message_of(notification_of(ACTED))
    assert message.text.startswith(":hammer_and_wrench: Action: acted: ")
    assert "acted: 1 done; approved by ann; it helped" in str(message.blocks)
    assert "kubernetes.pods_delete: done" in str(message.blocks)
    idle = ACTED.model_copy(update={"action": CountedAction(verdict="nothing_to_do")})
    assert kind_of(idle) is None
    assert kind_of(ACTED.model_copy(update={"action": None})) is None


def test_a_message_of_limited_evidence_is_no_green_one_and_begins_with_what_was_missing() -> None:
    limits = tuple(f"Agent{number} has no tools." for number in range(5))
    completed = PublicSessionCompleted(analysis="", executive_summary="DNS.", evidence_limits=limits)
    message = message_of(notification_of(completed))
    assert message.text.startswith(":warning: Investigation completed, with limited evidence")
    written = str(message.blocks)
    assert "Limited evidence: Agent0 has no tools." in written.partition("DNS.")[0]
    assert "Agent3" not in written


def test_a_message_cites_no_calls_as_nobody_can_follow_them_there() -> None:
    message = message_of(notification_of(PublicSessionCompleted(analysis="", executive_summary="It leaks [call 3].")))
    assert "It leaks." in str(message.blocks)


def test_a_long_text_is_cut_where_slack_would_refuse_it() -> None:
    message = message_of(notification_of(PublicSessionCompleted(analysis="&" * 10_000)))
    assert all(len(str(block["text"])) < TEXT_LIMIT + 100 for block in message.blocks if "text" in block)


def test_a_call_that_waits_says_who_may_decide_and_until_when() -> None:
    written = str(message_of(notification_of(APPROVAL)).blocks)
    assert "kubernetes.pods_delete: It restarts the pod." in written
    assert "Anyone with the role responder can decide within 30 minutes." in written


def test_buttons_stand_below_what_can_be_reviewed_and_below_nothing_else() -> None:
    (actions,) = review_buttons(notification_of(COMPLETED))
    elements = actions["elements"]
    assert isinstance(elements, list)
    found = [(one["action_id"], one["value"]) for one in elements if isinstance(one, dict)]
    acts = ("claim", "accurate", "partly", "wrong")
    assert found == [(f"tarsy.review.{act}", SESSION.id) for act in acts]
    assert [act_of(str(action_id)) for action_id, _ in found] == [*acts]
    for other in (STARTED, APPROVAL, PublicSessionCancelled(author="ann", reason="")):
        assert review_buttons(notification_of(other)) == ()


@pytest.mark.parametrize(
    ("channels", "buttons"), [(CHANNEL, True), (f"C0999,{CHANNEL}", True), ("C0999", False), ("", False)]
)
async def test_a_message_has_buttons_where_people_may_review(slack: SlackServer, channels: str, buttons: bool) -> None:
    settings = NotifierSettings(slack_review_channels=channels)
    receivers = {"on-call": {"type": "slack", "channel": CHANNEL, "api_url": slack.api_url}}
    config = Config.model_validate({"notifications": receivers})
    (plan,) = plans_of(config, {"SLACK_BOT_TOKEN": TOKEN}, settings.base_path, settings.takes_reviews_in).values()
    receiver = new_receiver(plan)
    await receiver.send(notification_of(COMPLETED))
    await receiver.close()
    assert ("tarsy.review.accurate" in str(slack.messages[0]["blocks"])) == buttons


async def test_the_end_stands_in_the_thread_of_the_start(slack: SlackServer, receiver: SlackReceiver) -> None:
    await receiver.send(notification_of(STARTED, sequence=1))
    await receiver.send(notification_of(COMPLETED))
    started, completed = slack.messages
    assert "thread_ts" not in started
    assert completed["thread_ts"] == started["ts"]


async def test_after_a_restart_the_thread_is_found_in_the_channel(slack: SlackServer, receiver: SlackReceiver) -> None:
    await receiver.send(notification_of(STARTED, sequence=1))
    async with started(slack) as later:
        await later.send(notification_of(COMPLETED))
    assert slack.messages[1]["thread_ts"] == slack.messages[0]["ts"]


async def test_it_answers_the_message_that_told_of_the_alert(slack: SlackServer, receiver: SlackReceiver) -> None:
    slack.say("something else")
    fired = slack.say("", attachments=[{"text": "FIRING:  Pod Crashes\nin shop"}])
    session = replace(SESSION, fingerprint="firing: pod crashes")
    await receiver.send(notification_of(STARTED, session, sequence=1))
    await receiver.send(notification_of(COMPLETED, session))
    assert [one.get("thread_ts") for one in slack.messages[2:]] == [fired, fired]


async def test_another_investigation_has_no_part_in_the_thread(slack: SlackServer, receiver: SlackReceiver) -> None:
    await receiver.send(notification_of(STARTED, sequence=1))
    await receiver.send(notification_of(COMPLETED, replace(SESSION, id="s-2")))
    assert "thread_ts" not in slack.messages[1]


@pytest.mark.parametrize("started", [True, False])
async def test_a_notification_whose_answer_was_lost_is_not_written_twice(
    slack: SlackServer, receiver: SlackReceiver, started: bool
) -> None:
    if started:
        await receiver.send(notification_of(STARTED, sequence=1))
    slack.lost = True
    with pytest.raises(ReceiverUnavailableError):
        await receiver.send(notification_of(COMPLETED))
    await receiver.send(notification_of(COMPLETED))
    assert [one["text"] for one in slack.messages if "completed" in str(one["text"])] == [
        message_of(notification_of(COMPLETED)).text
    ]


async def test_a_thread_far_back_in_the_channel_is_found(slack: SlackServer, receiver: SlackReceiver) -> None:
    await receiver.send(notification_of(STARTED, sequence=1))
    for number in range(7):
        slack.say(f"message {number}")
    slack.page = 2
    async with started(slack) as later:
        await later.send(notification_of(COMPLETED))
    assert slack.messages[-1]["thread_ts"] == slack.messages[0]["ts"]


async def test_a_channel_that_may_not_be_read_is_written_to(slack: SlackServer, receiver: SlackReceiver) -> None:
    slack.errors["conversations.history"] = [slack_error("missing_scope")]
    await receiver.send(notification_of(COMPLETED))
    assert len(slack.messages) == 1


@pytest.mark.parametrize("error", ["msg_too_long", "invalid_blocks"])
async def test_what_slack_refuses_for_good_is_refused(slack: SlackServer, receiver: SlackReceiver, error: str) -> None:
    slack.errors["chat.postMessage"] = [slack_error(error)]
    with pytest.raises(NotificationRefusedError, match=error):
        await receiver.send(notification_of(COMPLETED))


@pytest.mark.parametrize("error", ["channel_not_found", "invalid_auth", "internal_error", "an error of next year"])
async def test_what_somebody_mends_is_tried_again(slack: SlackServer, receiver: SlackReceiver, error: str) -> None:
    slack.errors["chat.postMessage"] = [slack_error(error)]
    with pytest.raises(ReceiverUnavailableError, match=error):
        await receiver.send(notification_of(COMPLETED))


@pytest.mark.parametrize("method", ["conversations.history", "chat.postMessage"])
async def test_slack_says_how_long_it_wants_to_be_left_alone(
    slack: SlackServer, receiver: SlackReceiver, method: str
) -> None:
    slack.errors[method] = [rate_limited(17)]
    with pytest.raises(ReceiverUnavailableError) as told:
        await receiver.send(notification_of(COMPLETED))
    assert told.value.after_seconds == 17


@pytest.mark.parametrize("answer", [Response("<html>", 503), Response("no JSON", 200), Response(status_code=204)])
async def test_what_is_no_answer_of_slack_is_an_outage(
    slack: SlackServer, receiver: SlackReceiver, answer: Response
) -> None:
    slack.errors["chat.postMessage"] = [answer]
    with pytest.raises(ReceiverUnavailableError):
        await receiver.send(notification_of(COMPLETED))


async def test_the_token_is_in_no_error(slack: SlackServer) -> None:
    one = SlackReceiver(CHANNEL, "xoxb-wrong", "http://127.0.0.1:1/api")
    with pytest.raises(ReceiverUnavailableError) as told:
        await one.send(notification_of(COMPLETED))
    await one.close()
    assert "xoxb" not in f"{told.value!r} {told.value.__cause__!r}"
