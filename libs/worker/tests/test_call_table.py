"""Calls that a worker holds: what is counted as they come and go is what counting them all would find."""

from collections import Counter
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_worker.call_table import CallTable
from tarsy_worker.claim_types import AwaitingGrant, Call, QueuedCall, RunningCall

NOW = datetime(2026, 11, 24, tzinfo=UTC)
KINDS = ("queued", "awaiting", "running", "gone")


def call_of(call_id: str, server: str, kind: str) -> Call[ToolCallRequest]:
    request = ToolCallRequest(
        session_id="s",
        call_id=call_id,
        server=server,
        tool="look",
        arguments={},
        repeatable=True,
        timeout_seconds=60.0,
        not_after=NOW,
    )
    match kind:
        case "queued":
            return QueuedCall(request, "claim")
        case "awaiting":
            return AwaitingGrant(request, "claim", NOW)
        case _:
            return RunningCall(request, "claim", NOW)


changes = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(("k8s", "db")), st.sampled_from(KINDS)))


@given(changes, changes)
def test_the_table_counts_what_is_there(first: list[tuple[str, str, str]], then: list[tuple[str, str, str]]) -> None:
    table, plain = CallTable[ToolCallRequest]({}), dict[str, Call[ToolCallRequest]]()
    for some in (first, then):
        before = (dict(table), table.list_waiting())
        copy = CallTable(table)
        for call_id, server, kind in some:
            if kind != "gone":
                plain[call_id] = call_of(call_id, server, kind)
                copy.put(call_id, plain[call_id])
            elif plain.pop(call_id, None) is not None:
                copy.remove(call_id)
        assert (dict(table), table.list_waiting()) == before
        table = copy
        assert list(table.items()) == list(plain.items())
        assert dict(table.list_waiting()) == {id: call for id, call in plain.items() if isinstance(call, QueuedCall)}
        places = Counter(call.request.server for call in plain.values() if not isinstance(call, QueuedCall))
        assert +Counter(table.count_slots()) == places
        for server in ("k8s", "db"):
            assert table.present(server) == sum(call.request.server == server for call in plain.values())
    assert CallTable(plain).count_slots() == table.count_slots()
