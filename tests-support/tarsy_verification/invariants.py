"""Invariants of an investigation that has ended, whatever was killed meanwhile. Each fault is a sentence. Pure."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tarsy_bus.readers.records import Delivery
from tarsy_contracts import events as e
from tarsy_contracts.events import ENDINGS, OPENERS, RequestRefused, SessionDeleted, ToolCallOutcomeLearned
from tarsy_contracts.wire.envelope import event_id
from tarsy_verification.differences import differences
from tarsy_verification.session_log import SessionLog

AFTER_THE_END = frozenset(
    {ToolCallOutcomeLearned.type, RequestRefused.type, e.AlertRepeated.type, e.AlertResolved.type, SessionDeleted.type}
)
"""Events that a session may still get at rest, of all that chaos brings."""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A start of a tool, as the MCP server itself noted it."""

    tool: str
    arguments: Mapping[str, JsonValue]

    @property
    def key(self) -> str:
        return _key(self.tool, self.arguments)


def faults_of(log: SessionLog, runs: Sequence[ToolRun], undisturbed: SessionLog | None) -> list[str]:
    """The one checker of whatever kills: chaos, the tests with real processes, and the sweep.

    `runs` are those of this session's calls; `undisturbed` is what the same alert leads to when nothing happens. None:
    nobody can say, as no real model says the same twice.
    """
    different = [] if undisturbed is None else differences(undisturbed, log)
    return [*chain_faults(log), *run_faults(log, runs), *different]


def chain_faults(log: SessionLog) -> list[str]:
    """Checks the log alone: one chain, one end, one outcome for each call."""
    return [*_ids(log.written), *_links(log), *_ends(log), *_twice(log), *_unapproved(log)]


def run_faults(log: SessionLog, runs: Sequence[ToolRun]) -> list[str]:
    """A tool that is not repeatable ran at most as often as the agent asked for it, and not where it was called off."""
    called_off = {event.call_id for event in log.events(e.ToolCallCompleted) if event.outcome == "cancelled"}
    called_off |= {one.call_id for one in log.events(e.ToolCallApprovalRequested)} - _approved(log)
    unsafe = [event for event in log.events(e.ToolCallRequested) if not event.repeatable]
    requested = Counter(_key(event.tool, event.arguments) for event in unsafe)
    wanted = Counter(_key(event.tool, event.arguments) for event in unsafe if event.call_id not in called_off)
    ran = Counter(run.key for run in runs)
    faults = [
        f"{key} was asked for {requested[key]} times and ran {ran[key]} times"
        for key in requested
        if ran[key] > requested[key]
    ]
    return faults or [
        f"{key} ran, though its call was cancelled, or nobody approved it"
        for key in requested
        if ran[key] > wanted[key]
    ]


def _ids(written: Sequence[Delivery]) -> Iterator[str]:
    for delivery in written:
        envelope = delivery.envelope
        expected = event_id(
            previous=envelope.previous,
            type=envelope.type,
            subject=envelope.subject,
            sequence=envelope.sequence or 0,
            time=envelope.time,
            value=delivery.value or b"",
        )
        if envelope.id != expected:
            yield f"the event at offset {delivery.offset} is not what its id says"


def _links(log: SessionLog) -> Iterator[str]:
    previous = None
    for number, record in enumerate(log.accepted, start=1):
        if (record.envelope.sequence, record.envelope.previous) != (number, previous):
            yield f"event {number} does not follow the one before it"
        previous = record.envelope.id


def _ends(log: SessionLog) -> Iterator[str]:
    for life in _lives(log.types):
        endings = [type for type in life if type in ENDINGS]
        if endings != life[-1:]:
            yield f"each life should end once, with its last event, but the endings of one are {endings}"


def _lives(types: Sequence[str]) -> Iterator[list[str]]:
    """Splits the events into lives, each from its opener to its end. Events that a session gets at rest are in none."""
    life: list[str] = []
    for type in types:
        if type in OPENERS and life:
            yield life
            life = []
        if type not in AFTER_THE_END:
            life.append(type)
    yield life


def _approved(log: SessionLog) -> set[str]:
    return {event.call_id for event in log.events(e.ToolCallApprovalDecided) if event.outcome == "approved"}


def _unapproved(log: SessionLog) -> Iterator[str]:
    """A call that waits for a person starts after somebody has approved it."""
    waiting: set[str] = set()
    for record in log.accepted:
        match record.event:
            case e.ToolCallApprovalRequested(call_id=id):
                waiting.add(id)
            case e.ToolCallApprovalDecided(call_id=id, outcome="approved"):
                waiting.discard(id)
            case e.ToolCallStarted(call_id=id) if id in waiting:
                yield f"call {id} started though nobody had approved it"


def _twice(log: SessionLog) -> Iterator[str]:
    kinds = {
        "outcome": [event.call_id for event in log.events(e.ToolCallCompleted)],
        "answer": [event.llm_call_id for event in log.events(e.LlmCallCompleted)],
        "decision of a person": [event.call_id for event in log.events(e.ToolCallApprovalDecided)],
        "summary": [event.summary_id for event in log.events(e.SummaryCompleted)],
    }
    for what, ids in kinds.items():
        for id, times in Counter(ids).items():
            if times > 1:
                yield f"call {id} has {times} {what}s"


def _key(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    return f"{tool} {json.dumps(dict(arguments), sort_keys=True)}"
