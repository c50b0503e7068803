"""From the changes of rows to their statements: one visible table, which projector and past share."""

from collections.abc import Iterable

from tarsy_timeline.rows import row_changes as c
from tarsy_timeline.rows.statement import RowStatement, Tables, query, update, upsert


def _count_change(tables: Tables, outcome: c.CallOutcome) -> None:
    """The same as `count_change` of queries.sql, which looks at another table."""
    call = tables["timeline_events"].get((outcome.event_id,))
    if call is None:
        return
    read_only = call["metadata"].get("read_only")
    harmless = call["metadata"].get("repeatable", True) if read_only is None else read_only
    tables["sessions"][outcome.session_id,]["changed"] += not harmless


STATEMENTS: dict[type[c.RowChange], RowStatement] = {
    one.change: one
    for one in (
        query("move_session", c.SessionMove),
        update("start_session", "sessions", c.SessionStart),
        update("change_session", "sessions", c.SessionUpdate),
        update("label_session", "sessions", c.SessionLabels),
        update("change_review", "sessions", c.ReviewUpdate),
        upsert("add_review_act", "reviews", c.ReviewAct),
        upsert("start_score", "scores", c.ScoreStart),
        update("end_score", "scores", c.ScoreEnd),
        update("change_score", "sessions", c.ScoreUpdate),
        update("count_alerts", "sessions", c.AlertCount),
        upsert("add_alias", "session_aliases", c.SessionAlias),
        update("create_chat", "sessions", c.ChatStart),
        update("count_chat_message", "sessions", c.ChatMessageCount),
        upsert("change_stage", "stages", c.StageUpdate),
        update("plan_stage", "stages", c.StagePlan),
        upsert("change_execution", "agent_executions", c.ExecutionUpdate),
        update("fall_back", "agent_executions", c.ProviderChange),
        update("ask_model", "agent_executions", c.ModelQuestion),
        update("count_llm_calls", "agent_executions", c.LlmCallCount),
        upsert("count_usage", "model_usage", c.ModelUsage),
        update("count_tool_call", "agent_executions", c.ToolCallCount),
        upsert("create_timeline_event", "timeline_events", c.TimelineStart),
        update("end_timeline_event", "timeline_events", c.TimelineEnd),
        query("count_change", c.CallOutcome, _count_change),
        upsert("learn_memory", "memories", c.MemoryStart),
        update("edit_memory", "memories", c.MemoryUpdate),
        upsert("judge_memory", "memory_judgements", c.MemoryJudgement),
        query("forget_memory", c.MemoryErasure),
        query("delete_session", c.SessionRemoval),
        query("set_aside", c.UnprojectedRecord),
    )
}
"""In the order of a batch. The deletion comes late: a batch ends with the event that it follows from
(resilient_writer.py)."""


def apply_changes(tables: Tables, changes: Iterable[c.RowChange]) -> None:
    for change in changes:
        STATEMENTS[type(change)].apply(tables, change)
