"""Events of calls that wait for a person."""

from typing import ClassVar, Literal

from pydantic import JsonValue

from tarsy_contracts.chain import AtTimeout
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.numbers import Seconds

APPROVE = "approve"
DENY = "deny"
"""The values of `request` when a person decides about a call."""

type ApprovalOutcome = Literal["approved", "denied", "expired", "cancelled"]


class StageApprovalsRequired(Message):
    """Calls of these tools of the stage wait for a person. It comes before the first of its agents begins.

    `tools` are names (`definition.name`) of tools of `stage.tools_offered`. It is an event of its own, so that
    a version without approvals sets the session aside instead of making such a call.
    """

    type: ClassVar[str] = "stage.approvals_required"
    stage_id: str
    tools: tuple[str, ...]


class ToolCallApprovalRequested(Message):
    """The call waits for a person: it is not made before somebody approves. It comes in the batch of its request.

    `reason`: what the agent wrote when it asked for the call, its beginning. `role`: who may decide. `timeout_seconds`
    count from this event; `on_timeout` says what happens then: the call is denied, or the session fails. `dry_run`: the
    call that tries this one out first; nobody may approve before it has ended.
    """

    type: ClassVar[str] = "tool_call.approval_requested"
    call_id: str
    execution_id: str
    server: str
    tool: str
    arguments: dict[str, JsonValue]
    reason: str
    role: str
    timeout_seconds: Seconds
    on_timeout: AtTimeout
    dry_run: str = ""


class ToolCallApprovalDecided(Message):
    """The wait is over. After `approved` the call is owed like any other; after anything else it has ended.

    `request_id` and `author` are those of the person who decided; empty where nobody did (`expired`, `cancelled`).
    """

    type: ClassVar[str] = "tool_call.approval_decided"
    call_id: str
    outcome: ApprovalOutcome
    request_id: str = ""
    author: str = ""
    comment: str = ""
