"""A question to a provider for a summary, made again from the log and from the result that was summarized. Pure.

The request to a summarizer holds the agent's steps so far. The request may be published more than once while other
calls of the turn end. The one that was used has the prompt digest on record.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.api.trace import LlmInteraction, TracedMessage
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_contracts.wire.ids import summary_attempt_id
from tarsy_session.conversations.model_request import ModelRequest
from tarsy_session.effects import SummaryEffect
from tarsy_session.queue_requests import request_of
from tarsy_session.state import AtRest, Investigating, Summary, ToolCallState
from tarsy_session.state_queries import call_of_summary
from tarsy_summary_prompt.excerpt import ExcerptText
from tarsy_summary_prompt.prompt import summary_conversation
from tarsy_timeline.record.listed_llm import list_attempt
from tarsy_timeline.record.llm_interactions import request_facts, response_facts, trace_conversation
from tarsy_timeline.record.replay import SummaryEnd, states_of

MOST_REQUESTS = 100
"""Requests of one summary that are tried. More than a few differ only where many calls of one turn end."""


@dataclass(frozen=True, slots=True)
class AskedSummary:
    """A summary that has ended, and one of its attempts, by its number from 1.

    `at`: when the summary was owed. `requests`: those that a summarizer may have been given, in the order in which they
    could be published. The source of the result is that of all of them.
    """

    at: datetime
    ended: SummaryEnd
    number: int
    call: ToolCallState
    requests: tuple[SummaryRequest, ...]

    @property
    def attempt(self) -> e.SummaryAttempt:
        return self.ended.attempts[self.number - 1]


def find_summary(records: Sequence[RecordedEvent], id: str) -> AskedSummary | None:
    """`id`: of one of its attempts."""
    for record in records:
        event = record.event
        if not isinstance(event, e.SummaryCompleted | e.SummaryFailed):
            continue
        for number in range(1, len(event.attempts) + 1):
            if summary_attempt_id(event.summary_id, number) == id:
                return _find_request(records, event, number)
    return None


def _find_request(records: Sequence[RecordedEvent], ended: SummaryEnd, number: int) -> AskedSummary | None:
    at, requests = records[0].envelope.time, list[SummaryRequest]()
    for record, state in states_of(records):
        call = call_of_summary(state.calls, ended.summary_id)
        if call is None or call.summary is None:
            continue
        if isinstance(record.event, e.SummaryRequested) and record.event.summary_id == ended.summary_id:
            at = record.envelope.time
        if call.summary.ended is not None:
            return AskedSummary(at, ended, number, call, tuple(requests))
        if len(requests) < MOST_REQUESTS and _changes_steps(record.event):
            request = _summary_request(record.session_id, state, call, call.summary)
            if request is not None and request not in requests[-1:]:
                requests.append(request)
    return None


def _changes_steps(event: e.Event | None) -> bool:
    """Whether the steps of an agent look different afterwards."""
    return isinstance(
        event,
        e.SummaryRequested
        | e.SummaryCompleted
        | e.SummaryFailed
        | e.ToolCallRequested
        | e.ToolCallApprovalRequested
        | e.ToolCallApprovalDecided
        | e.ToolCallCompleted
        | e.ToolCallOutcomeLearned,
    )


def _summary_request(
    session_id: str, state: Investigating | AtRest, call: ToolCallState, summary: Summary
) -> SummaryRequest | None:
    if not isinstance(state, Investigating):
        return None
    request = request_of(session_id, state, SummaryEffect(call, summary))
    return request if isinstance(request, SummaryRequest) else None


def choose_request(requested: AskedSummary, result: ExcerptText) -> tuple[ModelRequest, bool | None] | None:
    """The request whose digest is on record, and True; else the last one, and False, or None without a digest."""
    found: ModelRequest | None = None
    sent = requested.ended.request_digest
    for request in requested.requests:
        found = _to_model_request(request, result)
        if sent and found.digest == sent:
            return found, True
    return None if found is None else (found, False if sent else None)


def _to_model_request(request: SummaryRequest, result: ExcerptText) -> ModelRequest:
    conversation = summary_conversation(request, result)
    return ModelRequest(conversation=conversation, answer_tokens=request.max_tokens, is_last=True)


def describe_attempt(sent: AskedSummary, result: ExcerptText | None, missing: str = "") -> LlmInteraction:
    """`result` is None where it cannot be read; `missing` has the reason."""
    attempt, ended = sent.attempt, sent.ended
    chosen = None if result is None else choose_request(sent, result)
    request, verified = (None, None) if chosen is None else chosen
    answered = isinstance(ended, e.SummaryCompleted) and sent.number == len(ended.attempts)
    content = ended.content if isinstance(ended, e.SummaryCompleted) and answered else ""
    return LlmInteraction(
        **dict(list_attempt(ended.summary_id, sent.number, attempt, sent.at)),
        execution_id=sent.call.requested.execution_id,
        tool_call_id=sent.call.requested.call_id,
        thinking_content=None,
        llm_request=None if request is None else request_facts(request, 1, sent.number),
        llm_response=response_facts(content) if answered else None,
        conversation=None if request is None else trace_conversation(request.conversation),
        tools=(),
        answer=TracedMessage(role="assistant", content=content) if answered else None,
        request_digest=ended.request_digest or None,
        verified=verified,
        missing=missing or None,
    )
