"""Spendings of a day are added up over all partitions: one's own as they are read back, others' as they are told."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import cast, override

import pytest
from aiokafka import ConsumerRecord
from aiokafka.structs import RecordMetadata

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.readers.partition_reader import Record
from tarsy_config.config import Config
from tarsy_contracts.budgets import Budget, DayBudget, DayBudgets, Spending
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages.spending import DaySpent, ScopeSpent, key_of_spending
from tarsy_contracts.wire.envelope import Headers, envelope_of
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.topics import Topics
from tarsy_orchestrator.effects.spending_ledger import MOST_UNCOUNTED, SpendingLedger
from tarsy_testing.story.story import Story, chain

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
DAY = "2026-11-22"
PRICED = Config.model_validate({"prices": {"scripted": {"input": 1, "output": 10}}})
LIMITED = Config.model_validate({"system": {"budgets": {"day": {"tokens": 1_000}}}})


class CatalogPublisher(Publisher):
    """Keeps what is written, and refuses what `refused` names."""

    def __init__(self, *refused: str) -> None:
        self.topics = Topics()
        self.refused = set(refused)
        self.sums: list[DaySpent] = []
        self.ended: list[str] = []
        self.written = asyncio.Event()

    @override
    async def publish(
        self,
        topic: str,
        message: Message,
        *,
        key: str,
        id: str,
        subject: str,
        partition: int | None = None,
        traceparent: str | None = None,
    ) -> RecordMetadata:
        self.written.set()
        if key in self.refused:
            raise NotWrittenError("it was its turn")
        assert isinstance(message, DaySpent)
        self.sums.append(message)
        return cast("RecordMetadata", None)

    @override
    async def write(
        self, topic: str, *, key: bytes | None, value: bytes | None, headers: Headers, partition: int | None = None
    ) -> RecordMetadata:
        self.ended.append((key or b"").decode())
        return cast("RecordMetadata", None)

    @property
    def sums_in_short(self) -> list[tuple[str, int]]:
        return [(one.day, one.next) for one in self.sums]


async def published(one: SpendingLedger, *refused: str) -> CatalogPublisher:
    """What is written at once."""
    publisher = CatalogPublisher(*refused)
    async with background_tasks(one.publish_spendings(publisher, pause_seconds=3_600.0)):
        await publisher.written.wait()
        await asyncio.sleep(0)
    return publisher


def ledger(config: Config = PRICED) -> SpendingLedger:
    return SpendingLedger(lambda: NOW, lambda: config)


def told(
    partition: int, tokens: int, *, next: int = 5, scope: str = "day", day: str = DAY, at: datetime = NOW
) -> ConsumerRecord:
    key = key_of_spending(day, partition)
    spent = ScopeSpent(scope=scope, spending=Spending(tokens=tokens, calls=1))
    message = DaySpent(day=day, partition=partition, next=next, scopes=(spent,))
    headers = envelope_of(message, id="1", source="test", subject=key, time=at).headers()
    stamp, value = int(at.timestamp() * 1000), message.to_bytes()
    return ConsumerRecord("catalog", 0, 7, stamp, 1, key.encode(), value, None, 1, len(value), tuple(headers))


def ended(day: str, partition: int) -> Record:
    key = key_of_spending(day, partition).encode()
    return ConsumerRecord("catalog", 0, 8, 0, 1, key, None, None, 1, 0, ())


def of_day(one: SpendingLedger, scope: str = "day") -> Spending:
    return one.spendings().of_day(DAY, scope)


def answered() -> Story:
    """A session whose only answer used 100 tokens."""
    budgets = tuple(DayBudget(scope=scope, budget=Budget(tokens=1_000)) for scope in ("day", "team/a"))
    plan = chain().model_copy(update={"day_budgets": DayBudgets(budgets=budgets)})
    story = Story(plan=plan, spendings=ledger().spendings()).asking()
    usage = Usage(input_tokens=90, output_tokens=10)
    story.when(story.answer("done").model_copy(update={"usage": usage}))
    return story


def test_what_owners_tell_is_added_up_and_a_record_that_is_late_takes_nothing_back() -> None:
    one = ledger()
    for record in (told(1, 100), told(2, 30), told(1, 300, next=9), told(1, 200, next=7), told(3, 5, scope="team/a")):
        assert one.take(record)
    assert (of_day(one).tokens, of_day(one, "team/a").tokens) == (330, 5)


def test_an_answer_of_ones_own_session_counts_once_to_each_of_its_budgets_at_the_price_of_its_event() -> None:
    one = ledger()
    for _ in range(2):
        for record in answered().log:
            one.note(0, record)
    expected = Spending(tokens=100, cost=0.00019, calls=1)
    assert (of_day(one), of_day(one, "team/a")) == (expected, expected)


def test_a_new_owner_counts_on_from_what_the_one_before_has_told() -> None:
    story, one = answered(), ledger()
    one.take(told(0, 400, next=len(story.log) + 1))
    for record in story.log:
        one.note(0, record)
    assert of_day(one).tokens == 400
    late = ledger()
    late.take(told(0, 400, next=1))
    for record in story.log:
        late.note(0, record)
    assert of_day(late).tokens == 500


def test_other_records_of_the_catalog_are_not_taken() -> None:
    other = ConsumerRecord("catalog", 0, 7, 0, 0, b"kubernetes/worker-1", None, None, 1, 0, ())
    assert not ledger().take(other)


async def test_an_owner_says_from_where_on_it_counts_before_anything_is_used() -> None:
    """Else what is used before the first sum is published would be nobody's, if the owner dies."""
    one = ledger(LIMITED)
    one.begin(3, 40)
    one.begin(4, 0)
    assert (await published(one)).sums_in_short == [(DAY, 40), (DAY, 0)]
    later = ledger(LIMITED)
    later.take(told(3, 0, next=40))
    later.begin(3, 30)
    assert later.next_of(3) == 40


