"""Changes of rows, as the projection of an event makes them.

Each field is a column, and its type says the rules; the key comes first. A change is the tuple of the arguments of its
statement.
"""

from datetime import date, datetime
from typing import Annotated, NamedTuple

from pydantic import JsonValue

from tarsy_timeline.rows.column_rules import (
    ADD_UP_TO_TOTAL,
    FIRST,
    KEY,
    LARGEST,
    ONCE,
    UNLESS_NULL,
    Added,
    AddedTokens,
    JsonUnlessNull,
    Key,
    MergedJson,
    Once,
    OnceId,
    TextUnlessNull,
)
from tarsy_timeline.rows.column_texts import ID, INDEX_TEXT, TEXT, Id, IndexText, OptionalId, OptionalIndexText


class SessionMove(NamedTuple):
    """The session's row is there from the first accepted event on. `first_offset` is that of its batch."""

    session_id: Id
    partition: int
    last_number: int
    last_event_id: Id
    created_at: datetime
    first_offset: int
    last_offset: int


class SessionStart(NamedTuple):
    session_id: Key
    alert_type: IndexText
    title: str
    severity: str | None
    source: str
    author: str
    runbook_url: str | None
    chain_id: IndexText
    alert_data: str
    scripted: bool
    priority: int
    mcp_selection: JsonValue
    total_stages: int
    has_parallel_stages: bool
    chat_enabled: bool
    created_at: datetime
    cluster: OptionalIndexText
    namespace: OptionalIndexText
    workload: OptionalIndexText
    parent_id: OptionalIndexText
    llm_provider: str | None
    slack_message_fingerprint: str | None
    labels: list[str]
    chosen_by: str
    unmatched: bool
    session_labels: list[str]


class SessionUpdate(NamedTuple):
    session_id: Key
    status: str
    final_analysis: TextUnlessNull
    error_message: str | None
    executive_summary: TextUnlessNull
    executive_summary_error: str | None
    started_at: Annotated[datetime | None, FIRST]
    completed_at: datetime | None
    partial_reason: str | None
    evidence_limits: list[str]


class SessionLabels(NamedTuple):
    session_id: Key
    session_labels: list[str]
    confidence: str | None


class ReviewUpdate(NamedTuple):
    """The review as it is now. `review_status` is null in sessions whose review nobody has begun."""

    session_id: Key
    review_status: str
    assignee: OptionalIndexText
    quality_rating: str | None
    review_cause: str | None
    review_note: str | None
    reviewed_by: str | None
    reviewed_at: datetime | None


class ReviewAct(NamedTuple):
    session_id: Key
    number: Annotated[int, KEY]
    action: str
    from_status: str
    to_status: str
    assignee: str
    rating: str
    cause: str
    note: str
    author: str
    at: datetime


class ScoreStart(NamedTuple):
    phase_id: Key
    session_id: OnceId
    number: Annotated[int, ONCE]
    author: Annotated[str, ONCE]
    requested_at: Annotated[datetime, ONCE]
    status: str


class ScoreEnd(NamedTuple):
    phase_id: Key
    status: str
    score: int | None
    result: JsonUnlessNull
    error: str | None
    stage_id: OptionalId
    completed_at: datetime


class ScoreUpdate(NamedTuple):
    """The last score of a session stays where another judgement fails."""

    session_id: Key
    scoring_status: str
    latest_score: Annotated[int | None, UNLESS_NULL]


class AlertCount(NamedTuple):
    """`repeat_count`: how many more, and how many in all; events of before there was a total have none (0)."""

    session_id: Key
    repeat_count: Annotated[tuple[int, int], ADD_UP_TO_TOTAL]
    last_alert_at: datetime


class SessionAlias(NamedTuple):
    alias: Annotated[str, KEY, TEXT]
    session_id: Id


class ChatStart(NamedTuple):
    session_id: Key
    chat_id: Id


class ChatMessageCount(NamedTuple):
    session_id: Key
    chat_message_count: Added = 1


class StageUpdate(NamedTuple):
    """`action`: ActionOutcome of a stage that acts, when it has ended."""

    stage_id: Key
    session_id: OnceId
    stage_name: Once
    stage_index: Annotated[int, ONCE]
    status: str
    error_message: str | None
    started_at: Annotated[datetime, ONCE]
    completed_at: datetime | None
    number: int
    action: JsonUnlessNull


class StagePlan(NamedTuple):
    stage_id: Key
    stage_type: str
    chain_stage: int | None
    expected_agent_count: int
    parallel_type: str | None
    success_policy: str | None
    referenced_stage_id: OptionalId


