"""A person cancels, whatever the session does just then: it is broken off, and nothing of it stays open.

That this takes no more than two seconds at any event is shown where time is virtual: test_sweep_in_process.py.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tarsy_contracts import events as e
from tarsy_testing.measured import measured
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.live_log import LiveLog, records_of
from tarsy_testing.system.chains import ask_for, cancel, rows
from tarsy_testing.system.investigation import Investigation, shown
from tarsy_testing.system.system import System
from tarsy_verification.session_log import SessionLog
from tarsy_verification.tool_runs import runs_of

ENDS_WITHIN_SECONDS = 2.0
type Moment = Callable[[Investigation, LiveLog], Awaitable[None]]


async def streaming(session: Investigation, log: LiveLog) -> None:
    """Both agents of the stage are asking."""
    await log.until_event(session.session_id, e.LlmCallRequested, count=2)
    await session.until_streaming("I begin with the namespace")


async def calling(session: Investigation, log: LiveLog) -> None:
    await log.until_event(session.session_id, e.ToolCallStarted)
    await until_it_runs(session)


async def summarising(session: Investigation, log: LiveLog) -> None:
    await log.until_event(session.session_id, e.SummaryStarted)
    await session.until_streaming("I begin with the namespace")


async def concluding(session: Investigation, log: LiveLog) -> None:
    await log.until_event(session.session_id, e.StageStarted, count=2)
    await session.until_streaming("I begin with the namespace")


@pytest.fixture
def held(system: System) -> Iterator[None]:
    """However late a busy machine cancels, these tools have not ended."""
    hold = Path(system.environment["TARSY_TEST_HOLD"])
    hold.write_text("pods_list pods_delete", "utf-8")
    yield
    hold.unlink(missing_ok=True)


async def until_it_runs(session: Investigation) -> None:
    async def look() -> bool:
        return bool(runs_of(Path(session.system.environment["TARSY_TEST_CALLS"]), session.session_id))

    await eventually(look, "the tool runs")


async def sending(session: Investigation, log: LiveLog) -> None:
    """Their parent waits for two sub-agents, each of which waits for a tool."""
    await log.until_event(session.session_id, e.ToolCallStarted, count=2)
    await log.until_event(session.session_id, e.LlmCallCompleted, count=4)
    await until_it_runs(session)


MOMENTS: dict[str, Moment] = {
    "sending": sending,
    "talking": streaming,
    "listing": calling,
    "reading": summarising,
    "concluding": concluding,
}


async def cancelled(system: System, log: LiveLog, session: Investigation) -> SessionLog:
    """Cancels it, and checks what holds of every cancelled session."""
    assert cancel(system, session.session_id)["message"] == "The session is being cancelled."
    told = await log.until_ended(session.session_id)
    measured("cancelled", took(told))
    assert came_to_their_own_end(told) == []
    assert told.types[-1] == "session.cancelled"
    assert list(left_open(told)) == []
    await check_that_the_api_shows_its_end(system, session.session_id, told)
    return told


def took(told: SessionLog) -> float:
    """Seconds, by the broker's stamps."""
    (asked,) = records_of(told, e.RequestAccepted)
    return (told.accepted[-1].appended_at - asked.appended_at).total_seconds()


def came_to_their_own_end(told: SessionLog) -> list[str]:
    """What was waited for, in the place of being broken off."""
    (asked,) = records_of(told, e.RequestAccepted)
    since = [record.event for record in told.accepted[told.accepted.index(asked) :]]
    return [
        event.type
        for event in since
        if isinstance(event, e.LlmCallCompleted | e.SummaryCompleted)
        or (isinstance(event, e.ToolCallCompleted) and event.outcome not in ("cancelled", "unknown"))
    ]


def left_open(told: SessionLog) -> Iterator[str]:
    yield from missing("stage", told.events(e.StageStarted), told.events(e.StageCompleted))
    yield from missing("execution", told.events(e.ExecutionStarted), told.events(e.ExecutionCompleted))
    answers: list[e.Event] = [*told.events(e.LlmCallCompleted), *told.events(e.LlmCallFailed)]
    yield from missing("llm_call", told.events(e.LlmCallRequested), answers)
    yield from missing("call", told.events(e.ToolCallRequested), told.events(e.ToolCallCompleted))
    summaries: list[e.Event] = [*told.events(e.SummaryCompleted), *told.events(e.SummaryFailed)]
    yield from missing("summary", told.events(e.SummaryRequested), summaries)


def missing(what: str, begun: Sequence[e.Event], ended: Sequence[e.Event]) -> Iterator[str]:
    """Ids of what began and did not end."""
    ids = [[getattr(one, f"{what}_id") for one in events] for events in (begun, ended)]
    yield from sorted(set(ids[0]) - set(ids[1]))


async def check_that_the_api_shows_its_end(system: System, session_id: str, told: SessionLog) -> None:
    session = await shown(system, session_id, told)
    stages = rows(session["stages"])
    steps = [*stages, *(one for stage in stages for one in rows(stage["executions"]))]
    assert session["status"] == "cancelled"
    assert {one["status"] for one in steps} <= {"completed", "cancelled"}
    timeline = rows(system.get(f"/api/v1/sessions/{session_id}/timeline"))
    assert [one for one in timeline if one["status"] == "streaming"] == []


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("doing", MOMENTS)
async def test_it_ends_whatever_it_does(doing: str, system: System, log: LiveLog) -> None:
    session = ask_for(system, doing)
    await MOMENTS[doing](session, log)
    told = await cancelled(system, log, session)
    assert "unknown" not in [call.outcome for call in told.events(e.ToolCallCompleted)]


@pytest.mark.timing
@pytest.mark.usefixtures("held")
async def test_a_parent_and_its_sub_agents_end_within_two_seconds(system: System, log: LiveLog) -> None:
    session = ask_for(system, "sending")
    await sending(session, log)
    told = await cancelled(system, log, session)
    ended = [(one.agent, one.status) for one in told.events(e.ExecutionCompleted)]
    assert sorted(ended) == [("SlowLead", "cancelled"), *[("SlowLister", "cancelled")] * 2]
    assert took(told) < ENDS_WITHIN_SECONDS


@pytest.mark.usefixtures("held")
async def test_a_destructive_call_ends_as_unknown_and_what_came_of_it_is_learned_later(
    system: System, log: LiveLog
) -> None:
    session = ask_for(system, "deleting")
    await calling(session, log)
    told = await cancelled(system, log, session)
    (call,) = told.events(e.ToolCallCompleted)
    assert call.outcome == "unknown"
    await asyncio.to_thread(Path(system.environment["TARSY_TEST_HOLD"]).unlink)
    told = await log.until_event(session.session_id, e.ToolCallOutcomeLearned)
    (learned,) = told.events(e.ToolCallOutcomeLearned)
    assert (learned.call_id, learned.outcome) == (call.call_id, "ok")
    assert told.types[-2:] == ["session.cancelled", "tool_call.outcome_learned"], "nobody waited for it"
