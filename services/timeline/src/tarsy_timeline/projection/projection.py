"""From accepted records of the log to rows: pure.

A batch runs each statement once, for all its rows, in ORDER. That is allowed because the changes of any one row come
in this order within a batch, or are of one statement, whose rows keep the order of the log.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import assert_never

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.alert import PRIORITIES, McpSelection, priority_of
from tarsy_contracts.chain import NATIVE_TOOLS, ResolvedChain
from tarsy_contracts.conversation import Usage
from tarsy_contracts.display import display_item
from tarsy_contracts.ids import timeline_event_id
from tarsy_contracts.recorded import RecordedEvent
from tarsy_contracts.timeline import (
    ChatCreated,
    ChatMessageAdded,
    ExecutionChanged,
    SessionChanged,
    SessionRemoved,
    StageChanged,
    TimelineChange,
    TimelineCreated,
    TimelineEnded,
    timeline_changes,
)
from tarsy_timeline.database.postgres_text import to_index_text, to_postgres_json, to_postgres_text
from tarsy_timeline.rows.found_call import LOG_OFFSET
from tarsy_timeline.rows.visibility import stored_labels

ORDER = (
    "move_session",
    "start_session",
    "change_session",
    "count_alerts",
    "add_alias",
    "create_chat",
    "count_chat_message",
    "change_stage",
    "plan_stage",
    "change_execution",
    "plan_execution",
    "fall_back",
    "ask_model",
    "end_execution",
    "count_llm_calls",
    "count_usage",
    "count_tool_call",
    "create_timeline_event",
    "end_timeline_event",
    "count_change",
    "delete_session",
    "set_aside",
)
"""The deletion comes last: a batch ends with the event that it follows from (resilient_writer.py)."""
RAN = frozenset({"ok", "tool_error", "unknown"})
"""Outcomes of a call that its worker ran, or may have run."""
ENDED = frozenset({"completed", "failed", "cancelled", "timed_out"})

type Row = tuple[object, ...]
type Statement = tuple[str, Row]


class Batch:
    """The rows that consecutive accepted records of a partition change."""

    def __init__(self) -> None:
        self.types: Counter[str] = Counter()
        self.last: RecordedEvent | None = None
        self._rows: defaultdict[str, list[Row]] = defaultdict(list)
        self._sessions: dict[str, Row] = {}
        self._first: dict[str, RecordedEvent] = {}

    def add(self, record: RecordedEvent) -> None:
        self.types[record.envelope.type] += 1
        self.last = record
        first = self._first.setdefault(record.session_id, record)
        self._sessions[record.session_id] = moved(record, first)
        for name, row in statements(record):
            self._rows[name].append(row)

    def add_statement(self, name: str, row: Row) -> None:
        self._rows[name].append(row)

    def in_order(self) -> Iterator[tuple[str, list[Row]]]:
        rows = {**self._rows, "move_session": list(self._sessions.values())}
        return ((name, rows[name]) for name in ORDER if rows.get(name))


def statements(record: RecordedEvent) -> list[Statement]:
    """The statements of queries.sql that an accepted record brings, beside `move_session`."""
    return [*_facts(record), *(_changed(record, change) for change in timeline_changes(record))]


def moved(record: RecordedEvent, first: RecordedEvent) -> Row:
    """The session's row is there from the first accepted event on, whether this code can read that event or not.

    `first`: of this batch, in which `record` is the last of the session.
    """
    chain = (record.session_id, record.partition, record.number, record.envelope.id)
    return (*chain, first.envelope.time, first.offset, record.offset)


def _facts(record: RecordedEvent) -> Iterator[Statement]:  # noqa: C901 - one case an event type
    """Statements for what lists and details show beside the timeline."""
    event = record.event
    match event:
        case e.SessionStarted():
            yield "start_session", _started(record, event)
        case e.AlertRepeated():
            yield from _repeated(record, event)
        case e.StageStarted():
            yield "plan_stage", _planned(event)
        case e.ExecutionStarted(execution_id=execution_id):
            provider, limit = _text(event.llm_provider), event.max_iterations or None
            yield "plan_execution", (execution_id, provider, event.controller, limit)
        case e.ProviderFellBack(execution_id=execution_id):
            names = (to_postgres_text(event.from_provider), to_postgres_text(event.to_provider))
            yield (
                "fall_back",
                (execution_id, *names, to_postgres_text(event.error), to_postgres_text(event.kind), record.number),
            )
        case e.ExecutionCompleted(execution_id=execution_id):
            partial = _text(event.partial_reason)
            yield "end_execution", (execution_id, event.iterations, event.forced_conclusion, partial)
        case e.LlmCallRequested(execution_id=execution_id):
            yield "ask_model", (execution_id, event.iteration, record.envelope.time)
        case e.LlmCallCompleted(execution_id=execution_id, usage=usage, model=model):
            yield "count_llm_calls", (execution_id, 1, *_tokens([usage]), to_postgres_text(model))
            yield _used(record, model, 1, usage)
        case e.LlmCallFailed() if event.usage != Usage():
            # It is not one of the answers that are counted, but it has cost something.
            yield "count_llm_calls", (event.execution_id, 0, *_tokens([event.usage]), None)
            yield _used(record, "", 0, event.usage)
        case e.SummaryCompleted() | e.SummaryFailed() if event.attempts:
            counted = [attempt.usage for attempt in event.attempts]
            yield "count_llm_calls", (event.execution_id, len(counted), *_tokens(counted), None)
            yield from (_used(record, attempt.model, 1, attempt.usage) for attempt in event.attempts)
        case e.ToolCallRequested(execution_id=execution_id):
            yield "count_tool_call", (execution_id,)
        case e.ToolCallCompleted(outcome=outcome) if outcome in RAN:
            yield "count_change", (record.session_id, timeline_event_id(event.call_id, "llm_tool_call"))
        case _:
            return


def _repeated(record: RecordedEvent, event: e.AlertRepeated) -> Iterator[Statement]:
    """Events of before there was a total have none: they are counted one by one."""
    yield "count_alerts", (record.session_id, event.count, event.total, record.envelope.time)
    for alias in event.joined:
        yield "add_alias", (to_postgres_text(alias), record.session_id)


def _tokens(counted: Sequence[Usage]) -> tuple[int, ...]:
    """In the order of `count_llm_calls`, which has the model's name after them."""
    return (
        sum(usage.input_tokens or 0 for usage in counted),
        sum(usage.output_tokens or 0 for usage in counted),
        sum(usage.thinking_tokens or 0 for usage in counted),
        sum(usage.cached_input_tokens or 0 for usage in counted),
        sum(usage.cache_written_tokens or 0 for usage in counted),
    )


