"""An address that gets each notification as a POST."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import override

import httpx2
from pydantic import JsonValue

from tarsy_config.sections.notifications import WebhookFormat
from tarsy_contracts.digest_event import digest_event
from tarsy_egress.clients import tls_context
from tarsy_egress.proxies import bypasses_proxy
from tarsy_llm.http.http_errors import retry_after_seconds
from tarsy_notifier.digest.weekly_digest import WeeklyDigest
from tarsy_notifier.errors import NotificationRefusedError, ReceiverUnavailableError
from tarsy_notifier.notification import Notification
from tarsy_notifier.receiver import NotificationReceiver
from tarsy_notifier.webhook.alertmanager import alertmanager_body, alertmanager_digest
from tarsy_notifier.webhook.signature import sign_headers

CALL_SECONDS = 10.0
REFUSALS = frozenset({400, 406, 409, 413, 415, 422})
"""Answers that speak of the notification. It is retried after all others: an operator may fix the receiver
meanwhile.
"""
MEDIA_TYPES: Mapping[WebhookFormat, str] = {
    "cloudevents": "application/cloudevents+json",
    "alertmanager": "application/json",
}


class WebhookReceiver(NotificationReceiver):
    def __init__(
        self,
        name: str,
        url: str,
        written_as: WebhookFormat,
        *,
        secret: bytes | None,
        dashboard_url: str,
        now: Callable[[], datetime],
    ) -> None:
        self._name = name
        self._url = url
        self._written_as = written_as
        self._secret = secret
        self._dashboard_url = dashboard_url
        self._now = now
        self._client = httpx2.AsyncClient(
            timeout=CALL_SECONDS, follow_redirects=False, trust_env=not bypasses_proxy(url), verify=tls_context()
        )

    @override
    async def send(self, notification: Notification) -> None:
        if self._written_as == "cloudevents":
            body = notification.envelope.to_structured(notification.value)
        else:
            body = alertmanager_body(notification, self._name, self._dashboard_url)
        await self._post(notification.envelope.id, body)

    @override
    async def send_digest(self, digest: WeeklyDigest) -> None:
        if self._written_as == "cloudevents":
            body = digest_event(digest.id, digest.due_at, digest.digest)
        else:
            body = alertmanager_digest(digest, self._name, self._dashboard_url)
        await self._post(digest.id, body)

    async def _post(self, event_id: str, content: dict[str, JsonValue]) -> None:
        body = json.dumps(content).encode()
        headers = {
            **sign_headers(event_id, self._now(), body, self._secret),
            "content-type": MEDIA_TYPES[self._written_as],
        }
        try:
            answer = await self._client.post(self._url, content=body, headers=headers)
        except (httpx2.HTTPError, httpx2.InvalidURL) as problem:
            raise ReceiverUnavailableError(f"the receiver does not answer: {type(problem).__name__}") from problem
        if answer.status_code in REFUSALS:
            raise NotificationRefusedError(f"the receiver answers {answer.status_code}")
        if not answer.is_success:
            raise ReceiverUnavailableError(
                f"the receiver answers {answer.status_code}", retry_after_seconds(answer.headers) or 0.0
            )

    @override
    async def close(self) -> None:
        await self._client.aclose()
