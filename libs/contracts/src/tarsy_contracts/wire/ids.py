"""Derived ids: the same cause gets the same id, in every process and after every crash.

All are uuid5 under one namespace of ours. The derivation is part of the wire format, and tests/test_ids.py has vectors.
With another derivation, an old alert would start a second session.
"""

import hashlib
from functools import lru_cache
from uuid import UUID

from tarsy_contracts.wire.partitioning import next_in_partition, partition_of

NAMESPACE = UUID("7a1f0c52-5f0e-5d1b-9c36-6d0a4f8e2b17")
KNOWN_SPANS = 4_096
"""Spans whose `traceparent` is kept: those of sessions that run come with every message of theirs."""
KNOWN_ITERATIONS = 4_096
"""Iterations whose id is kept: each step of a session looks at the deadlines of those that run."""
_BEGUN = hashlib.sha1(NAMESPACE.bytes, usedforsecurity=False)


def derive_id(kind: str, *parts: str | int) -> str:
    """Parts are written with their lengths, so that no two different lists of parts look the same."""
    text = "".join([f"{len(part)}:{part}" for part in (kind, *map(str, parts))])
    hashed = _BEGUN.copy()
    hashed.update(text.encode())
    return _written(hashed.digest())


def _written(digest: bytes) -> str:
    """As `str(uuid5(...))` writes it, in half of the time: every event, and everything that shows it, derives ids."""
    number = bytearray(digest[:16])
    number[6] = number[6] & 0x0F | 0x50
    number[8] = number[8] & 0x3F | 0x80
    text = number.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def session_of_alertmanager(*, fingerprint: str, starts_at: str) -> str:
    """One session an episode: the same firing alert, sent again by any replica, meets itself."""
    return derive_id("session/alertmanager", fingerprint, starts_at)


def session_of_grafana(*, org: int, fingerprint: str, starts_at: str) -> str:
    """Derived like Alertmanager's. Each organisation of a Grafana has its own alerts."""
    return derive_id("session/grafana", org, fingerprint, starts_at)


def session_of_pagerduty_incident(*, incident: str) -> str:
    return derive_id("session/pagerduty-incident", incident)


def session_of_pagerduty_event(*, dedup_key: str) -> str:
    """A key is all that triggering and resolving have in common. An episode has no name of its own there."""
    return derive_id("session/pagerduty-event", dedup_key)


def session_of_json_alert(*, identity: str, starts_at: str) -> str:
    """`identity`: the fields that name it; `starts_at`: when it began."""
    return derive_id("session/json", identity, starts_at)


def session_of_part(session_id: str, index: int) -> str:
    """One of several alerts that came together, none of which has an identity."""
    return derive_id("session/part", session_id, index)


def session_of_cloudevent(*, source: str, id: str) -> str:
    return derive_id("session/cloudevent", source, id)


def session_of_idempotency_key(*, caller: str, key: str) -> str:
    """Scoped by caller: two callers may use the same key for different things."""
    return derive_id("session/idempotency-key", caller, key)


def session_of_record(*, cluster: str, topic: str, partition: int, offset: int) -> str:
    """A Kafka record without an identity of its own is identified by where it lies."""
    return derive_id("session/record", cluster, topic, partition, offset)


def dead_letter_id(*, cluster: str, topic: str, partition: int, offset: int) -> str:
    """By where the record was met first: a record that is buried twice is one letter."""
    return derive_id("dead_letter", cluster, topic, partition, offset)


def session_of_rerun(parent_id: str, request_id: str) -> str:
    """The session that a request to run another one again opens."""
    return derive_id("session/rerun", parent_id, request_id)


def session_of_alert_group(*, group_key: str, chain_id: str, starts_at: str) -> str:
    """`starts_at`: when the first of its alerts began."""
    return derive_id("session/alert-group", group_key, chain_id, starts_at)


def deduplication_key(kind: str, *parts: str) -> str:
    """The identity of an alert without its time. `kind` says what the parts are: two doors share none."""
    return derive_id(f"deduplication/{kind}", *parts)


def session_beside(episode: str, key: str, partitions: int) -> str:
    """The id of the session that an episode starts: it lies in the partition of its deduplication key.

    The episode's own where that one does, else the next UUID that does.
    """
    wanted = partition_of(key.encode(), partitions)
    candidate, number = episode, 0
    while (found := next_in_partition(candidate, wanted, partitions)) is None:
        number += 1
        candidate = derive_id("session/beside", episode, number)
    return found


def session_traceparent(session_id: str, cause: str | None = None) -> str:
    """The W3C context of what is done for a session: `cause` when it belongs to the session's trace, else the root.

    The trace id is the session id, and the root span's id is derived from it. A session's trace can therefore be found
    by its id, and steps after a crash keep the same root.
    """
    root = _traceparent(session_id, "session", session_id)
    return cause if cause is not None and cause.split("-")[1:2] == root.split("-")[1:2] else root


