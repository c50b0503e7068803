"""Deletion of a session at rest, on a real Kafka: its head stays, and a later life goes on with its number."""

import pytest
from orchestrator_world import World, new_session

from tarsy_bus.log.heads import newest
from tarsy_contracts import events as e
from tarsy_contracts.events.heads import SessionHead
from tarsy_contracts.messages.control import RequestAnswered
from tarsy_contracts.messages.inputs import ChatRequested, SessionDeleteRequested
from tarsy_testing.story.log import check_one_chain
from tarsy_verification.session_log import SessionLog

pytestmark = pytest.mark.asyncio

DELETE = SessionDeleteRequested(request_id="delete", author="ann")


async def deleted(world: World, session: str) -> SessionHead:
    await world.alert(session)
    log = await world.until_ended(session)
    await world.until_rested(session, number=len(log.accepted))
    last = await world.send(session, DELETE)
    await world.until(session, "session.deleted")
    head = await world.until_rested(session, number=len(log.accepted) + 1)
    await world.until_committed(last)
    return head


async def until_second_end(world: World, session: str) -> SessionLog:
    """The end of the life that follows the deletion."""
    while True:
        log = await world.until(session, "session.completed")
        types = log.types[log.types.index("session.deleted") :]
        if "session.completed" in types:
            return log


async def test_the_head_has_no_spans_and_the_request_is_answered(world: World) -> None:
    session = new_session()
    await world.owner()
    head = await deleted(world, session)
    assert (head.phase, head.spans) == ("rest", ())
    (answer,) = await world.told(RequestAnswered)
    assert (answer.accepted, answer.code) == (True, 200)


@pytest.mark.parametrize("knows_head_only", [False, True])
async def test_the_same_alert_later_opens_a_life_that_any_owner_can_read(world: World, knows_head_only: bool) -> None:
    session = new_session()
    first = await world.owner("first")
    head = await deleted(world, session)
    if knows_head_only:
        await first.stop()
        await world.owner("second")
    await world.alert(session, id="again")
    log = await until_second_end(world, session)
    check_one_chain(log)
    again = log.events(e.SessionStarted)[-1]
    assert again.follows
    assert log.accepted[head.number].envelope.previous == head.event_id
    stages = [event.stage_id for event in log.events(e.StageStarted)]
    assert len(stages) == len(set(stages)) == 2
    # And whoever knows the second life by its head alone reads it back.
    rested = await world.until_rested(session, number=len(log.accepted))
    assert rested.spans[0].first == log.accepted[head.number].offset
    for owner in world.owners:
        if not owner.task.done():
            await owner.stop()
    await world.owner("third")
    await world.send(session, ChatRequested(request_id="q", author="ann", content="Since when?"))
    assert (await world.until(session, "reply.completed")).types[-1] == "reply.completed"


async def test_a_question_to_a_deleted_session_is_not_found_by_an_owner_that_knows_its_head_only(world: World) -> None:
    session = new_session()
    first = await world.owner("first")
    head = await deleted(world, session)
    await first.stop()
    await world.owner("second")
    await world.send(session, ChatRequested(request_id="q", author="ann", content="Since when?"))
    answers = await world.told(RequestAnswered, count=2)
    assert {(answer.request_id, answer.code) for answer in answers} == {("delete", 200), ("q", 404)}
    assert newest((session, one) for _, one in await world.heads(session) if one is not None)[session] == head
