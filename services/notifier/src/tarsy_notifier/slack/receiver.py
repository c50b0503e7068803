"""A channel of Slack. Its API knows no key by which a repeated message is dropped: the channel is looked at first."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, suppress
from datetime import datetime, timedelta
from typing import override

import aiohttp
import structlog
from pydantic import JsonValue, ValidationError
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from tarsy_egress.clients import tls_context
from tarsy_egress.proxies import proxy_for
from tarsy_llm.http.http_errors import retry_after_seconds
from tarsy_llm.recent_values import RecentValues
from tarsy_notifier.digest.weekly_digest import WeeklyDigest
from tarsy_notifier.errors import NotificationRefusedError, NotifierError, ReceiverUnavailableError
from tarsy_notifier.notification import Notification
from tarsy_notifier.receiver import NotificationReceiver
from tarsy_notifier.slack.digest_message import digest_message
from tarsy_notifier.slack.message import SlackMessage, message_of
from tarsy_notifier.slack.thread import ChannelMessage, thread_of, was_sent

log = structlog.get_logger(__name__)

CALL_SECONDS = 10
LOOK_BACK = timedelta(hours=24)
CLOCKS_DIFFER = timedelta(minutes=1)
"""Between Slack's and ours."""
REMEMBERED = 10_000
"""Sessions whose threads are not looked for again."""
MOST_PAGES = 5
PAGE = 200
REFUSALS = frozenset(
    {
        "msg_too_long",
        "msg_blocks_too_long",
        "invalid_blocks",
        "invalid_blocks_format",
        "invalid_arguments",
        "invalid_metadata_format",
        "invalid_metadata_schema",
        "metadata_too_large",
        "no_text",
    }
)
"""Errors that speak of the message. All others are mended in Slack or in the configuration, and the message waits."""
UNSEEN = frozenset({"missing_scope", "not_in_channel", "channel_not_found", "access_denied"})
"""Errors of a history that may not be read, though messages may be written."""


class HistoryHiddenError(ReceiverUnavailableError):
    """The app may not read the channel. The operator gives it the scope channels:history, or groups:history."""


class SlackReceiver(NotificationReceiver):
    def __init__(self, channel: str, token: str, api_url: str) -> None:
        self._channel = channel
        self._session = aiohttp.ClientSession()
        self._slack = AsyncWebClient(
            token,
            base_url=f"{api_url.rstrip('/')}/",
            timeout=CALL_SECONDS,
            session=self._session,
            retry_handlers=[],
            ssl=tls_context(),
        )
        # The SDK takes one from the environment by itself, and looks at no NO_PROXY.
        self._slack.proxy = proxy_for(api_url)
        self._threads: RecentValues[str, str] = RecentValues(REMEMBERED)

    @override
    async def send(self, notification: Notification) -> None:
        session_id = notification.session.id
        thread = self._threads.get(session_id) or await self._find_thread(notification)
        if not await self._was_sent(notification.envelope.id, notification.happened_at, thread):
            thread = await self._post(message_of(notification), thread)
        if thread is not None:
            self._threads.put(session_id, thread, size=1)

    @override
    async def send_digest(self, digest: WeeklyDigest) -> None:
        if not await self._was_sent(digest.id, digest.due_at, None):
            await self._post(digest_message(digest), None)

    async def _post(self, message: SlackMessage, thread: str | None) -> str | None:
        """Returns the thread in which it stands, or which it begins."""
        answer = await _call_slack(
            self._slack.chat_postMessage(
                channel=self._channel,
                text=message.text,
                blocks=list(message.blocks),
                metadata=message.metadata,
                thread_ts=thread,
                unfurl_links=False,
            )
        )
        return thread or str(answer.get("ts") or "") or None

    @override
    async def close(self) -> None:
        await self._session.close()

    async def _find_thread(self, notification: Notification) -> str | None:
        """The start of a session answers nothing but the message that told of its alert."""
        if notification.kind == "started" and notification.session.fingerprint is None:
            return None
        async with aclosing(self._history_pages(notification.happened_at - LOOK_BACK)) as pages:
            async for messages in pages:
                if (found := thread_of(messages, notification)) is not None:
                    return found
        return None

    async def _was_sent(self, event_id: str, happened_at: datetime, thread: str | None) -> bool:
        """An attempt before this one wrote it, after its event."""
        since = happened_at - CLOCKS_DIFFER
        async with aclosing(
            self._history_pages(since) if thread is None else self._reply_pages(thread, since)
        ) as pages:
            async for messages in pages:
                if was_sent(messages, event_id):
                    return True
        return False

    def _history_pages(self, since: datetime) -> AsyncGenerator[Sequence[ChannelMessage]]:
        """Newest first, without replies."""
        return self._read_pages(
            lambda cursor: self._slack.conversations_history(
                channel=self._channel,
                oldest=str(since.timestamp()),
                limit=PAGE,
                cursor=cursor,
                include_all_metadata=True,
            )
        )

    def _reply_pages(self, thread: str, since: datetime) -> AsyncGenerator[Sequence[ChannelMessage]]:
        return self._read_pages(
            lambda cursor: self._slack.conversations_replies(
                channel=self._channel,
                ts=thread,
                oldest=str(since.timestamp()),
                limit=PAGE,
                cursor=cursor,
                include_all_metadata=True,
            )
        )

    async def _read_pages(
        self, ask: Callable[[str | None], Awaitable[AsyncSlackResponse]]
    ) -> AsyncGenerator[Sequence[ChannelMessage]]:
        """None where the app may not read the channel: then a repeat is written, too."""
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            try:
                answer = await _call_slack(ask(cursor))
            except HistoryHiddenError as problem:
                log.warning("slack.history_hidden", channel=self._channel, reason=str(problem))
                return
            yield list(_parse_messages(answer.get("messages")))
            cursor = (answer.get("response_metadata") or {}).get("next_cursor") or None
            if cursor is None:
                return


async def _call_slack(call: Awaitable[AsyncSlackResponse]) -> AsyncSlackResponse:
    """Raises NotificationRefusedError, HistoryHiddenError or ReceiverUnavailableError."""
    try:
        return await call
    except SlackApiError as problem:
        raise _error_of_answer(problem.response) from problem
    except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, ValueError) as problem:
        raise ReceiverUnavailableError(f"Slack does not answer: {problem!r}") from problem


def _error_of_answer(answer: AsyncSlackResponse) -> NotifierError:
    error = str(answer.get("error", "")) if isinstance(answer.data, dict) else f"HTTP {answer.status_code}"
    sentence = f"Slack answers {error}"
    if error in REFUSALS:
        return NotificationRefusedError(sentence)
    if error in UNSEEN:
        return HistoryHiddenError(sentence)
    return ReceiverUnavailableError(sentence, retry_after_seconds(answer.headers) or 0.0)


def _parse_messages(found: JsonValue) -> Iterator[ChannelMessage]:
    """Messages as we know them; all else is left out."""
    for one in found if isinstance(found, list) else []:
        with suppress(ValidationError):
            yield ChannelMessage.model_validate(one)
