"""Differences between two investigations of the same alert, in what people see of them. Pure.

Ignores what may differ from run to run: ids, stamps, positions in the log, numbers of calls, durations, workers, and
repeated questions. Also ignores the digits that tell masked secrets apart, the outcome of an unsafe call that ended as
unknown, and why a provider was left for the next one: a process that knows it to fail does not ask it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.timeline.changes import (
    ChatCreated,
    ChatMessageAdded,
    ExecutionChanged,
    SessionChanged,
    SessionRemoved,
    StageChanged,
    TimelineCreated,
    TimelineEnded,
    timeline_changes,
)
from tarsy_contracts.wire.ids import timeline_event_id
from tarsy_verification.session_log import SessionLog

type Row = dict[str, JsonValue]

SESSION = "the session"
TOKENS = frozenset({"usage", "tokens_before", "tokens_after", "attempts", "spending"})
"""Estimates learn in each process, and who asks again asks once more."""
VOLATILE = TOKENS | {
    "event_id",
    "sequence_number",
    "expires_at",
    "duration_ms",
    "attempt",
    "claim_id",
    "worker_id",
    "number",
}
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
OUTCOME = frozenset({"status", "content"})
PROVIDERS = ("from", "to")
DIGITS = re.compile(r"(\[MASKED_[A-Z_]+)_[0-9a-f]{8}\]")
EMPTY: Row = {}


def differences(undisturbed: SessionLog, log: SessionLog) -> list[str]:
    """Sentences; empty when people see the same."""
    unknown = _unknown(undisturbed) | _unknown(log)
    expected, found = _Seen(undisturbed, unknown).rows(), _Seen(log, unknown).rows()
    return [fault for key in {**expected, **found} for fault in _compared(key, expected[key], found[key])]


def _compared(session_key: str, expected: Sequence[Row], found: Sequence[Row]) -> Iterator[str]:
    """The first difference only: what stands behind it is likely to have moved."""
    for number, (should, does) in enumerate(zip_longest(expected, found), start=1):
        if does is None:
            yield f"{session_key} lacks row {number}: {_short(should)}"
            return
        if should is None:
            yield f"{session_key} has one row too many, {number}: {_short(does)}"
            return
        if should != does:
            keys = [key for key in {**should, **does} if should.get(key) != does.get(key)]
            yield f"{session_key}, row {number}: {_short(_only(does, keys))} should be {_short(_only(should, keys))}"
            return


def _short(row: Row) -> str:
    text = str(row)
    return text if len(text) <= 300 else f"{text[:300]}..."


def _only(row: Mapping[str, JsonValue], keys: Sequence[str]) -> Row:
    return {key: value for key, value in row.items() if key in keys}


def _unknown(log: SessionLog) -> frozenset[str]:
    """The places of calls that may not run twice and ended as unknown."""
    names = _names(log)
    fragile = {event.call_id for event in log.events(e.ToolCallRequested) if not event.repeatable}
    ended = log.events(e.ToolCallCompleted)
    return frozenset(names[one.call_id] for one in ended if one.outcome == "unknown" and one.call_id in fragile)


def _names(log: SessionLog) -> dict[str, str]:
    """Ids, and what to call them in every run."""
    names: dict[str, str] = {}
    calls: Counter[str] = Counter()
    for record in log.accepted:
        names[record.session_id] = SESSION
        match record.event:
            case e.QuestionAsked(message_id=id, number=number):
                names[id] = f"question {number}"
            case e.StageStarted(stage_id=id, index=index):
                names[id] = f"stage {index}"
            case e.ExecutionStarted(execution_id=id, stage_id=stage_id, index=index):
                names[id] = f"{names.get(stage_id, stage_id)}, agent {index}"
            case e.ToolCallRequested(call_id=id, execution_id=execution_id):
                calls[execution_id] += 1
                names[id] = f"{names.get(execution_id, SESSION)}, call {calls[execution_id]}"
                names[timeline_event_id(id, "llm_tool_call")] = names[id]
                names[timeline_event_id(id, "approval")] = f"{names[id]}, approval"
            case e.SummaryRequested(summary_id=id, call_id=call_id):
                names[id] = f"{names.get(call_id, call_id)}, summary"
                names[timeline_event_id(id, "mcp_tool_summary")] = names[id]
            case _:
                pass
    return names


class _Seen:
    """The final view of people, folded from the changes that the accepted events bring."""

    def __init__(self, log: SessionLog, unknown: frozenset[str]) -> None:
        self._names = _names(log)
        self._unknown = unknown
        self._steps: dict[str, Row] = defaultdict(dict)
        self._shown: dict[str, Row] = {}
        self._questions: dict[str, Row] = {}
        self._places: dict[str, tuple[int, int]] = {}
        for record in log.accepted:
            for change in timeline_changes(record):
                self._take(change)
        for id in _attempts(log):
            self._shown.pop(id, None)
        for record in log.accepted:
            if isinstance(record.event, e.ToolCallOutcomeLearned):
                self._shown.pop(timeline_event_id(record.envelope.id, "error"), None)

    def rows(self) -> dict[str, list[Row]]:
        """By where they belong, in their order: what it is itself, then what is shown of it."""
        found: dict[str, list[Row]] = defaultdict(list)
        for key, step in self._steps.items():
            found[key].append(self._plain(self._without_counts(step)))
        for id in sorted(self._shown, key=lambda id: self._order(id)):
            if (row := self._forgiven(id, self._shown[id])) is not None:
                found[self._name(str(row.get("execution_id") or ""))].append(self._plain(row))
        return found

    def _take(self, change: object) -> None:
        match change:
            case SessionChanged():
                self._merge(SESSION, change.model_dump(mode="json"))
            case SessionRemoved():
                self._steps.clear()
                self._shown.clear()
            case ChatCreated() | ChatMessageAdded():
                return  # the question is a timeline event, too
            case StageChanged():
                self._merge(self._name(change.stage_id), change.model_dump(mode="json"))
            case ExecutionChanged():
                self._merge(self._name(change.execution_id), change.model_dump(mode="json"))
            case TimelineCreated():
                row: Row = change.model_dump(mode="json")
                self._shown[change.event_id] = self._questions[change.event_id] = row
                self._places[change.event_id] = (change.sequence_number, 0)
            case TimelineEnded():
                before = self._shown.get(change.event_id, EMPTY)
                metadata = {**_object(before.get("metadata")), **change.metadata}
                self._shown[change.event_id] = {**before, **change.model_dump(mode="json"), "metadata": metadata}
            case _:
                raise TypeError(f"a change of another kind: {change!r}")

    def _merge(self, session_key: str, row: Row) -> None:
        """A field that a change lacks stays as it was."""
        self._steps[session_key].update({key: value for key, value in row.items() if value is not None})

    def _order(self, id: str) -> tuple[int, int, int]:
        """Results of calls at once, and their summaries, come in any order: each summary stands behind its call."""
        call = _object(self._shown[id].get("metadata")).get("call_event_id")
        own, position = self._places.get(id, (0, 0))
        before, _ = self._places.get(str(call), (own, 0))
        return before, own - before, position

    def _forgiven(self, id: str, row: Row) -> Row | None:
        """A call whose outcome nobody knows is compared by its question only, a change of provider by its names."""
        if row.get("event_type") == "provider_fallback":
            return {**row, "content": "", "metadata": _only(_object(row.get("metadata")), PROVIDERS)}
        name = self._names.get(id, "")
        if name in self._unknown:
            return {key: value for key, value in self._questions[id].items() if key not in OUTCOME}
        return None if name.removesuffix(", summary") in self._unknown else row

    def _without_counts(self, step: Row) -> Row:
        """The counts of an action differ with the outcome that nobody knows."""
        return {key: value for key, value in step.items() if key != "action"} if self._unknown else step

    def _name(self, id: str) -> str:
        return self._names.get(id, id) or SESSION

    def _plain(self, value: Row) -> Row:
        return {key: self._renamed(one) for key, one in value.items() if key not in VOLATILE}

    def _name_of(self, found: re.Match[str]) -> str:
        """An agent is told the ids of those that it has sent."""
        return self._names.get(found[0], found[0])

    def _renamed(self, value: JsonValue) -> JsonValue:
        match value:
            case str():
                return self._names.get(value) or ID.sub(self._name_of, DIGITS.sub(r"\1]", value))
            case dict():
                return self._plain(value)
            case list():
                return [self._renamed(one) for one in value]
            case _:
                return value


def _attempts(log: SessionLog) -> Iterator[str]:
    """The timeline's ids of questions that were asked again, and of the waits before."""
    last = {event.execution_id: event.llm_call_id for event in log.events(e.LlmCallRequested)}
    for event in log.events(e.LlmCallRequested):
        yield timeline_event_id(event.llm_call_id, "llm_wait")
        yield timeline_event_id(event.llm_call_id, "llm_limit")
        if event.llm_call_id != last[event.execution_id]:
            yield timeline_event_id(event.llm_call_id, "error")


def _object(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}
