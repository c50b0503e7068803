"""Deduplication rule: whether an alert joins the latest session of its key.

The owner of the session decides by it; ingest only answers by it.
"""

from tarsy_contracts.events.heads import SessionHead

CLOSED = 0
"""`alerted_ms` of a session that no other alert joins any more."""


def joins(alerted_ms: int, *, investigated: bool, at_ms: float, window_seconds: float) -> bool:
    """Whether an alert that came `at_ms` joins a session that was not deleted. `alerted_ms`: when its last alert came.

    An alert whose own session exists meets that one, whatever this returns. Stamps go back when the new leader's clock
    is behind. An alert that seems much older than the last one is investigated rather than dropped.
    """
    return investigated or abs(at_ms - alerted_ms) <= window_seconds * 1000


def is_investigated(head: SessionHead) -> bool:
    """As far as a head shows it. A session that answers a question has ended, and its earlier life is in `spans`."""
    return head.phase == "open" and head.ended is None and not head.spans