class ExecutionUpdate(NamedTuple):
    """`spec` and `outcome`: ExecutionSpec when it begins, and ExecutionOutcome when it has ended."""

    execution_id: Key
    session_id: OnceId
    stage_id: OnceId
    agent_name: Once
    agent_index: Annotated[int, ONCE]
    status: str
    error_message: str | None
    started_at: Annotated[datetime, ONCE]
    completed_at: datetime | None
    number: int
    spec: JsonUnlessNull
    outcome: JsonUnlessNull
    llm_provider: Annotated[str | None, ONCE]


class ProviderChange(NamedTuple):
    execution_id: Key
    original_llm_provider: Annotated[str, FIRST]
    llm_provider: str
    fallback_reason: str
    fallback_error_code: str
    number: Annotated[int, LARGEST]
    fallback_count: Added = 1


class ModelQuestion(NamedTuple):
    execution_id: Key
    iteration: int
    asked_at: datetime


class LlmCallCount(NamedTuple):
    execution_id: Key
    llm_interaction_count: Added
    model_name: TextUnlessNull
    input_tokens: AddedTokens
    output_tokens: AddedTokens
    thinking_tokens: AddedTokens
    cached_input_tokens: AddedTokens
    cache_written_tokens: AddedTokens


class ModelUsage(NamedTuple):
    session_id: Key
    day: Annotated[date, KEY]
    model: Annotated[str, KEY, INDEX_TEXT]
    calls: Added
    input_tokens: AddedTokens
    output_tokens: AddedTokens
    thinking_tokens: AddedTokens
    cached_input_tokens: AddedTokens
    cache_written_tokens: AddedTokens
    web_searches: AddedTokens


class ToolCallCount(NamedTuple):
    execution_id: Key
    mcp_interaction_count: Added = 1


class TimelineStart(NamedTuple):
    event_id: Key
    session_id: OnceId
    execution_id: Annotated[str | None, ONCE, ID]
    event_type: Once
    status: str
    content: str
    metadata: JsonValue
    sequence_number: Annotated[int, ONCE]
    created_at: Annotated[datetime, ONCE]
    updated_at: datetime
    number: int


class TimelineEnd(NamedTuple):
    event_id: Key
    status: str
    content: str
    metadata: MergedJson
    updated_at: datetime
    number: int


class CallOutcome(NamedTuple):
    """A call of a tool has run, or may have: unless the tool is read-only, it has changed something."""

    session_id: Id
    event_id: Id


class MemoryStart(NamedTuple):
    """`alert_type` to `workload`: of the alert that it was learnt from. `scope`: what has to be the same."""

    memory_id: Key
    session_id: OnceId
    text: str
    category: str
    valence: str
    alert_type: IndexText
    cluster: IndexText
    namespace: IndexText
    workload: IndexText
    scope: JsonValue
    confidence: float
    locked: bool
    deprecated: bool
    call_ids: list[str]
    learned_at: Annotated[datetime, ONCE]
    updated_at: datetime


class MemoryUpdate(NamedTuple):
    memory_id: Key
    text: str
    category: str
    valence: str
    locked: bool
    deprecated: bool
    updated_at: datetime


class MemoryJudgement(NamedTuple):
    """The judgement of a session about a memory that it was given, and that another session has taught."""

    memory_id: Key
    session_id: Annotated[str, KEY, ID]
    agrees: bool
    reason: str
    judged_at: datetime


class MemoryErasure(NamedTuple):
    memory_id: Id
    session_id: Id


class SessionRemoval(NamedTuple):
    session_id: Id
    deleted_at: datetime


class UnprojectedRecord(NamedTuple):
    partition: int
    log_offset: int
    session_id: IndexText
    number: int
    event_type: IndexText
    reason: str
    failed_at: datetime


type RowChange = (
    SessionMove
    | SessionStart
    | SessionUpdate
    | SessionLabels
    | ReviewUpdate
    | ReviewAct
    | ScoreStart
    | ScoreEnd
    | ScoreUpdate
    | AlertCount
    | SessionAlias
    | ChatStart
    | ChatMessageCount
    | StageUpdate
    | StagePlan
    | ExecutionUpdate
    | ProviderChange
    | ModelQuestion
    | LlmCallCount
    | ModelUsage
    | ToolCallCount
    | TimelineStart
    | TimelineEnd
    | CallOutcome
    | MemoryStart
    | MemoryUpdate
    | MemoryJudgement
    | MemoryErasure
    | SessionRemoval
    | UnprojectedRecord
)
