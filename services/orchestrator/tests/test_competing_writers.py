"""Somebody else writes to the log while the owner decides: the chain says what counts, and nothing is decided twice."""

from collections.abc import Sequence

from orchestrator_running import Append, RunningOwner
from orchestrator_world import World, calling, new_session, words

from tarsy_bus.log.writer import AppendUncertainError, LogEntry
from tarsy_contracts import events as e
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.message import Message
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.log import check_one_chain
from tarsy_testing.story.story import ALERT, READ


def writes(entries: Sequence[LogEntry], type: str) -> bool:
    return any(("ce_type", type.encode()) in entry.headers for entry in entries)


def goes_before(world: World, owner: RunningOwner, session_id: str, type: str, event: Message) -> None:
    """`event` is appended, with the right predecessor, just before the owner's first batch that holds a `type`."""

    async def meddle(partition: int, entries: Sequence[LogEntry], append: Append) -> int:
        if writes(entries, type):
            owner.writer.meddle = None
            log = await world.log(session_id)
            await world.append(session_id, event, after=log.accepted[-1])
        return await append(partition, entries)

    owner.writer.meddle = meddle


async def called(world: World, session_id: str) -> ToolCallRequest:
    """The session waits for the result of a repeatable call."""
    world.turns[:] = [calling(READ), words("the cause is X")]
    await world.alert(session_id)
    return await world.request(session_id)


async def test_a_decision_that_lost_is_made_again_on_what_the_log_says(world: World) -> None:
    owner, session = await world.owner(), new_session()
    noted = e.AlertRepeated(input_id="another", source=ALERT.source)
    goes_before(world, owner, session, "llm_call.completed", noted)
    last = await world.alert(session)

    log = await world.until_ended(session)
    types = [delivery.envelope.type for delivery in log.dropped]
    assert types == ["llm_call.completed", "execution.completed", "stage.completed", "session.completed"]
    assert log.types.count("alert.repeated") == 1
    assert owner.counted("decisions_lost_total") == 1
    assert owner.llm.calls_of(session) == 1, "the answer is kept, only its decision is made again"
    await world.until_committed(last)


async def test_an_outcome_that_another_owner_wrote_first_is_the_only_one(world: World) -> None:
    owner, session = await world.owner(), new_session()
    request = await called(world, session)
    theirs = e.ToolCallCompleted(call_id=request.call_id, outcome="ok", content="theirs")
    goes_before(world, owner, session, "tool_call.completed", theirs)
    last = await world.result(request, "ours")

    await world.until_committed(last)
    log = await world.until(session, "tool_call.completed")
    assert [event.content for event in log.events(e.ToolCallCompleted)] == ["theirs"]
    assert [delivery.envelope.type for delivery in log.dropped] == ["tool_call.completed", "llm_call.requested"]


async def test_what_names_a_stale_predecessor_is_dropped_and_changes_nothing(world: World) -> None:
    owner, session = await world.owner(), new_session()
    request = await called(world, session)
    log = await world.log(session)
    stale = e.ToolCallCompleted(call_id=request.call_id, outcome="ok", content="stale")
    await world.append(session, stale, after=log.accepted[2])
    last = await world.result(request, "ours")

    log = await world.until_ended(session)
    assert [event.content for event in log.events(e.ToolCallCompleted)] == ["ours"]
    assert [delivery.envelope.source for delivery in log.dropped] == ["zombie"]
    assert owner.counted("records_dropped_total") == 1
    assert owner.counted("decisions_lost_total") == 0
    await world.until_committed(last)


async def test_decisions_that_built_on_a_lost_one_are_made_again_with_it(world: World) -> None:
    """Both results and an alert are decided in one batch: each builds on the one before it."""
    owner, session = await world.owner(), new_session()
    world.turns[:] = [calling(READ, READ), words("the cause is X")]
    await world.alert(session)
    requests: dict[str, ToolCallRequest] = {}

    async def both_are_asked_for() -> bool:
        """A request that nobody claims is published again after a while."""
        requests.update({one.call_id: one for one in await world.requests(session)})
        return len(requests) == 2

    await eventually(both_are_asked_for, "both calls lie in the queue")
    lost: list[int] = []

    async def meddle(partition: int, entries: Sequence[LogEntry], append: Append) -> int:
        """While the first batch is held, everything else gets into the inbox and becomes the second, which loses."""
        if not lost:
            for request in requests.values():
                await world.result(request)
            last = await world.alert(session, id="behind both results")
            await owner.until_read(last)
        elif len(lost) == 1:
            log = await world.log(session)
            await world.append(session, e.AlertRepeated(input_id="x", source="api"), after=log.accepted[-1])
        lost.append(len(entries))
        return await append(partition, entries)

    owner.writer.meddle = meddle
    await world.alert(session, id="holds the writer")
    log = await world.until_ended(session)
    assert len(log.events(e.ToolCallCompleted)) == 2
    assert len(log.events(e.LlmCallCompleted)) == 2
    assert owner.counted("decisions_lost_total") == 3


async def test_a_write_without_an_acknowledgement_is_decided_once_when_it_was_written(world: World) -> None:
    owner, session = await world.owner(), new_session()

    async def meddle(partition: int, entries: Sequence[LogEntry], append: Append) -> int:
        await append(partition, entries)
        raise AppendUncertainError("the acknowledgement was lost")

    owner.writer.meddle = meddle
    last = await world.alert(session)
    log = await world.until_ended(session)
    check_one_chain(log)
    assert log.dropped == []
    assert owner.counted("decisions_lost_total") == 0
    await world.until_committed(last)


async def test_a_write_without_an_acknowledgement_is_decided_again_when_it_was_not_written(world: World) -> None:
    owner, session = await world.owner(), new_session()
    failed: set[bytes | None] = set()

    async def meddle(partition: int, entries: Sequence[LogEntry], append: Append) -> int:
        if entries[0].value not in failed:
            failed.add(entries[0].value)
            raise AppendUncertainError("it was never sent")
        return await append(partition, entries)

    owner.writer.meddle = meddle
    last = await world.alert(session)
    log = await world.until_ended(session)
    assert log.dropped == []
    assert owner.counted("decisions_lost_total") == len(failed)
    assert owner.llm.calls_of(session) == 1
    await world.until_committed(last)


async def test_a_write_that_comes_late_counts_once(world: World) -> None:
    """The owner gave it up and decided again; both lie in the log then, with the same ids."""
    owner, session = await world.owner(), new_session()

    async def meddle(partition: int, entries: Sequence[LogEntry], append: Append) -> int:
        if not writes(entries, "session.started"):
            return await append(partition, entries)
        owner.writer.meddle = None
        await append(partition, entries)
        return await append(partition, entries)

    owner.writer.meddle = meddle
    last = await world.alert(session)
    log = await world.until_ended(session)
    assert [delivery.envelope.type for delivery in log.dropped] == ["session.started"]
    await world.until_committed(last)
