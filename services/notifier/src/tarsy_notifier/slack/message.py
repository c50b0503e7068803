"""A notification as a message of Slack: pure. Texts were masked before they came to the log."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tarsy_notifier.notification import Notification
from tarsy_notifier.notification_text import cut, details_of, is_partial, limits_of, title_of, verdict_of

TEXT_LIMIT = 2_900
"""Characters of one block: Slack takes 3,000."""
TITLE_LIMIT = 200
EVENT_TYPE = "tarsy_notification"
"""It identifies our message, together with the payload."""
HEADINGS = {
    "started": ":mag: Investigation started",
    "completed": ":white_check_mark: Investigation completed",
    "failed": ":x: Investigation failed",
    "cancelled": ":no_entry_sign: Investigation cancelled",
    "timed_out": ":hourglass: Investigation timed out",
    "approval": ":raised_hand: A tool call waits for approval",
    "action": ":hammer_and_wrench: Action",
    "budget": ":moneybag: Budget used up",
}
PARTIAL = ":warning: Investigation completed with a partial analysis"
LIMITED = ":warning: Investigation completed, with limited evidence"


@dataclass(frozen=True, slots=True)
class SlackMessage:
    """`text` is what notifications of phones show, and readers without blocks."""

    text: str
    blocks: Sequence[dict[str, JsonValue]]
    metadata: dict[str, JsonValue]


def message_of(notification: Notification) -> SlackMessage:
    heading, title = _choose_heading(notification), escape(cut(title_of(notification), TITLE_LIMIT))
    linked = f"<{notification.link}|{title}>" if notification.link else title
    blocks = [section_block(f"*{heading}*\n{linked}")]
    if details := details_of(notification):
        blocks.append(section_block(cut(escape(details), TEXT_LIMIT)))
    blocks.append(_context_block(" · ".join(escape(one) for one in _list_facts(notification))))
    return SlackMessage(
        text=f"{heading}: {title}",
        blocks=blocks,
        metadata={
            "event_type": EVENT_TYPE,
            "event_payload": {
                "session_id": notification.session.id,
                "event_id": notification.envelope.id,
                "kind": notification.kind,
            },
        },
    )


def _choose_heading(notification: Notification) -> str:
    if is_partial(notification):
        return PARTIAL
    heading, verdict = HEADINGS[notification.kind], verdict_of(notification)
    if verdict is not None:
        return f"{heading}: {verdict.replace('_', ' ')}"
    return LIMITED if limits_of(notification) else heading


def escape(text: str) -> str:
    """The three signs by which Slack tells its own marks: nobody is mentioned by the text of an alert."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _list_facts(notification: Notification) -> Sequence[str]:
    session = notification.session
    where = "/".join(part for part in (session.cluster, session.namespace, session.workload) if part)
    facts = (session.alert_type, session.severity, where, f"session {session.id}")
    return [fact for fact in facts if fact]


def section_block(text: str) -> dict[str, JsonValue]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def _context_block(text: str) -> dict[str, JsonValue]:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": cut(text, TEXT_LIMIT)}]}
