"""The verdict of a soak: what was lost, doubled, left down or has grown. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tarsy_bus.topics.topics_admin import CONNECT_SECONDS
from tarsy_contracts import events as e
from tarsy_contracts.api.chat import ChatMessageSent
from tarsy_contracts.builtin_tools import LOAD_SKILL
from tarsy_contracts.events import SESSION_ENDINGS
from tarsy_soak.poison import STRANGER
from tarsy_soak.progress import Interval
from tarsy_verification.invariants import ToolRun, chain_faults, run_faults
from tarsy_verification.session_log import SessionLog

MOST_SHOWN = 20
MOST_CHARACTERS = 200
EMPTY = SessionLog()


@dataclass(frozen=True, slots=True)
class Findings:
    """Observations at the end. `shown` is each session's status on the API.

    `accepted` must complete. `tormented`, by what is done to each, must end somehow. `gaps`: the longest first.
    `outages`: Kafka's.
    """

    accepted: Sequence[str]
    refused: int
    logs: Mapping[str, SessionLog]
    runs: Mapping[str, Sequence[ToolRun]]
    shown: Mapping[str, str]
    questions: Sequence[ChatMessageSent] = ()
    questions_refused: int = 0
    approved: int = 0
    unready: Sequence[str] = ()
    memory: Sequence[str] = ()
    held: Sequence[str] = ()
    tormented: Mapping[str, str] = field(default_factory=dict)
    gaps: Sequence[Interval] = ()
    progress: Sequence[str] = ()
    leaks: Sequence[str] = ()
    killed: Mapping[str, int] = field(default_factory=dict)
    restarts: Mapping[str, int] = field(default_factory=dict)
    outages: Sequence[Interval] = ()
    highest_mb: Mapping[str, float] = field(default_factory=dict)


def faults_of_soak(findings: Findings) -> list[str]:
    """Sentences; empty when all is well."""
    return [
        *_session_faults(findings),
        *_tormented_faults(findings),
        *_question_faults(findings),
        *(f"not ready at the end: {reason}" for reason in findings.unready),
        *findings.memory,
        *_restart_faults(findings),
        *findings.progress,
        *findings.held,
        *findings.leaks,
    ]


def _session_faults(findings: Findings) -> Iterator[str]:
    for session_id in findings.accepted:
        log = findings.logs.get(session_id, EMPTY)
        if not log.accepted:
            yield f"{session_id}: its alert was acknowledged, and no session began"
            continue
        for fault in [*_record_faults(findings, session_id, log), *_given_up(log)]:
            yield f"{session_id}: {fault}"
        ended = _end_of(log)
        if ended != "session.completed":
            reasons = "".join(f": {failed.error}" for failed in log.events(e.SessionFailed))
            yield f"{session_id}: ended with {ended}{reasons}{''.join(_unsuccessful(log))}"


def _tormented_faults(findings: Findings) -> Iterator[str]:
    """A session whose model or servers are hostile may fail, and must end."""
    for session_id, torment in findings.tormented.items():
        log, name = findings.logs.get(session_id, EMPTY), f"{session_id} ({torment})"
        if not log.accepted:
            yield f"{name}: its alert was acknowledged, and no session began"
            continue
        yield from (f"{name}: {fault}" for fault in _record_faults(findings, session_id, log))


def _record_faults(findings: Findings, session_id: str, log: SessionLog) -> Iterator[str]:
    """Faults of a session's record, however it ended."""
    yield from chain_faults(_ours(log))
    yield from run_faults(log, findings.runs.get(session_id, ()))
    shown = findings.shown.get(session_id, "nothing")
    if log.ended and f"session.{shown}" != _end_of(log):
        yield f"the log ended with {_end_of(log)}, and the API shows {shown}"


