"""REST messages of calls that wait for a person."""

from typing import Literal

from pydantic import ConfigDict, Field, JsonValue

from tarsy_contracts.api.model import ApiModel, Timestamp

LONGEST_COMMENT = 2_000


class WaitingApproval(ApiModel):
    """A call that waits. `reason`: what the agent wrote when it asked for it. `role`: who may decide.

    The wait ends at `expires_at`, or later after an outage; `on_timeout` says what happens then. `dry_run`: what came
    back when the call was tried out, as the timeline shows it; `dry_run_status` is `streaming` until then. Both are
    null where there is no dry run.
    """

    session_id: str
    call_id: str
    session_title: str
    agent_name: str | None
    server_name: str
    tool_name: str
    arguments: dict[str, JsonValue]
    reason: str
    role: str
    on_timeout: str
    requested_at: Timestamp
    expires_at: Timestamp
    dry_run: str | None = None
    dry_run_status: str | None = None


class ApprovalList(ApiModel):
    """Those that end first at the front, a thousand at most; `total_items` counts all."""

    approvals: tuple[WaitingApproval, ...]
    total_items: int


class ApprovalDecision(ApiModel):
    """`comment`: the agent reads it when the call is denied, and people read it in the timeline."""

    model_config = ConfigDict(extra="forbid")

    decision: Literal["approve", "deny"]
    comment: str = Field("", max_length=LONGEST_COMMENT)
