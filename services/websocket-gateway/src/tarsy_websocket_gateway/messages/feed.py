"""From accepted events and chunks to messages: pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.messages.chunks import Chunk, Progress
from tarsy_contracts.timeline.changes import timeline_changes
from tarsy_websocket_gateway.messages.outgoing import Outgoing, TextDelta
from tarsy_websocket_gateway.messages.progress_messages import progress_messages
from tarsy_websocket_gateway.messages.running_calls import Call, Part, summary_part
from tarsy_websocket_gateway.messages.streamed_texts import Streams
from tarsy_websocket_gateway.messages.timeline_messages import encode_discarded, of_change
from tarsy_websocket_gateway.messages.watched_steps import WatchedSteps


class Feed:
    """Takes the log and the stream as they come, and says what the clients of the session get."""

    def __init__(self) -> None:
        self._streams = Streams()
        self._steps: defaultdict[str, WatchedSteps] = defaultdict(WatchedSteps)

    def begin(self, session_id: str, steps: WatchedSteps, ended: frozenset[str] = frozenset()) -> None:
        """Somebody watches the session from here on. `steps`: those until now; `ended`: the timeline events and
        executions that have ended, whose calls may be among what is streamed again.
        """
        self._steps[session_id].add(steps)
        self._streams.begin(session_id, ended)

    def forget(self, session_id: str) -> None:
        """Nobody watches the session any longer."""
        self._steps.pop(session_id, None)
        self._streams.forget(session_id)

    def event(self, record: RecordedEvent) -> Iterable[Outgoing]:
        """The messages are made while they are read: mostly nobody watches the session."""
        steps = self._steps[record.session_id]
        steps.note(record.event)
        return _messages_of_record(
            record, steps, self._streams.end(self._list_ended_calls(record)), self._announce_summary(record)
        )

    def chunk(
        self, session_id: str, chunk: Chunk, time: datetime, last_number: int, *, replayed: bool = False
    ) -> list[Outgoing | TextDelta]:
        """`replayed`: it streamed before somebody watched the session."""
        execution_id = "" if isinstance(chunk, Progress) else chunk.execution_id
        stage_id = self._steps[session_id].stage_of(execution_id)
        return self._streams.take(session_id, chunk, time, last_number, stage_id, replayed=replayed)

    def tell_caught_up(self, session_id: str) -> list[Outgoing | TextDelta]:
        """The text of before, once all of it is read."""
        return self._streams.tell_caught_up(session_id)

    def take_torn_sessions(self) -> set[str]:
        """Sessions of which a call is known since the last question, but for its beginning."""
        return self._streams.take_torn_sessions()

    def knows_beginnings(self, session_id: str) -> bool:
        """Whether some call of the session is known, and each of them from its beginning."""
        return self._streams.knows_beginnings(session_id)

    def rewind(self, session_id: str) -> None:
        """Chunks of the session are read again, from before its running calls began."""
        self._streams.rewind(session_id)

    def give_up_beginnings(self, session_id: str) -> None:
        """Nobody has them any longer: texts are told as far as they are known."""
        self._streams.give_up_beginnings(session_id)

    def list_running_calls(self, session_id: str) -> list[Call]:
        """Calls that stream at the moment, for a client that comes now."""
        return self._streams.list_running_calls(session_id)

    def _announce_summary(self, record: RecordedEvent) -> list[Outgoing]:
        if not isinstance(record.event, e.SummaryRequested):
            return []
        summary_id = record.event.summary_id
        return self._streams.announce(summary_id, record.session_id, summary_part(summary_id), record.envelope.time)

    def _list_ended_calls(self, record: RecordedEvent) -> list[str]:
        """Ids of the calls that nobody waits for any longer."""
        running = self._streams.list_running_calls(record.session_id)
        match record.event:
            case e.LlmCallCompleted(llm_call_id=call_id) | e.LlmCallFailed(llm_call_id=call_id):
                return [call_id]
            case e.SummaryCompleted(summary_id=call_id) | e.SummaryFailed(summary_id=call_id):
                return [call_id]
            case e.ToolCallCompleted(call_id=call_id):
                return [call_id]
            case e.ExecutionCompleted(execution_id=execution_id):
                return [call.call_id for call in running if call.execution_id == execution_id]
            case _:
                return [call.call_id for call in running] if record.envelope.type in e.ENDINGS else []


def _messages_of_record(
    record: RecordedEvent, steps: WatchedSteps, parts: Sequence[Part], announced: Sequence[Outgoing]
) -> Iterator[Outgoing]:
    streamed = {part.event_id for part in parts}
    sent: set[str | None] = set()
    for change in timeline_changes(record):
        message = of_change(record, change, steps, streamed=_event_id_of(change) in streamed)
        sent.add(message.event_id)
        yield message
    for part in parts:
        if _came_to_nothing(part, sent):
            yield encode_discarded(record, part.event_id, part.event_type)
    yield from announced
    yield from progress_messages(record, steps)


def _event_id_of(change: object) -> str | None:
    return getattr(change, "event_id", None)


def _came_to_nothing(part: Part, sent: set[str | None]) -> bool:
    """The log ends what it announced, so that history shows the same."""
    return part.event_id not in sent and not part.logged
