"""The session log as tests look at it: what was written, what of it counts, and what story it tells."""

from tarsy_bus.connection import Bus
from tarsy_cli.chaos import session_log
from tarsy_cli.chaos.faults import chain_faults
from tarsy_cli.chaos.session_log import SessionLog
from tarsy_contracts import events as e


async def read_log(bus: Bus) -> dict[str, SessionLog]:
    """Every session, judged by the acceptance rule from the beginning of the log."""
    reading = await session_log.read_log(bus)
    assert not reading.unreadable, f"offset {reading.unreadable[0].offset} of the log has no envelope"
    return reading.sessions


def check_one_chain(session: SessionLog) -> None:
    """Numbers without a gap, each event naming the one before it, one end, at most one outcome a call."""
    assert chain_faults(session) == []


def story(session: SessionLog) -> list[object]:
    """What happened, apart from attempts, workers, ids and times. A disturbed run tells the same as an undisturbed one.

    The outcomes of calls that ran in parallel may come in any order: each stands with its request.
    """
    outcomes = {event.call_id: event for event in session.events(e.ToolCallCompleted)}
    told: list[object] = []
    for record in session.accepted:
        match record.event:
            case e.LlmCallCompleted() as answer:
                told.append(("answer", answer.thinking, answer.text, [call.name for call in answer.tool_calls]))
            case e.ToolCallRequested() as call:
                outcome = outcomes[call.call_id]
                told.append(("call", call.tool, str(call.arguments), outcome.outcome, outcome.content, outcome.size))
            case e.SummaryCompleted() as summary:
                told.append(("summary", summary.content))
            case e.ExecutionCompleted() | e.StageCompleted():
                told.append((record.event.type, record.event.status, record.event.error))
            case e.SessionCompleted() as ended:
                told.append(("session", ended.final_analysis))
            case e.SessionFailed() as failed:
                told.append(("failed", failed.error))
            case _:
                pass
    return told
