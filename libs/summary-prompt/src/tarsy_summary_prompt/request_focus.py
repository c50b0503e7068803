"""Focus that a request gives: when the alert began, and which times the agent has named. Pure."""

import re
from datetime import datetime

from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_summary_prompt.focus import Focus
from tarsy_timestamps.stamps import find_stamp, find_times

START = re.compile(
    r"""(?i)\b(?:starts?_?at|started_?at|start_?time|began_?at|active_?at|fired_?at|triggered_?at|first_?seen)\b"""
    r"""["']?\s{0,3}[:=]\s{0,3}["']?"""
)
STAMP_CHARACTERS = 40


def focus_of(request: SummaryRequest) -> Focus:
    """A reply has no time at which the alert came. Tools return their results soon after they were called."""
    near = request.called_at or request.not_after
    words = "\n".join((request.words, request.purpose, request.question))
    return Focus(
        near=near,
        alert_began=find_start(request.alert, near),
        came_at=request.began_at,
        named=tuple(find_times(words))[::-1],
    )


def find_start(alert: str, near: datetime) -> datetime | None:
    """The time in the first field of the alert that is named like a start."""
    for found in START.finditer(alert):
        value = alert[found.end() : found.end() + STAMP_CHARACTERS].partition("\n")[0]
        if start := find_stamp(value, near):
            return start
    return None
