"""Questions to investigations that have ended, through the API, and what becomes of them on the log."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tarsy_contracts import events as e
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.story.log import check_one_chain
from tarsy_testing.system.chains import ask_for, cancel, rows
from tarsy_testing.system.investigation import Investigation, Row, shown
from tarsy_testing.system.questions import ask_question, post_question
from tarsy_testing.system.system import System
from tarsy_verification.session_log import SessionLog

LOOKED_AGAIN = "The pod of v2.14.0 still restarts."
SLOWLY = "So the answer is the release."
AT_LENGTH = "Is it over? Tell me at length."
"""Its answer lasts as long as a busy machine needs to do something meanwhile."""


async def until_replied(log: LiveLog, session_id: str, count: int = 1) -> SessionLog:
    """So many replies have ended, each once, and the log is one chain."""
    told = await log.until_event(session_id, e.ReplyCompleted, count=count)
    check_one_chain(told)
    assert told.types.count("session.reopened") == told.types.count("reply.completed") == count
    return told


async def check_answer(system: System, sent: Row, told: SessionLog, answer: str) -> None:
    """The timeline shows it in the stage of the reply."""
    await shown(system, str(sent["session_id"]), told)
    timeline = rows(system.get(f"/api/v1/sessions/{sent['session_id']}/timeline"))
    answers = [
        row["content"]
        for row in timeline
        if row["stage_id"] == sent["stage_id"] and row["event_type"] == "final_analysis"
    ]
    assert [str(one).splitlines()[-1] for one in answers] == [answer]


async def completed(system: System, log: LiveLog) -> Investigation:
    session = ask_for(system, "answering")
    await log.until_event(session.session_id, e.SessionCompleted)
    return session


async def failed(system: System, log: LiveLog) -> Investigation:
    session = ask_for(system, "failing")
    await log.until_event(session.session_id, e.SessionFailed)
    return session


async def cancelled(system: System, log: LiveLog) -> Investigation:
    session = ask_for(system, "talking")
    await log.until_event(session.session_id, e.LlmCallRequested)
    cancel(system, session.session_id)
    await log.until_event(session.session_id, e.SessionCancelled)
    return session


async def slowly_answering(system: System, log: LiveLog) -> Investigation:
    session = ask_for(system, "asking")
    await log.until_event(session.session_id, e.SessionCompleted)
    return session


@pytest.mark.parametrize("ended", [completed, failed, cancelled])
async def test_every_ended_session_answers_looks_again_and_stays_as_it_ended(
    ended: Callable[[System, LiveLog], Awaitable[Investigation]], system: System, log: LiveLog
) -> None:
    session = await ended(system, log)
    before = await shown(system, session.session_id, log.of(session.session_id))
    sent = await ask_question(system, session.session_id, "Is it over?")
    told = await until_replied(log, session.session_id)
    await check_answer(system, sent, told, LOOKED_AGAIN)
    after = await shown(system, session.session_id, told)
    kept = ("status", "completed_at", "duration_ms", "final_analysis", "executive_summary", "error_message")
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert after["status"] == ended.__name__
    assert (after["chat_id"], after["chat_message_count"]) == (sent["chat_id"], 1)


async def test_of_two_people_at_the_same_moment_one_is_answered_and_the_other_is_told(
    system: System, log: LiveLog
) -> None:
    session = await slowly_answering(system, log)
    asked = [post_question(system, session.session_id, AT_LENGTH, who) for who in ("ann", "bob")]
    answers = sorted(await asyncio.gather(*asked), key=lambda answer: answer.status_code)
    assert [answer.status_code for answer in answers] == [202, 409]
    assert answers[1].json()["detail"] == "a reply is being written: wait for its end, or cancel it"
    told = await until_replied(log, session.session_id)
    await check_answer(system, answers[0].json(), told, SLOWLY)


async def test_a_reply_that_is_cancelled_leaves_the_session_as_it_was_and_the_next_question_is_answered(
    system: System, log: LiveLog
) -> None:
    session = await slowly_answering(system, log)
    await ask_question(system, session.session_id, AT_LENGTH)
    await session.until_streaming("I read again")
    cancel(system, session.session_id)
    told = await until_replied(log, session.session_id)
    (reply,) = told.events(e.ReplyCompleted)
    assert (reply.status, reply.error) == ("cancelled", "cancelled by api-client")
    assert (await shown(system, session.session_id, told))["status"] == "completed"
    sent = await ask_question(system, session.session_id, "And now?")
    await check_answer(system, sent, await until_replied(log, session.session_id, 2), SLOWLY)


async def test_a_reply_goes_on_and_ends_once_when_its_orchestrator_is_killed(system: System, log: LiveLog) -> None:
    session = await slowly_answering(system, log)
    sent = await ask_question(system, session.session_id, AT_LENGTH)
    await session.until_streaming("I read again")
    await system.replace("orchestrator")
    told = await until_replied(log, session.session_id)
    (reply,) = told.events(e.ReplyCompleted)
    assert (reply.status, reply.stage_id) == ("completed", sent["stage_id"])
    await check_answer(system, sent, told, SLOWLY)
