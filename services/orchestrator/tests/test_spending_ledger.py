"""Spendings of a day are added up over all partitions: one's own as they are read back, others' as they are told."""

from datetime import UTC, datetime

from aiokafka import ConsumerRecord

from tarsy_config.config import Config
from tarsy_contracts.budgets import Budget, DayBudget, DayBudgets, Spending
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages.spending import DaySpent, ScopeSpent, key_of_spending
from tarsy_contracts.wire.envelope import envelope_of
from tarsy_orchestrator.effects.spending_ledger import SpendingLedger
from tarsy_testing.story.story import Story, chain

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
DAY = "2026-11-22"
PRICED = Config.model_validate({"prices": {"scripted": {"input": 1, "output": 10}}})


def ledger() -> SpendingLedger:
    return SpendingLedger(lambda: NOW, lambda: PRICED)


def told(partition: int, tokens: int, *, next: int = 5, scope: str = "day") -> ConsumerRecord:
    key = key_of_spending(DAY, partition)
    spent = ScopeSpent(scope=scope, spending=Spending(tokens=tokens, calls=1))
    message = DaySpent(day=DAY, partition=partition, next=next, scopes=(spent,))
    headers = envelope_of(message, id="1", source="test", subject=key, time=NOW).headers()
    value = message.to_bytes()
    return ConsumerRecord("catalog", 0, 7, 0, 0, key.encode(), value, None, 1, len(value), tuple(headers))


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
