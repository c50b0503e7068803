"""The invariants of a log find what they are there for: each fault is planted in a log that is well otherwise."""

from pathlib import Path
from uuid import uuid4

import pytest

from tarsy_bus.readers.records import Delivery
from tarsy_contracts import events as e
from tarsy_contracts.events.heads import Span
from tarsy_contracts.wire.ids import session_traceparent
from tarsy_testing.story.session_logs import SESSION, answer, log_of
from tarsy_verification.invariants import ToolRun, chain_faults, run_faults
from tarsy_verification.tool_runs import runs_of

DELETE = e.ToolCallRequested(
    call_id="c1",
    execution_id="x",
    llm_call_id="l1",
    server="kubernetes",
    tool="pods_delete",
    arguments={"name": "checkout", "namespace": "shop"},
    repeatable=False,
    timeout_seconds=60,
)
ENDED = e.SessionCompleted(final_analysis="the tax table")


GOOD = (answer("l1"), DELETE, answer("l2"), ENDED)


def test_a_whole_log_has_no_fault() -> None:
    assert chain_faults(log_of(*GOOD)) == []


def test_an_event_that_was_changed_is_found() -> None:
    log = log_of(*GOOD)
    first = log.written[0]
    log.written[0] = Delivery(first.envelope, b"{}", first.topic, first.partition, first.offset, first.appended_at)
    assert chain_faults(log) == ["the event at offset 1 is not what its id says"]


def test_a_gap_is_found() -> None:
    log = log_of(*GOOD)
    del log.accepted[1]
    assert chain_faults(log) == [f"event {number} does not follow the one before it" for number in (2, 3)]


@pytest.mark.parametrize("events", [GOOD[:-1], (ENDED, *GOOD), (*GOOD, answer("l3"))])
def test_another_end_than_one_at_the_end_is_found(events: tuple[e.Event, ...]) -> None:
    (fault,) = chain_faults(log_of(*events))
    assert fault.startswith("each life should end once, with its last event")


REOPENED = e.SessionReopened(request_id="r", spans=(Span(first=1, last=4),))
REPLY = (REOPENED, answer("l3"), e.ReplyCompleted(message_id="m", stage_id="s", status="completed"))
REFUSED = e.RequestRefused(request_id="r2", request="chat", author="bob", code=409, reason="busy")


REPEATED = e.AlertRepeated(input_id="i2", source="api")


def test_each_life_ends_once() -> None:
    assert chain_faults(log_of(*GOOD, REFUSED, REPEATED, *REPLY, REPEATED)) == []


@pytest.mark.parametrize("events", [(*GOOD, *REPLY[:-1]), (*GOOD, *REPLY, ENDED), (*GOOD[:-1], *REPLY)])
def test_a_life_without_its_end_or_with_two_is_found(events: tuple[e.Event, ...]) -> None:
    (fault,) = chain_faults(log_of(*events))
    assert fault.startswith("each life should end once")


def test_a_second_answer_to_one_call_is_found() -> None:
    assert chain_faults(log_of(answer("l1"), *GOOD)) == ["call l1 has 2 answers"]


def test_a_destructive_tool_that_ran_twice_is_found() -> None:
    run = ToolRun("pods_delete", {"namespace": "shop", "name": "checkout"})
    assert run_faults(log_of(*GOOD), [run]) == []
    assert run_faults(log_of(*GOOD), []) == []
    (fault,) = run_faults(log_of(*GOOD), [run, run])
    assert fault.endswith("was asked for 1 times and ran 2 times")


def test_a_destructive_tool_that_ran_though_its_call_was_called_off_is_found() -> None:
    run = ToolRun("pods_delete", {"namespace": "shop", "name": "checkout"})
    log = log_of(*GOOD[:-1], e.ToolCallCompleted(call_id="c1", outcome="cancelled", content="cancelled by ann"), ENDED)
    assert run_faults(log, []) == []
    (fault,) = run_faults(log, [run])
    assert fault.endswith("ran, though its call was cancelled, or nobody approved it")


def test_a_call_that_ran_though_nobody_had_approved_it_is_found() -> None:
    asked = e.ToolCallApprovalRequested(
        call_id="c1", execution_id="x", server="kubernetes", tool="pods_delete", arguments=DELETE.arguments,
        reason="", role="responder", timeout_seconds=60, on_timeout="deny",
    )  # fmt: skip
    started = e.ToolCallStarted(call_id="c1", claim_id="k", worker_id="w")
    run = ToolRun("pods_delete", DELETE.arguments)

    def faults(decided: e.ToolCallApprovalDecided) -> list[str]:
        log = log_of(answer("l1"), DELETE, asked, decided, started, ENDED)
        return [*chain_faults(log), *run_faults(log, [run])]

    assert faults(e.ToolCallApprovalDecided(call_id="c1", outcome="approved", author="ann")) == []
    assert len(faults(e.ToolCallApprovalDecided(call_id="c1", outcome="denied", author="ann"))) == 2


def test_what_may_run_twice_may_run_twice() -> None:
    harmless = DELETE.model_copy(update={"repeatable": True})
    assert run_faults(log_of(harmless, ENDED), [ToolRun(DELETE.tool, DELETE.arguments)] * 2) == []


def test_only_the_session_s_own_runs_count(tmp_path: Path) -> None:
    trace = session_traceparent(SESSION).split("-")[1]
    lines = [
        f'{{"tool": "pods_delete", "arguments": {{}}, "phase": "started", "trace_id": "{trace}"}}',
        f'{{"tool": "pods_delete", "arguments": {{}}, "phase": "finished", "trace_id": "{trace}"}}',
        f'{{"tool": "pods_delete", "arguments": {{}}, "phase": "started", "trace_id": "{uuid4().hex}"}}',
        '{"tool": "pods_del',
    ]
    (tmp_path / "calls").write_text("\n".join(lines))
    assert runs_of(tmp_path / "calls", SESSION) == [ToolRun("pods_delete", {})]