async def test_where_no_budget_of_a_day_is_configured_nothing_is_published() -> None:
    one = ledger()
    one.begin(3, 40)
    for record in Story(plan=chain()).asking().log:
        one.note(3, record)
    assert one.next_of(3) is None


async def test_the_sums_that_go_farthest_are_published_last_and_not_before_the_others() -> None:
    """A new owner reads the log from the largest offset on: what is not published by then would be lost."""
    days = ["2026-11-22", "2026-11-23"]
    story = answered()

    def with_two_days() -> SpendingLedger:
        one = ledger(LIMITED)
        one.take(told(0, 0, next=1, day=days[1]))
        for record in story.log:
            one.note(0, record)
        one.begin(0, 90)
        return one

    (earlier, later) = (await published(with_two_days())).sums
    assert [earlier.day, later.day] == days
    assert earlier.next < later.next == 90
    assert (await published(with_two_days(), key_of_spending(days[0], 0))).sums == []


async def test_days_are_ended_by_the_brokers_clock_and_the_latest_of_a_partition_stays() -> None:
    one = SpendingLedger(lambda: NOW + timedelta(days=400), lambda: LIMITED)
    for day in ("2026-11-10", "2026-11-14", "2026-11-15", DAY):
        one.take(told(0, 10, day=day))
    one.take(told(1, 10, next=3, day="2026-11-10"))
    one.begin(2, 7)
    assert (await published(one)).ended == [key_of_spending("2026-11-10", 0), key_of_spending("2026-11-14", 0)]
    assert (one.next_of(1), of_day(one).tokens) == (3, 10)


def test_a_day_that_was_ended_counts_no_more() -> None:
    one = ledger()
    one.take(told(1, 100))
    assert one.take(ended(DAY, 1))
    assert of_day(one) == Spending()


@pytest.mark.parametrize(("events", "moves"), [(MOST_UNCOUNTED - 10, False), (2 * MOST_UNCOUNTED, True)])
def test_a_log_without_charges_is_not_read_again_from_long_ago(events: int, moves: bool) -> None:
    one, (record, *_) = ledger(LIMITED), Story(plan=chain()).asking().log
    one.begin(0, 5)
    one.note(0, replace(record, offset=5 + events))
    assert one.next_of(0) == (6 + events if moves else 5)


def test_a_price_that_changes_holds_from_the_next_decision_on_and_changes_no_sum() -> None:
    config = PRICED
    one = SpendingLedger(lambda: NOW, lambda: config)
    first = one.spendings()
    assert one.spendings() is first
    for record in answered().log:
        one.note(0, record)
    config = Config.model_validate({"prices": {"scripted": {"input": 100, "output": 100}}})
    price = one.spendings().price_of("scripted", "", NOW)
    assert price is not None
    assert (price.input, of_day(one).cost) == (100, 0.00019)
