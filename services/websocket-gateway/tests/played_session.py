"""A session as an orchestrator wrote it, and what the gateway sends and the timeline answers of it."""

import json
from collections.abc import Sequence
from typing import Any

from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_testing.simulation.investigation import BRIEF_ALERT
from tarsy_testing.simulation.playing import play
from tarsy_timeline.record.past_session import past_session
from tarsy_websocket_gateway.messages.feed import Feed

type Message = dict[str, Any]


def investigation_and_reply() -> Sequence[RecordedEvent]:
    return [*play(alert=BRIEF_ALERT, questions=1).log.accepted]


def messages(log: Sequence[RecordedEvent]) -> list[Message]:
    feed = Feed()
    return [json.loads(one.text) for record in log for one in feed.event(record)]


def answer(log: Sequence[RecordedEvent], number: int) -> Any:
    found = past_session(log, number)
    return None if found is None else found.model_dump(mode="json")
