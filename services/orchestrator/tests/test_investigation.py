"""One investigation through one owner: every topic holds what the design says."""

from orchestrator_world import World, calling, new_session, words

from tarsy_contracts.control import ClaimGranted, RequestAnswered
from tarsy_contracts.events import SessionCompleted
from tarsy_story import DELETE


async def test_an_alert_goes_through_claim_grant_and_result_to_its_final_analysis(world: World) -> None:
    world.turns[:] = [calling(DELETE), words("the cause is X")]
    await world.owner()
    session = new_session()
    await world.alert(session)
    request = await world.request(session)
    assert (request.tool, request.repeatable) == ("pods_delete", False)
    await world.claim(request)
    assert await world.told(ClaimGranted) == [ClaimGranted(call_id=request.call_id, claim_id="claim-1")]
    last = await world.result(request)

    log = await world.until_ended(session)
    assert log.events(SessionCompleted)[0].final_analysis == "the cause is X"
    assert log.dropped == []
    await world.until_committed(last)


async def test_heads_tell_where_the_session_opened_and_then_only_where_it_rests(world: World) -> None:
    await world.owner()
    session = new_session()
    await world.alert(session)
    log = await world.until_ended(session)
    await world.until_rested(session, number=len(log.accepted))

    heads = await world.heads(session)
    assert [(number, head and head.phase) for number, head in heads] == [
        (1, "open"),
        (len(log.accepted), "rest"),
        (1, None),
    ]
    rest = heads[1][1]
    assert rest is not None
    assert rest.event_id == log.accepted[-1].envelope.id
    assert [(span.first, span.last) for span in rest.spans] == [(log.accepted[0].offset, log.accepted[-1].offset)]


async def test_a_request_for_a_session_that_never_was_is_answered_on_control_only(world: World) -> None:
    await world.owner()
    session = new_session()
    asked = await world.cancel(session)
    (answer,) = await world.told(RequestAnswered)
    assert (answer.request_id, answer.accepted, answer.code) == ("r1", False, 404)
    await world.until_committed(asked)
    assert await world.records(world.bus.topics.sessions) == []
    assert await world.records(world.bus.topics.heads) == []
