"""Grants of actions are counted over all partitions: one's own as they are read back, the others' as they are told."""

from datetime import UTC, datetime, timedelta

import pytest
from aiokafka import ConsumerRecord

from tarsy_bus.readers.action_switch import ActionSwitch
from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.actions import SWITCH_KEY, ActionsGranted, ActionsSwitched, GrantedAction, grants_key
from tarsy_contracts.wire.envelope import envelope_of
from tarsy_contracts.wire.message import Message
from tarsy_orchestrator.effects.action_ledger import ActionLedger
from tarsy_testing.story.story import BEGINNING, DELETE, Story, agent, chain, stage

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
CRASH = ("crash", "eu/shop/api")


def record(key: str, message: Message | None) -> ConsumerRecord:
    if message is None:
        return ConsumerRecord("catalog", 0, 7, 0, 0, key.encode(), None, None, 1, 0, ())
    headers = envelope_of(message, id="1", source="test", subject=key, time=NOW).headers()
    value = message.to_bytes()
    return ConsumerRecord("catalog", 0, 7, 0, 0, key.encode(), value, None, 1, len(value), tuple(headers))


def grants_record(partition: int, *calls: str, minutes_ago: float = 1) -> ConsumerRecord:
    grants = tuple(
        GrantedAction(call_id=id, chain_id=CRASH[0], workload=CRASH[1], at=NOW - timedelta(minutes=minutes_ago))
        for id in calls
    )
    return record(grants_key(partition), ActionsGranted(partition=partition, grants=grants))


def test_what_owners_of_other_partitions_tell_is_added_up_and_a_stale_record_takes_nothing_back() -> None:
    ledger = ActionLedger(lambda: NOW)
    for one in (grants_record(1, "a", "b"), grants_record(2, "c"), grants_record(1, "a")):
        assert ledger.take(one)
    assert ledger.count() == {CRASH: 3}


def test_what_is_older_than_an_hour_does_not_count() -> None:
    ledger = ActionLedger(lambda: NOW)
    ledger.take(grants_record(1, "a", minutes_ago=61))
    ledger.take(grants_record(1, "b", minutes_ago=59))
    assert ledger.count() == {CRASH: 1}


def test_records_of_servers_are_not_taken_and_those_that_cannot_be_read_change_nothing() -> None:
    ledger = ActionLedger(lambda: NOW)
    assert not ledger.take(record("kubernetes/worker-1", None))
    assert not ledger.take(record(SWITCH_KEY, None))
    assert ledger.take(record(grants_key(1), None))
    assert ledger.count() == {}


def granted_session(per_hour: int) -> Story:
    actor = agent("Remediator").model_copy(update={"action": "act"})
    plan = chain(stage(actor)).model_copy(update={"actions_per_hour": per_hour})
    story = Story(plan=plan).calling(DELETE)
    story.when(story.claim(story.call_ids[0]))
    return story


@pytest.mark.parametrize(("per_hour", "counted"), [(3, {("kubernetes", "//"): 1}), (0, {})])
def test_a_grant_of_ones_own_session_counts_once_where_the_chain_has_a_limit(
    per_hour: int, counted: dict[tuple[str, str], int]
) -> None:
    ledger, story = ActionLedger(lambda: BEGINNING), granted_session(per_hour)
    for _ in range(2):
        ledger.note(4, e.ToolCallStarted.type, story.state)
    assert ledger.count() == counted


def test_a_grant_that_was_given_back_counts_no_more_also_where_an_older_record_has_it() -> None:
    """Else an action that never ran would use up the limit, and be held for itself when it is tried again."""
    ledger, story = ActionLedger(lambda: BEGINNING), granted_session(1)
    ledger.note(4, e.ToolCallStarted.type, story.state)
    (call,) = (call for call in story.investigating.calls.values() if call.claim is not None)
    assert call.claim is not None
    given_back = {"call_id": call.requested.call_id, "claim_id": call.claim.claim_id, "worker_id": "worker-1"}
    story.when(i.CallNotStarted(**given_back, reason="busy"))
    ledger.note(4, e.ToolCallReleased.type, story.state)
    grant = GrantedAction(call_id=call.requested.call_id, chain_id="kubernetes", workload="//", at=BEGINNING)
    ledger.take(record(grants_key(4), ActionsGranted(partition=4, grants=(grant,))))
    assert ledger.count() == {}
    story.when(story.claim(call.requested.call_id))
    ledger.note(4, e.ToolCallStarted.type, story.state)
    assert ledger.count() == {("kubernetes", "//"): 1}


# The switch


def switched(*, paused: bool) -> ActionsSwitched:
    return ActionsSwitched(paused=paused, author="eve", comment="Freeze.", at=NOW)


def test_the_last_word_on_the_switch_counts_and_nothing_is_paused_before_the_first() -> None:
    switch = ActionSwitch()
    assert switch.pause is None
    assert switch.take(record(SWITCH_KEY, switched(paused=True)))
    assert switch.pause == switched(paused=True)
    switch.take(record(SWITCH_KEY, switched(paused=False)))
    assert switch.pause is None
    assert switch.last == switched(paused=False)


def test_a_word_on_the_switch_that_cannot_be_read_changes_nothing() -> None:
    switch = ActionSwitch()
    switch.take(record(SWITCH_KEY, switched(paused=True)))
    assert switch.take(record(SWITCH_KEY, unknown_message()))
    assert switch.pause is not None
    assert not switch.take(record("kubernetes/worker-1", None))


def unknown_message() -> Message:
    return ActionsGranted(partition=1, grants=())
