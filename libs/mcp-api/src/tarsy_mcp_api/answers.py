"""Answers of the tools. They are short: a model reads them."""

from pydantic import BaseModel, ConfigDict, JsonValue

from tarsy_contracts.api.alerts import AcceptedStatus
from tarsy_contracts.api.session_lists import ListedSession, SessionList
from tarsy_contracts.api.sessions import SessionDetail, SessionStage
from tarsy_contracts.api.timeline import TimelineEvent
from tarsy_contracts.timeline.model import ENDED, SessionStatus, StepStatus, TimelineStatus
from tarsy_contracts.wire.same_fields import copy_fields

LONGEST_CONTENT = 4_000
LONGEST_PART = 40_000
"""Characters of the contents in one answer."""


class ToolAnswer(BaseModel):
    model_config = ConfigDict(frozen=True)


class AlertTaken(ToolAnswer):
    """`session_id` is the investigation of the alert. `status` is `joined` where the same alert came a while ago."""

    session_id: str
    status: AcceptedStatus
    message: str


class FoundSession(ToolAnswer):
    """`passages`: where the words of the search stand."""

    session_id: str
    title: str
    status: SessionStatus
    alert_type: str
    severity: str | None
    cluster: str | None
    namespace: str | None
    workload: str | None
    created_at: str
    executive_summary: str | None
    passages: tuple[str, ...] = ()


class FoundSessions(ToolAnswer):
    sessions: tuple[FoundSession, ...]
    page: int
    total_pages: int
    total_sessions: int


class StageReport(ToolAnswer):
    """`agents`: name and status of each."""

    name: str
    type: str
    status: StepStatus
    agents: dict[str, StepStatus]
    error: str | None


class SessionReport(ToolAnswer):
    """`ended`: nothing more comes, but for answers to questions. `approvals_waiting`: tool calls that a person has to
    approve first. `partial_reason`: why the analysis is less than whole; null where each agent concluded itself."""

    session_id: str
    status: SessionStatus
    ended: bool
    title: str
    alert_type: str
    severity: str | None
    cluster: str | None
    namespace: str | None
    workload: str | None
    created_at: str
    completed_at: str | None
    queue_position: int | None
    executive_summary: str | None
    final_analysis: str | None
    partial_reason: str | None
    error: str | None
    approvals_waiting: int
    questions_allowed: bool
    stages: tuple[StageReport, ...]


class TimelineItem(ToolAnswer):
    """`tool` and `arguments` are those of a tool call, whose result is the content. `cut`: there is more of it."""

    sequence_number: int
    type: str
    status: TimelineStatus
    agent: str | None
    tool: str | None
    arguments: JsonValue | None
    content: str
    cut: bool


class TimelinePart(ToolAnswer):
    """`next_after`: where the next part begins; null at the end."""

    session_id: str
    status: SessionStatus
    items: tuple[TimelineItem, ...]
    next_after: int | None


class ReplyReport(ToolAnswer):
    """`ended`: `answer` is whole, or `error` says why there is none. Otherwise `read_reply` has it later."""

    session_id: str
    stage_id: str
    status: StepStatus
    ended: bool
    answer: str | None
    error: str | None


def describe_sessions(found: SessionList) -> FoundSessions:
    page = found.pagination
    return FoundSessions(
        sessions=tuple(map(_to_found_session, found.sessions)),
        page=page.page,
        total_pages=page.total_pages,
        total_sessions=page.total_items,
    )


def _to_found_session(row: ListedSession) -> FoundSession:
    passages = tuple("".join(piece.text for piece in one.segments) for one in row.highlights)
    return copy_fields(FoundSession, row, session_id=row.id, passages=passages)


def session_report(session: SessionDetail) -> SessionReport:
    return copy_fields(
        SessionReport,
        session,
        session_id=session.id,
        ended=session.status in ENDED,
        error=session.error_message,
        questions_allowed=session.chat_enabled and session.status in ENDED,
        stages=tuple(map(_to_stage_report, session.stages)),
    )


def _to_stage_report(stage: SessionStage) -> StageReport:
    return StageReport(
        name=stage.stage_name,
        type=stage.stage_type,
        status=stage.status,
        agents={one.agent_name: one.status for one in stage.executions},
        error=stage.error_message,
    )


def timeline_part(session: SessionDetail, events: tuple[TimelineEvent, ...], after: int) -> TimelinePart:
    """Items above the sequence number `after`, as many as fit one answer: one at least."""
    agents = {one.execution_id: one.agent_name for stage in session.stages for one in stage.executions}
    items: list[TimelineItem] = []
    length, next_after = 0, None
    for event in events:
        if event.sequence_number <= after:
            continue
        item = _to_timeline_item(event, agents)
        length += len(item.content)
        if items and length > LONGEST_PART:
            next_after = items[-1].sequence_number
            break
        items.append(item)
    return TimelinePart(session_id=session.id, status=session.status, items=tuple(items), next_after=next_after)


def _to_timeline_item(event: TimelineEvent, agents: dict[str, str]) -> TimelineItem:
    about = event.metadata
    tool = f"{about.get('server_name')}.{about['tool_name']}" if "tool_name" in about else None
    return TimelineItem(
        sequence_number=event.sequence_number,
        type=event.event_type,
        status=event.status,
        agent=agents.get(event.execution_id or ""),
        tool=tool,
        arguments=about.get("arguments"),
        content=event.content[:LONGEST_CONTENT],
        cut=len(event.content) > LONGEST_CONTENT or about.get("display_cut") is True,
    )


def reply_of(session: SessionDetail, events: tuple[TimelineEvent, ...], stage_id: str) -> ReplyReport:
    """A stage that is not there yet is pending."""
    stage = next((one for one in session.stages if one.id == stage_id), None)
    answers = [one.content for one in events if one.stage_id == stage_id and one.event_type == "final_analysis"]
    status: StepStatus = "pending" if stage is None else stage.status
    return ReplyReport(
        session_id=session.id,
        stage_id=stage_id,
        status=status,
        ended=status in ENDED,
        answer=answers[-1] if answers else None,
        error=None if stage is None else stage.error_message,
    )