def _restart_faults(findings: Findings) -> Iterator[str]:
    # One that starts while Kafka is away waits so long for it, and ends, as the operations manual says.
    ended_starts = sum(int(outage.seconds // CONNECT_SECONDS) for outage in findings.outages)
    for service, count in sorted(findings.restarts.items()):
        killed = findings.killed.get(service, 0)
        if count > killed + (ended_starts if killed else 0):
            yield f"{service} was started again {count} times, and the soak killed it {killed} times"


def _given_up(log: SessionLog) -> Iterator[str]:
    """Calls that their owner ended, as nobody answered in time. Outages do not count in it: a request was lost."""
    tools = _tools(log)
    for call in log.events(e.ToolCallCompleted):
        if call.claim_id is None and call.outcome in ("unavailable", "unknown"):
            yield f"nobody answered {tools.get(call.call_id, call.call_id)}: {call.content[:MOST_CHARACTERS]}"


def _tools(log: SessionLog) -> dict[str, str]:
    return {call.call_id: call.tool for call in log.events(e.ToolCallRequested)}


def _unsuccessful(log: SessionLog) -> Iterator[str]:
    """Calls and summaries without a result: mostly why an agent had to judge without its evidence."""
    tools = _tools(log)
    for call in log.events(e.ToolCallCompleted):
        if call.outcome != "ok":
            yield f"; {tools.get(call.call_id, call.call_id)} ended {call.outcome}: {call.content[:MOST_CHARACTERS]}"
    for summary in log.events(e.SummaryFailed):
        yield f"; a summary failed: {summary.error[:MOST_CHARACTERS]}"


def _end_of(log: SessionLog) -> str:
    """The type of the event that ended the investigation, whatever was asked later; or else of the last event."""
    return next((type for type in log.types if type in SESSION_ENDINGS), log.types[-1])


def _question_faults(findings: Findings) -> Iterator[str]:
    for question in findings.questions:
        replies = findings.logs.get(question.session_id, EMPTY).events(e.ReplyCompleted)
        ends = [reply.status for reply in replies if reply.message_id == question.message_id]
        if ends != ["completed"]:
            yield f"{question.session_id}: the reply to question {question.message_id} ended with {ends}"


def _ends_of_tormented(findings: Findings) -> Iterator[str]:
    for session_id, torment in findings.tormented.items():
        log = findings.logs.get(session_id, EMPTY)
        yield f"{torment} {_end_of(log) if log.accepted else 'nothing'} after {_took(log):.0f} s"


def _took(log: SessionLog) -> float:
    """Seconds from the first event of a session to the end of its investigation, or to its last event."""
    if not log.accepted:
        return 0.0
    ended = next((one for one in log.accepted if one.envelope.type in SESSION_ENDINGS), log.accepted[-1])
    return (ended.appended_at - log.accepted[0].appended_at).total_seconds()


def _count_features(findings: Findings) -> str:
    """How much of what may be configured has taken part."""
    logs = list(findings.logs.values())
    started = [event for log in logs for event in log.events(e.ExecutionStarted)]
    loads = sum(call.tool == LOAD_SKILL for log in logs for call in log.events(e.ToolCallRequested))
    stages = [event.action for log in logs for event in log.events(e.StageCompleted) if event.action is not None]
    verdicts = Counter(f"{one.verdict}, helped: {one.helped or 'not looked'}" for one in stages)
    acted = "; ".join(f"{count} actions {verdict}" for verdict, count in verdicts.most_common()) or "no action"
    return f"{sum(bool(one.parent_execution_id) for one in started)} sub-agents, {loads} skills loaded; {acted}"


def _ours(log: SessionLog) -> SessionLog:
    """Leaves out the poison records, which every reader drops."""
    ours = [delivery for delivery in log.written if delivery.envelope.source != STRANGER]
    return SessionLog(written=ours, accepted=log.accepted, dropped=log.dropped)


def report(findings: Findings, faults: Sequence[str]) -> Iterator[str]:
    """For a person, a line each."""
    ends = Counter(_end_of(log) for log in findings.logs.values() if log.accepted)
    questions = f"{len(findings.questions)} questions accepted, {findings.questions_refused} refused"
    yield f"{len(findings.accepted)} alerts accepted, {findings.refused} not taken in time by anybody; {questions}"
    yield f"{findings.approved} approvals given; {_count_features(findings)}"
    if findings.tormented:
        yield "tormented: " + ", ".join(sorted(_ends_of_tormented(findings)))
    yield "sessions: " + (", ".join(f"{count} {type}" for type, count in ends.most_common()) or "none")
    yield "restarts: " + ", ".join(f"{service} {count}" for service, count in sorted(findings.restarts.items()))
    yield f"longest time without a decision while some waited: {findings.gaps[0].seconds if findings.gaps else 0:.0f} s"
    yield "highest memory: " + ", ".join(f"{name} {mb:.0f} MB" for name, mb in sorted(findings.highest_mb.items()))
    yield from faults[:MOST_SHOWN]
    if len(faults) > MOST_SHOWN:
        yield f"and {len(faults) - MOST_SHOWN} more faults"
    yield (
        f"{len(faults)} faults."
        if faults
        else "Every accepted alert and question ended once, nothing destructive ran twice, no service stayed down."
    )
