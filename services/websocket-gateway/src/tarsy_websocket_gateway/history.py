"""A session's history as messages of the same types as the live ones: pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tarsy_contracts.identities import timeline_event_id
from tarsy_websocket_gateway.messages import Outgoing, outgoing, stage_status
from tarsy_websocket_gateway.streams import Call

ENDED = frozenset({"completed", "failed", "cancelled", "timed_out"})


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
    session_id = session["id"]
    for stage in session["stages"]:
        names = ("stage_name", "stage_index", "error_message", "number")
        head = {"type": "stage.status", "session_id": session_id, "stage_id": stage["id"]}
        rest = {"status": stage_status(stage["status"]), "timestamp": _time(stage)}
        yield outgoing({**head, **{name: stage[name] for name in names}, **rest})
        for execution in stage["executions"]:
            names = ("execution_id", "agent_name", "agent_index", "status", "error_message", "number")
            head = {"type": "execution.status", "session_id": session_id, "stage_id": stage["id"]}
            yield outgoing({**head, **{name: execution[name] for name in names}, "timestamp": _time(execution)})
    for event in timeline:
        names = ("execution_id", "event_type", "status", "content", "metadata", "sequence_number", "number")
        head = {"type": "timeline_event.created", "event_id": event["id"], "session_id": session_id}
        yield outgoing({**head, **{name: event[name] for name in names}, "timestamp": event["updated_at"]})
    yield outgoing(
        {
            "type": "session.status",
            "session_id": session_id,
            **{name: session[name] for name in ("status", "final_analysis", "error_message")},
            "number": session["last_number"],
            "timestamp": _time(session),
        }
    )


def _time(row: dict[str, Any]) -> str:
    return str(row["completed_at"] or row["started_at"])
