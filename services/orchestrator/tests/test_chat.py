"""A question to a session at rest, on a real Kafka: whoever owns it answers, and whoever takes over goes on."""

import pytest
from orchestrator_world import World, calling, new_session, words

from tarsy_bus.log.heads import newest
from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import RequestAnswered
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.log import check_one_chain
from tarsy_testing.story.story import READ
from tarsy_verification.session_log import SessionLog

pytestmark = pytest.mark.asyncio

REPLIED = "reply.completed"


def question(id: str = "q1", author: str = "ann") -> i.ChatRequested:
    return i.ChatRequested(request_id=id, author=author, content="Since when?")


async def rested(world: World, session: str) -> SessionLog:
    await world.alert(session)
    log = await world.until_ended(session)
    await world.until_rested(session, number=len(log.accepted))
    return log


async def test_the_owner_that_saw_it_end_answers_and_the_head_names_both_lives(world: World) -> None:
    session = new_session()
    await world.owner()
    ended = await rested(world, session)
    await world.send(session, question())
    log = await world.until(session, REPLIED)
    check_one_chain(log)
    assert log.types[: len(ended.types)] == ended.types
    (reopened,) = log.events(e.SessionReopened)
    assert reopened.spans[0].first == log.accepted[0].offset
    head = await world.until_rested(session, number=len(log.accepted))
    assert head.spans[0].first == log.accepted[0].offset
    assert head.spans[-1].last == log.accepted[-1].offset


async def test_an_owner_that_knows_only_its_head_answers_with_all_that_was_found(world: World) -> None:
    session = new_session()
    first = await world.owner("first")
    await rested(world, session)
    await first.stop()
    await world.owner("second")
    await world.send(session, question())
    log = await world.until(session, REPLIED)
    prompts = [event.prompt for event in log.events(e.ExecutionStarted)]
    assert "the cause is X" in prompts[-1]
    assert prompts[-1].endswith("ann asks:\n\nSince when?")


async def test_an_owner_that_takes_over_in_the_middle_of_a_reply_reads_the_lives_before_and_goes_on(
    world: World,
) -> None:
    """It began at session.reopened, and knew nothing of what was before: the reply never went on."""
    session = new_session()
    first = await world.owner("first")
    await rested(world, session)
    world.turns[:] = [calling(READ), words("since 03:00")]
    await world.send(session, question())
    request = await world.request(session)

    async def is_open() -> bool:
        heads = newest((session, one) for _, one in await world.heads(session) if one is not None)
        return heads[session].phase == "open"

    await eventually(is_open, "its head says that it is open again")
    await first.crash()
    await world.owner("second")
    await world.result(request, "it was killed")
    log = await world.until(session, REPLIED)
    check_one_chain(log)
    (reply,) = log.events(e.ReplyCompleted)
    assert reply.status == "completed"
    assert log.events(e.ExecutionCompleted)[-1].final_analysis == "since 03:00"


async def test_the_answer_of_the_owner_is_told_again_to_who_asks_again(world: World) -> None:
    session = new_session()
    await world.owner()
    await rested(world, session)
    await world.send(session, question())
    (accepted,) = await world.told(RequestAnswered)
    assert (accepted.accepted, accepted.code) == (True, 200)
    await world.until(session, REPLIED)
    await world.send(session, question())
    assert await world.told(RequestAnswered, count=2) == [accepted, accepted]
    assert (await world.log(session)).types.count(REPLIED) == 1


async def test_of_two_questions_at_once_one_is_answered_and_one_refused(world: World) -> None:
    session = new_session()
    await world.owner()
    await rested(world, session)
    world.turns[:] = [calling(READ), words("since 03:00")]
    await world.send(session, question("q1", "ann"))
    await world.send(session, question("q2", "bob"))
    answers = {one.request_id: one.code for one in await world.told(RequestAnswered, count=2)}
    assert answers == {"q1": 200, "q2": 409}
    await world.result(await world.request(session), "it was killed")
    await world.until(session, REPLIED)


async def test_a_question_to_a_session_that_never_was_is_not_found(world: World) -> None:
    await world.owner()
    await world.send(new_session(), question())
    (answer,) = await world.told(RequestAnswered)
    assert answer.code == 404
