"""A session as it was: made from the log alone, it is what the tables answered after the same event."""

from collections.abc import Callable
from typing import Any

import pytest
from projected_world import Json, NewSession, World, records

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_testing.simulation.investigation import ACTING_ALERT, BRIEF_ALERT
from tarsy_testing.simulation.playing import play
from tarsy_testing.story.whole_chain import partial_chain, whole_chain
from tarsy_timeline.record.past_session import past_session

OF_OTHERS = ("queue_position", "reruns")


def whole(new_session: NewSession) -> list[RecordedEvent]:
    session = new_session()
    repeated = e.AlertRepeated(input_id="i", source="api", count=2, total=2, joined=("another",))
    return records(session.add(*whole_chain(session.id), repeated))


def partial(new_session: NewSession) -> list[RecordedEvent]:
    session = new_session()
    return records(session.add(*partial_chain(session.id)))


def asked(_: NewSession) -> list[RecordedEvent]:
    """An investigation and a reply, as an orchestrator wrote them."""
    return [*play(alert=BRIEF_ALERT, questions=1).log.accepted]


def acted(_: NewSession) -> list[RecordedEvent]:
    """An action that was tried out, approved, made and looked at."""
    return [*play(alert=ACTING_ALERT).log.accepted]


def cancelled_while_it_waits_for_a_person(new_session: NewSession) -> list[RecordedEvent]:
    session = new_session()
    call = e.ToolCallRequested(
        call_id="c", execution_id="x", llm_call_id="l", server="k8s", tool="delete", arguments={}, repeatable=False,
        read_only=False, timeout_seconds=60,
    )  # fmt: skip
    waits = e.ToolCallApprovalRequested.model_validate(
        {"call_id": "c", "execution_id": "x", "server": "k8s", "tool": "delete", "arguments": {}, "role": "operator",
         "timeout_seconds": 60, "on_timeout": "deny", "reason": ""}
    )  # fmt: skip
    resolved = e.AlertResolved(input_id="i", source="alertmanager")
    return records(session.add(*whole_chain(session.id)[:2], call, waits, e.SessionCancelled(author="ann"), resolved))


def of_itself(session: Json) -> Json:
    return {name: value for name, value in session.items() if name not in OF_OTHERS}


@pytest.fixture(
    params=[whole, partial, asked, acted, cancelled_while_it_waits_for_a_person], ids=lambda log: log.__name__
)
def events(request: pytest.FixtureRequest, new_session: NewSession) -> list[RecordedEvent]:
    log: Callable[[NewSession], list[RecordedEvent]] = request.param
    return log(new_session)


async def test_after_every_event_the_past_is_what_was_answered_then(world: World, events: list[RecordedEvent]) -> None:
    path = f"/api/v1/sessions/{events[0].session_id}"
    for event in events:
        await world.project(event)
        past: Any = past_session(events, event.number)
        shown = past.model_dump(mode="json")
        assert of_itself(shown["session"]) == of_itself(await world.get(path)), event.envelope.type
        assert shown["timeline"] == (await world.client.get(f"{path}/timeline")).json(), event.envelope.type
        assert (past.event_type, past.last_number) == (event.envelope.type, event.number)
        assert (past.first_number, past.newest_number) == (1, len(events))


def test_a_number_that_the_session_has_not_is_no_past(new_session: NewSession) -> None:
    events = whole(new_session)
    assert [past_session(some, number) for some, number in ((events, len(events) + 1), (events[4:], 4), ([], 1))] == [
        None, None, None
    ]  # fmt: skip


def test_no_field_of_an_answer_is_left_to_its_default(new_session: NewSession) -> None:
    """A column that has another name than its field would be left out without a word."""
    events = whole(new_session)
    past = past_session(events, len(events))
    assert past is not None
    stages = past.session.stages
    executions = [one for stage in stages for one in stage.executions]
    for answer in (past.session, *stages, *executions, *past.timeline):
        assert answer.model_fields_set == type(answer).model_fields.keys()
