"""Buttons below a message in Slack, by which people review the investigation that has ended: pure."""

from collections.abc import Callable, Sequence

from pydantic import JsonValue

from tarsy_contracts.review import FIRST_STATUSES, NEEDS_REVIEW
from tarsy_contracts.slack_reviews import Block, SlackReviewAct, button
from tarsy_notifier.notification import Notification

type ButtonsOf = Callable[[Notification], Sequence[Block]]
"""Blocks that are written below a message."""

TEXTS: dict[SlackReviewAct, str] = {"claim": "Claim", "accurate": "Accurate", "partly": "Partly", "wrong": "Wrong"}


def review_buttons(notification: Notification) -> Sequence[Block]:
    """None below a message about anything else: there is nothing to review yet, or somebody has looked at it."""
    if FIRST_STATUSES.get(notification.kind) != NEEDS_REVIEW:
        return ()
    buttons: list[JsonValue] = [button(act, text, notification.session.id) for act, text in TEXTS.items()]
    return ({"type": "actions", "elements": buttons},)


def no_buttons(_: Notification) -> Sequence[Block]:
    return ()
