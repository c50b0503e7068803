"""A session's history as messages of the same types as the live ones: pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tarsy_contracts.identities import timeline_event_id
from tarsy_contracts.timeline import ExecutionBegun, ExecutionDone, StageBegun
from tarsy_websocket_gateway.messages import Outgoing, outgoing, stage_status
from tarsy_websocket_gateway.streams import Call

ENDED = frozenset({"completed", "failed", "cancelled", "timed_out"})

STAGE = ("stage_name", "stage_index", "error_message", "number")
STAGE_FACTS = tuple(StageBegun.model_fields)
EXECUTION = ("execution_id", "agent_name", "agent_index", "status", "error_message", "number")
EXECUTION_FACTS = (*ExecutionBegun.model_fields, *ExecutionDone.model_fields, "original_llm_provider")
EVENT = ("execution_id", "event_type", "status", "content", "metadata", "sequence_number", "number")
SESSION = ("status", "final_analysis", "error_message")
SESSION_FACTS = ("executive_summary", "executive_summary_error")
"""A timeline that is older than this gateway does not tell the facts."""


@dataclass(frozen=True, slots=True)
class History:
    """Everything up to the event `last_number`; nothing of a session that the timeline does not know (0).

    `present` are the timeline events in it; `ended` those of them, and the executions, that do not change any more.
    """

    last_number: int = 0
    messages: tuple[Outgoing, ...] = ()
    present: frozenset[str] = field(default_factory=frozenset)
    ended: frozenset[str] = field(default_factory=frozenset)
    over: bool = False

    def has_ended(self, call: Call) -> bool:
        """A failed call shows as an error (contracts.timeline)."""
        signs = {*call.parts, timeline_event_id(call.call_id, "error"), call.execution_id}
        return self.over or bool(signs & self.ended)


def read_history(answer: dict[str, Any]) -> History:
    """From the timeline's answer. Raises KeyError or TypeError when it is not what we know."""
    session, timeline = answer["session"], answer["timeline"]
    executions = [execution for stage in session["stages"] for execution in stage["executions"]]
    return History(
        last_number=answer["last_number"],
        messages=tuple(_messages(session, timeline)),
        present=frozenset(event["id"] for event in timeline),
        ended=frozenset(event["id"] for event in timeline if event["status"] in ENDED)
        | frozenset(one["execution_id"] for one in executions if one["status"] in ENDED),
        over=session["status"] in ENDED,
    )


def _messages(session: dict[str, Any], timeline: list[dict[str, Any]]) -> Iterator[Outgoing]:
    """Stages and executions first, the session's status last: then all that it speaks of is there."""
    for stage in session["stages"]:
        head = {"type": "stage.status", "stage_id": stage["id"], "status": stage_status(stage["status"])}
        yield _message(session, stage, head, STAGE, STAGE_FACTS)
        for row in stage["executions"]:
            yield _message(
                session, row, {"type": "execution.status", "stage_id": stage["id"]}, EXECUTION, EXECUTION_FACTS
            )
    for event in timeline:
        yield _message(session, event, {"type": "timeline_event.created", "event_id": event["id"]}, EVENT)
    head = {"type": "session.status", "number": session["last_number"]}
    yield _message(session, session, head, SESSION, SESSION_FACTS)


def _message(
    session: dict[str, Any], row: dict[str, Any], head: dict[str, str], names: Iterable[str], facts: Iterable[str] = ()
) -> Outgoing:
    time = row.get("updated_at") or row.get("completed_at") or row["started_at"] or session["created_at"]
    fields = {name: row[name] for name in names} | {name: row[name] for name in facts if name in row}
    return outgoing({**head, **fields, "session_id": session["id"], "timestamp": time})
