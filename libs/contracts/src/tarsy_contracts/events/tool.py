"""Events of tool calls."""

from typing import ClassVar, Literal

from pydantic import JsonValue

from tarsy_contracts.actions import HeldBy
from tarsy_contracts.wire.message import Message, Value
from tarsy_contracts.wire.numbers import Count, Seconds

type Outcome = Literal["ok", "tool_error", "unavailable", "rejected", "cancelled", "unknown"]
type ReleaseReason = Literal["busy", "not_started", "worker_died"]
type CallPurpose = Literal["agent", "runbook"]


class ToolCallRequested(Message):
    """The session owes a call of a tool. An unrepeatable one runs only on a grant.

    The calls that fetch the runbook and recall memories belong to no execution: their `execution_id` and
    `llm_call_id` are empty.
    `read_only`: the tool changes nothing, by its server's word or the configuration's. It is null where nobody knows:
    in events of older versions, and for a tool that is not there. `number`: agents cite the call by it, and it counts
    the calls of agents in this session, from 1. It is 0 in events of older versions, and for calls of the session.
    `dry_run_of`: the call that this one tries out, and `verifies`: the stage whose effect it looks at; no agent reads
    its result.
    """

    type: ClassVar[str] = "tool_call.requested"
    call_id: str
    execution_id: str
    llm_call_id: str
    server: str
    tool: str
    arguments: dict[str, JsonValue]
    repeatable: bool
    timeout_seconds: Seconds
    purpose: CallPurpose = "agent"
    read_only: bool | None = None
    number: Count = 0
    dry_run_of: str = ""
    verifies: str = ""


class ToolCallStarted(Message):
    """The first claim that was decided. An unrepeatable tool runs on this claim, and on no other."""

    type: ClassVar[str] = "tool_call.started"
    call_id: str
    claim_id: str
    worker_id: str


class ToolCallReleased(Message):
    """The claim is void, the call was not made (or may be made again): it is free for another claim."""

    type: ClassVar[str] = "tool_call.released"
    call_id: str
    claim_id: str
    reason: ReleaseReason


class Piece(Value):
    offset: int
    size: Count


class StoredResult(Value):
    """The position of a masked original that was too large for the log: pieces in order, all in one partition.

    `digest`: the SHA-256 of the whole masked text, in hex, also of what is not kept. Older gateways make none.
    """

    partition: int
    pieces: tuple[Piece, ...]
    size: Count
    lines: Count
    digest: str = ""


class ToolCallCompleted(Message):
    """`content` is what fits inline; `cut` says that it is not all, and `stored` where the whole lies.

    `size` is in bytes and `lines` in lines, both of the whole masked result. `nulls_left_out`: the names of arguments
    that were null, and that the server was not sent, as its schema does not allow that. `timed_out`: the time of the
    session or the reply was up before the call ended. `held_by`: why TARSy itself did not make the call.
    """

    type: ClassVar[str] = "tool_call.completed"
    call_id: str
    outcome: Outcome
    content: str
    cut: bool = False
    size: Count = 0
    lines: Count = 0
    stored: StoredResult | None = None
    claim_id: str | None = None
    worker_id: str | None = None
    duration_ms: Count | None = None
    nulls_left_out: tuple[str, ...] = ()
    timed_out: bool = False
    held_by: HeldBy = ""


class ToolCallOutcomeLearned(Message):
    """The result of a call that had already ended as unknown. It is noted; nothing else follows from it."""

    type: ClassVar[str] = "tool_call.outcome_learned"
    call_id: str
    claim_id: str
    outcome: Outcome
    content: str
    cut: bool = False
    nulls_left_out: tuple[str, ...] = ()