def reply_traceparent(session_id: str, stage_id: str) -> str:
    """The W3C context of a reply, or of another phase after the end: its span's id follows from that of its stage."""
    return _traceparent(session_id, "reply", stage_id)


def execution_traceparent(session_id: str, execution_id: str) -> str:
    """The W3C context of all work for an agent's run, in any process. Without a run it is the root's."""
    return _traceparent(session_id, "execution", execution_id) if execution_id else session_traceparent(session_id)


@lru_cache(KNOWN_SPANS)
def _traceparent(session_id: str, kind: str, id: str) -> str:
    span = hashlib.sha256(f"span/{kind}/{id}".encode()).hexdigest()[:16]
    return f"00-{_trace_id(session_id)}-{span}-01"


def _trace_id(session_id: str) -> str:
    """A text that is no UUID is no session of ours, but somebody may ask for it."""
    try:
        return UUID(session_id).hex
    except ValueError:
        return hashlib.sha256(session_id.encode()).hexdigest()[:32]


def stage_id(session_id: str, index: int) -> str:
    return derive_id("stage", session_id, index)


def chat_id(session_id: str) -> str:
    """A session has one chat."""
    return derive_id("chat", session_id)


def phase_id(id_root: str, number: int) -> str:
    """A phase after the end, by its number in the session."""
    return derive_id("phase", id_root, number)


def memory_id(phase_id: str, number: int) -> str:
    """A memory, by its number in the reflection that drew it."""
    return derive_id("memory", phase_id, number)


def message_id(session_id: str, request_id: str) -> str:
    return derive_id("message", session_id, request_id)


def reply_stage_id(message_id: str) -> str:
    """The stage of a reply has its id before it begins: it follows from the question."""
    return derive_id("stage/reply", message_id)


def execution_id(stage_id: str, index: int) -> str:
    return derive_id("execution", stage_id, index)


def sub_execution_id(parent_id: str, agent: str, task: str, attempt: int) -> str:
    """The same task for the same agent is the same run. `attempt`: how many of them have ended without completing."""
    return derive_id("execution/sub", parent_id, agent, task, attempt)


def execution_time_id(execution_id: str) -> str:
    """The end of the time of a sub-agent, as its deadline names it."""
    return derive_id("execution_time", execution_id)


@lru_cache(KNOWN_ITERATIONS)
def iteration_id(execution_id: str, iteration: int) -> str:
    return derive_id("iteration", execution_id, iteration)


def time_budget_id(owner_id: str) -> str:
    """The end of the time in which the agents of a session, or one sub-agent, may call tools."""
    return derive_id("time_budget", owner_id)


def runbook_call_id(session_id: str) -> str:
    return derive_id("tool_call/runbook", session_id)


def recall_call_id(session_id: str) -> str:
    return derive_id("tool_call/recall", session_id)


def llm_call_id(execution_id: str, iteration: int, attempt: int) -> str:
    return derive_id("llm_call", execution_id, iteration, attempt)


def tool_call_id(llm_call_id: str, index: int) -> str:
    return derive_id("tool_call", llm_call_id, index)


def approval_id(call_id: str) -> str:
    """The wait of a call for a person, as its deadline names it."""
    return derive_id("approval", call_id)


def budget_wait_id(session_id: str, budget_id: str, number: int) -> str:
    """The wait for a person who may extend a budget, as its deadline names it. `number`: of this wait."""
    return derive_id("budget_wait", session_id, budget_id, number)


def dry_run_id(call_id: str) -> str:
    """The call that tries this one out."""
    return derive_id("tool_call/dry_run", call_id)


def verification_id(stage_id: str) -> str:
    """The call that looks whether the actions of the stage helped."""
    return derive_id("tool_call/verification", stage_id)


def verification_wait_id(stage_id: str) -> str:
    """`deadline.passed` names it when the effect of the stage's actions has had its time."""
    return derive_id("verification_wait", stage_id)


def summary_id(call_id: str) -> str:
    return derive_id("summary", call_id)


def summary_attempt_id(summary_id: str, number: int) -> str:
    """The question to a provider with that number, from 1."""
    return derive_id("summary_attempt", summary_id, number)


def tool_list_id(execution_id: str, server: str) -> str:
    """The tools that an execution was offered by a server, in the record of its session."""
    return derive_id("tool_list", execution_id, server)


def timeline_event_id(cause: str, event_type: str) -> str:
    """`cause` is the id of the call, execution or event that the timeline event shows."""
    return derive_id("timeline_event", cause, event_type)


def report_id(kind: str, *parts: str | int) -> str:
    """The id of an input: derived from the request that it answers, so that a repeat is recognised."""
    return derive_id(f"input/{kind}", *parts)


def usage_digest_id(*, cluster: str, topic: str, last_day: str) -> str:
    """The digest of a week of one system: its receivers know a repeat by it."""
    return derive_id("usage-digest", cluster, topic, last_day)