def _used(record: RecordedEvent, model: str, calls: int, usage: Usage) -> Statement:
    day = record.envelope.time.astimezone(UTC).date()
    return "count_usage", (record.session_id, day, to_index_text(model), calls, *_tokens([usage]))


def _started(record: RecordedEvent, event: e.SessionStarted) -> Row:
    alert, chain = event.alert, event.chain
    texts = [alert.title, alert.severity, alert.source, alert.author, alert.runbook_url]
    return (
        record.session_id,
        to_index_text(alert.alert_type),
        *(None if text is None else to_postgres_text(text) for text in texts),
        to_index_text(chain.chain_id),
        to_postgres_text(alert.data),
        chain.scripted,
        PRIORITIES.index(priority_of(alert)),
        None if alert.mcp is None else _selected(alert.mcp),
        _stages_to_come(chain),
        any(len(stage.agents) > 1 for stage in chain.stages),
        chain.chat_enabled,
        record.envelope.time,
        *(
            None if facet is None else to_index_text(facet)
            for facet in (alert.cluster, alert.namespace, alert.workload)
        ),
        None if alert.rerun is None else to_index_text(alert.rerun.parent_id),
        None if alert.llm_provider is None else to_postgres_text(alert.llm_provider),
        None if alert.slack_message_fingerprint is None else to_postgres_text(alert.slack_message_fingerprint),
        stored_labels(alert.labels),
        to_postgres_text(chain.chosen_by),
        chain.unmatched,
    )


def _selected(selection: McpSelection) -> JsonValue:
    """Answers name each native tool that is known, null where nothing was chosen."""
    chosen = selection.native_tools
    native: JsonValue = None if chosen is None else {**dict.fromkeys(NATIVE_TOOLS), **chosen}
    servers: list[JsonValue] = [server.model_dump(mode="json") for server in selection.servers]
    return to_postgres_json({"servers": servers, "native_tools": native})


def _stages_to_come(chain: ResolvedChain) -> int:
    """If all goes well: those of the plan, their syntheses, and the executive summary."""
    syntheses = sum(stage.synthesis is not None for stage in chain.stages)
    return len(chain.stages) + syntheses + (chain.executive_summary is not None)


def _planned(event: e.StageStarted) -> Row:
    counts = (event.stage_type, event.chain_stage, event.expected_agent_count)
    return (event.stage_id, *counts, event.parallel_type, event.success_policy, event.referenced_stage_id)


def _changed(record: RecordedEvent, change: TimelineChange) -> Statement:
    session, time, number = record.session_id, record.envelope.time, record.number
    match change:
        case SessionRemoved():
            return "delete_session", (session, time)
        case SessionChanged(status=status):
            texts = (_text(change.final_analysis), _text(change.error_message))
            summary = (_text(change.executive_summary), _text(change.executive_summary_error))
            limits = [to_postgres_text(limit) for limit in change.evidence_limits]
            began = time if status == "in_progress" else None
            less = (_text(change.partial_reason), limits)
            return "change_session", (session, status, *texts, *summary, began, _end(status, time), *less)
        case ChatCreated():
            return "create_chat", (session, change.chat_id)
        case ChatMessageAdded():
            return "count_chat_message", (session,)
        case StageChanged(status=status):
            stage = (change.stage_id, session, to_postgres_text(change.stage_name), change.stage_index, status)
            return "change_stage", (*stage, _text(change.error_message), time, _end(status, time), number)
        case ExecutionChanged(status=status):
            agent = (to_postgres_text(change.agent_name), change.agent_index, status, _text(change.error_message))
            place = (change.execution_id, session, change.stage_id)
            return "change_execution", (*place, *agent, time, _end(status, time), number)
        case TimelineCreated():
            head = (change.event_id, session, change.execution_id, change.event_type, change.status)
            shown = _shown(change.content, change.metadata)
            return "create_timeline_event", (*head, *shown, change.sequence_number, time, number)
        case TimelineEnded():
            shown = _shown(change.content, {**change.metadata, **_place(record)})
            return "end_timeline_event", (change.event_id, change.status, *shown, time, number)
        case _:
            assert_never(change)


def _shown(content: str, metadata: dict[str, JsonValue]) -> tuple[str, JsonValue]:
    shown, about = display_item(to_postgres_text(content), metadata)
    return shown, to_postgres_json(about)


def _place(record: RecordedEvent) -> dict[str, JsonValue]:
    """Where a result is read that is too long for the row."""
    return {LOG_OFFSET: record.offset} if isinstance(record.event, e.ToolCallCompleted) else {}


def _text(text: str) -> str | None:
    """An empty text is null in answers."""
    return to_postgres_text(text) or None


def _end(status: str, time: datetime) -> datetime | None:
    return time if status in ENDED else None
