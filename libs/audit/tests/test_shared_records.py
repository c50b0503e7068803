"""Equal acts share a record while one is written, and none is done before the record that counts it is there."""

import asyncio

from tarsy_audit.shared_records import SharedRecords
from tarsy_bus.client.publisher import NotWrittenError
from tarsy_contracts.messages.audit import ActRequested

ACT = ActRequested(act="POST /api/v1/alerts", name="alice", door="forwarded_user")


class Kafka:
    """Acknowledges, or fails, when it is told to."""

    def __init__(self) -> None:
        self.written: list[ActRequested] = []
        self._answers: list[asyncio.Future[None]] = []

    async def write(self, act: ActRequested) -> None:
        self.written.append(act)
        answer = asyncio.get_running_loop().create_future()
        self._answers.append(answer)
        await answer

    def acknowledge(self) -> None:
        """The oldest that somebody waits for."""
        while self._answers:
            if not (answer := self._answers.pop(0)).cancelled():
                answer.set_result(None)
                return

    def fail(self) -> None:
        self._answers.pop(0).set_exception(NotWrittenError("told to"))


async def until_idle() -> None:
    """Lets every task take all steps that it can."""
    for _ in range(10):
        await asyncio.sleep(0)


async def asked(records: SharedRecords, *acts: ActRequested) -> "list[asyncio.Task[None]]":
    tasks = [asyncio.create_task(records.write(act)) for act in acts]
    await until_idle()
    return tasks


async def test_a_request_alone_has_a_record_of_its_own_at_once() -> None:
    kafka = Kafka()
    (task,) = await asked(SharedRecords(kafka.write), ACT)
    assert kafka.written == [ACT]
    assert not task.done()
    kafka.acknowledge()
    await task


async def test_requests_that_come_while_one_is_written_share_the_next_which_counts_them() -> None:
    kafka = Kafka()
    records = SharedRecords(kafka.write)
    (first,) = await asked(records, ACT)
    others = await asked(records, ACT, ACT, ACT)
    assert len(kafka.written) == 1
    kafka.acknowledge()
    await until_idle()
    assert first.done()
    assert [task.done() for task in others] == [False] * 3
    assert [act.times for act in kafka.written] == [1, 3]
    kafka.acknowledge()
    await asyncio.gather(*others)


async def test_a_request_that_comes_while_the_shared_record_is_written_is_not_counted_by_it() -> None:
    kafka = Kafka()
    records = SharedRecords(kafka.write)
    tasks = [*await asked(records, ACT), *await asked(records, ACT, ACT)]
    kafka.acknowledge()
    await until_idle()
    tasks += await asked(records, ACT)
    kafka.acknowledge()
    await until_idle()
    assert [task.done() for task in tasks] == [True, True, True, False]
    kafka.acknowledge()
    await asyncio.gather(*tasks)
    assert [act.times for act in kafka.written] == [1, 2, 1]


async def test_other_acts_and_other_callers_share_nothing() -> None:
    kafka = Kafka()
    bob = ACT.model_copy(update={"name": "bob"})
    tasks = await asked(SharedRecords(kafka.write), ACT, bob)
    assert kafka.written == [ACT, bob]
    kafka.acknowledge()
    kafka.acknowledge()
    await asyncio.gather(*tasks)


async def test_nothing_is_done_by_a_shared_record_that_was_not_written() -> None:
    kafka = Kafka()
    records = SharedRecords(kafka.write)
    tasks = [*await asked(records, ACT), *await asked(records, ACT, ACT)]
    kafka.fail()
    await until_idle()
    kafka.fail()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [NotWrittenError] * 3
    (later,) = await asked(records, ACT)
    kafka.acknowledge()
    await later


async def test_who_shares_the_record_of_a_request_that_was_given_up_goes_on_without_it() -> None:
    kafka = Kafka()
    records = SharedRecords(kafka.write)
    (first,) = await asked(records, ACT)
    second, *others = await asked(records, ACT, ACT, ACT)
    second.cancel()
    kafka.acknowledge()
    await until_idle()
    kafka.acknowledge()
    await until_idle()
    kafka.acknowledge()
    await asyncio.gather(first, *others)
    assert sum(act.times for act in kafka.written) == 3


async def test_who_shares_a_record_whose_request_was_given_up_in_the_middle_of_the_write_goes_on_without_it() -> None:
    kafka = Kafka()
    records = SharedRecords(kafka.write)
    (first,) = await asked(records, ACT)
    second, third = await asked(records, ACT, ACT)
    kafka.acknowledge()
    await until_idle()
    second.cancel()
    await until_idle()
    kafka.acknowledge()
    await asyncio.gather(first, third)
