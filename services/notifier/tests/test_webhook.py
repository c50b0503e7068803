import base64
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from digests import DIGEST, WEEKLY
from notifications import APPROVAL, COMPLETED, NOW, notification_of
from starlette.responses import Response

from tarsy_config.sections.notifications import WebhookFormat
from tarsy_contracts.api.digests.usage_digest import UsageDigest
from tarsy_contracts.public.session_events import PublicSessionCompleted
from tarsy_notifier.errors import NotificationRefusedError, ReceiverUnavailableError
from tarsy_notifier.webhook.alertmanager import alertmanager_body
from tarsy_notifier.webhook.receiver import WebhookReceiver
from tarsy_notifier.webhook.signature import secret_bytes, sign_headers
from tarsy_testing.servers.webhook import Webhook

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef01234567").decode()


@asynccontextmanager
async def receiver(
    hook: Webhook, written_as: WebhookFormat = "cloudevents", secret: bytes | None = None
) -> AsyncIterator[WebhookReceiver]:
    one = WebhookReceiver(
        "ops",
        f"http://127.0.0.1:{hook.port}/hook",
        written_as,
        secret=secret,
        dashboard_url="https://tarsy",
        now=lambda: NOW,
    )
    yield one
    await one.close()


async def test_it_gets_the_public_event_signed(hook: Webhook) -> None:
    async with receiver(hook, secret=secret_bytes(SECRET)) as one:
        await one.send(notification_of(COMPLETED))
    headers, body = hook.got[0]
    event = json.loads(body)
    assert headers["content-type"] == "application/cloudevents+json"
    assert (event["type"], event["subject"], event["id"]) == ("tarsy.session.completed", "s-1", "s-1-5")
    assert event["data"]["executive_summary"] == "The disk was full."
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"


def test_the_signature_is_that_of_the_standards_own_example() -> None:
    """From the specification of Standard Webhooks."""
    body = b'{"test": 2432232314}'
    at = NOW.fromtimestamp(1_614_265_330, NOW.tzinfo)
    headers = sign_headers(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", at, body, secret_bytes("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("secret", ["whsec_no base64", "any other text"])
def test_a_secret_of_another_form_is_taken_as_it_stands(secret: str) -> None:
    assert secret_bytes(secret) == secret.encode()


async def test_every_attempt_has_the_same_id(hook: Webhook) -> None:
    hook.answer = Response(status_code=503)
    async with receiver(hook) as one:
        for _ in range(2):
            with pytest.raises(ReceiverUnavailableError):
                await one.send(notification_of(COMPLETED))
    assert [headers["webhook-id"] for headers, _ in hook.got] == ["s-1-5", "s-1-5"]
    assert "webhook-signature" not in hook.got[0][0]


async def test_what_takes_alerts_of_alertmanager_takes_a_notification(hook: Webhook) -> None:
    async with receiver(hook, "alertmanager") as one:
        await one.send(notification_of(APPROVAL, link="https://tarsy/sessions/s-1"))
    body = json.loads(hook.got[0][1])
    assert (body["version"], body["status"], body["receiver"]) == ("4", "firing", "ops")
    (alert,) = body["alerts"]
    assert alert["labels"] == {
        "alertname": "TarsyApprovalWaits",
        "session_id": "s-1",
        "alert_type": "kubernetes",
        "chain": "kubernetes",
        "severity": "critical",
        "cluster": "eu1",
        "namespace": "shop",
        "workload": "cart",
    }
    assert alert["annotations"]["summary"] == "Pod <crashes> & burns"
    assert alert["generatorURL"] == "https://tarsy/sessions/s-1"


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_what_the_receiver_refuses_for_good_is_refused(hook: Webhook, status: int) -> None:
    hook.answer = Response(status_code=status)
    async with receiver(hook) as one:
        with pytest.raises(NotificationRefusedError, match=str(status)):
            await one.send(notification_of(COMPLETED))


@pytest.mark.parametrize("status", [401, 404, 408, 429, 500, 503])
async def test_what_somebody_mends_is_tried_again(hook: Webhook, status: int) -> None:
    hook.answer = Response(status_code=status, headers={"Retry-After": "9"})
    async with receiver(hook) as one:
        with pytest.raises(ReceiverUnavailableError, match=str(status)) as told:
            await one.send(notification_of(COMPLETED))
    assert told.value.after_seconds == 9


async def test_it_is_sent_nowhere_else_by_a_redirect(hook: Webhook) -> None:
    hook.answer = Response(status_code=307, headers={"Location": "/other"})
    async with receiver(hook) as one:
        with pytest.raises(ReceiverUnavailableError):
            await one.send(notification_of(COMPLETED))
    assert len(hook.got) == 1


async def test_an_address_where_nobody_listens_is_an_outage_and_its_secrets_are_in_no_error() -> None:
    one = WebhookReceiver(
        "ops", "http://127.0.0.1:1/token-1234", "cloudevents", secret=None, dashboard_url="", now=lambda: NOW
    )
    with pytest.raises(ReceiverUnavailableError) as told:
        await one.send(notification_of(COMPLETED))
    await one.close()
    assert "token-1234" not in repr(told.value)


def test_an_alert_of_a_partial_analysis_is_labelled_so() -> None:
    """A route of Alertmanager can send it elsewhere."""
    whole, partial = (PublicSessionCompleted(analysis="a", partial_reason=why) for why in ("", "the context is full"))
    labels = [alertmanager_body(notification_of(one), "ops", "")["commonLabels"] for one in (whole, partial)]
    assert [one.get("analysis") for one in labels if isinstance(one, dict)] == [None, "partial"]


async def test_a_digest_is_an_event_with_the_answer_of_the_api_signed_under_its_own_id(hook: Webhook) -> None:
    async with receiver(hook, secret=secret_bytes(SECRET)) as one:
        await one.send_digest(WEEKLY)
    headers, body = hook.got[0]
    event = json.loads(body)
    assert (headers["webhook-id"], event["id"], event["type"]) == ("d-1", "d-1", "tarsy.usage.digest")
    assert (event["subject"], event["time"]) == ("2026-11-22", "2026-11-23T08:00:00+00:00")
    assert UsageDigest.model_validate(event["data"]) == DIGEST
    assert "webhook-signature" in headers
    assert headers["content-type"] == "application/cloudevents+json"


async def test_a_digest_is_one_alert_for_what_takes_alerts_of_alertmanager(hook: Webhook) -> None:
    async with receiver(hook, "alertmanager") as one:
        await one.send_digest(WEEKLY)
    (alert,) = json.loads(hook.got[0][1])["alerts"]
    assert alert["labels"] == {"alertname": "TarsyWeeklyDigest"}
    assert alert["annotations"]["summary"] == "The week from 2026-11-16 to 2026-11-22 (UTC)"
    assert "3, the week before 0" in alert["annotations"]["description"]
    assert (alert["fingerprint"], alert["generatorURL"]) == ("d-1", WEEKLY.link)
