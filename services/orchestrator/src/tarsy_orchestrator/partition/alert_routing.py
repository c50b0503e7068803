"""Alert routing: which session of the partition an alert meets, its own or the latest one of its deduplication key.

All sessions of a key lie in one partition, so one owner decides. Uses only the log and the input's append time. An
input that is read again after a crash thus reaches the session that decided it.
"""

from dataclasses import replace
from typing import Protocol

from tarsy_bus.log.head_store import JoinableSession
from tarsy_bus.log.join_rule import joins
from tarsy_contracts.messages.inputs import AlertReceived
from tarsy_orchestrator.partition.decision_batch import PendingInput
from tarsy_session.decision_input import DecisionInput


class KnownKeys(Protocol):
    def exists(self, session_id: str) -> bool: ...
    def joinable(self, key: str) -> JoinableSession | None: ...
    def is_investigated(self, session_id: str) -> bool: ...


class IsolatedSessions(Protocol):
    def __contains__(self, session_id: str) -> bool: ...
    def has_unwritten(self, session_id: str) -> bool: ...


def route(one: PendingInput, sessions: KnownKeys, isolated: IsolatedSessions) -> PendingInput:
    """Returns the input for the session that it meets. It may be routed any number of times."""
    key, own = one.deduplication_key, one.context.alert_id
    if not key or not own:
        return one
    found = own if sessions.exists(own) else _find_joined_session(key, one.context, sessions, isolated) or own
    return one if found == one.session_id else replace(one, session_id=found)


def _find_joined_session(
    key: str, context: DecisionInput, sessions: KnownKeys, isolated: IsolatedSessions
) -> str | None:
    """The latest session of the key, if the alert joins it or was decided by it or before it."""
    latest = sessions.joinable(key)
    if latest is None:
        return None
    session_id = latest.session_id
    if not isinstance(context.input, AlertReceived):
        return None if latest.deleted else session_id
    if context.offset is not None and context.offset <= latest.alerts.alerted:
        return session_id  # alerts of a key are decided in their order: this one has been
    if latest.deleted:
        return None
    if session_id in isolated:
        # Inputs that it holds in memory only must not be overtaken. After that no input waits for an operator.
        return session_id if isolated.has_unwritten(session_id) else None
    window = 0.0 if context.input.deduplication is None else context.input.deduplication.window_seconds
    joined = joins(
        latest.alerts.alerted_ms,
        investigated=sessions.is_investigated(session_id),
        at_ms=context.at.timestamp() * 1000,
        window_seconds=window,
    )
    return session_id if joined else None
