"""Given what the gateway holds, when something happens, then what it says and does."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from tarsy_contracts.messages.control import CallCancelled, ClaimGranted, ClaimRefused
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_worker.claim_types import (
    CancelRun,
    ClaimEffect,
    ClaimInput,
    Claims,
    CutOff,
    DrainEnded,
    DrainStarted,
    Reconnected,
    ReportClaim,
    ReportNotStarted,
    ReportOutcome,
    RequestReceived,
    RunEnded,
    ServerLimits,
    ServerLoad,
    StartRun,
    Ticked,
)
from tarsy_worker.claims import MOST_RELEASED, load_of, step

START = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def request(name: str, *, repeatable: bool = False, server: str = "kube", not_after: float = 30) -> ToolCallRequest:
    return ToolCallRequest(
        session_id="session",
        call_id=name,
        server=server,
        tool="tool",
        arguments={},
        repeatable=repeatable,
        timeout_seconds=60,
        not_after=START + not_after * SECOND,
    )


DELETE = request("delete")
LIST = request("list", repeatable=True)


def received(wanted: ToolCallRequest) -> RequestReceived[ToolCallRequest]:
    return RequestReceived(wanted, f"claim of {wanted.call_id}")


def granted(wanted: ToolCallRequest) -> ClaimGranted:
    return ClaimGranted(call_id=wanted.call_id, claim_id=f"claim of {wanted.call_id}")


def refused(wanted: ToolCallRequest) -> ClaimRefused:
    return ClaimRefused(call_id=wanted.call_id, claim_id=f"claim of {wanted.call_id}", reason="another has it")


def cancelled(wanted: ToolCallRequest) -> CallCancelled:
    return CallCancelled(call_id=wanted.call_id)


def ended(wanted: ToolCallRequest) -> RunEnded:
    return RunEnded(wanted.call_id, f"claim of {wanted.call_id}")


def say_claimed(wanted: ToolCallRequest) -> ReportClaim[ToolCallRequest]:
    return ReportClaim(wanted, f"claim of {wanted.call_id}")


def not_started(wanted: ToolCallRequest) -> ReportNotStarted[ToolCallRequest]:
    return ReportNotStarted(wanted, f"claim of {wanted.call_id}", "not_started")


def busy(wanted: ToolCallRequest) -> ReportNotStarted[ToolCallRequest]:
    return ReportNotStarted(wanted, f"claim of {wanted.call_id}", "busy")


def run(wanted: ToolCallRequest) -> StartRun[ToolCallRequest]:
    return StartRun(wanted, f"claim of {wanted.call_id}")


def break_off(wanted: ToolCallRequest) -> CancelRun:
    return CancelRun(f"claim of {wanted.call_id}")


def given(*inputs: ClaimInput[ToolCallRequest], concurrent: int = 2, queue: int = 2) -> Claims[ToolCallRequest]:
    claims = Claims[ToolCallRequest](limits={"kube": ServerLimits(concurrent, queue), "logs": ServerLimits(1, 0)})
    for each in inputs:
        claims, _ = step(claims, each, START)
    return claims


def when(
    claims: Claims[ToolCallRequest], input: ClaimInput[ToolCallRequest], *, after: float = 0
) -> list[ClaimEffect[ToolCallRequest]]:
    return step(claims, input, START + after * SECOND)[1]


def test_a_repeatable_call_runs_at_once() -> None:
    assert when(given(), received(LIST)) == [run(LIST)]


def test_a_repeatable_call_is_claimed_once_when_it_takes_a_while() -> None:
    claims = given(received(LIST))
    assert when(claims, Ticked(), after=0.09) == []
    assert when(claims, Ticked(), after=0.1) == [say_claimed(LIST)]
    told, _ = step(claims, Ticked(), START + SECOND)
    assert when(told, Ticked(), after=2) == []


def test_without_a_wait_a_repeatable_call_is_claimed_when_it_begins_and_never_again() -> None:
    claims = Claims[ToolCallRequest](limits={"kube": ServerLimits(1, 0)}, claim_after=timedelta(0))
    running, effects = step(claims, received(LIST), START)
    assert effects == [say_claimed(LIST), run(LIST)]
    assert when(running, Ticked(), after=5) == []
    assert when(running, received(request("other", repeatable=True))) == [busy(request("other", repeatable=True))]


def test_an_unrepeatable_call_is_only_claimed() -> None:
    assert when(given(), received(DELETE)) == [say_claimed(DELETE)]


def test_it_runs_on_the_grant_of_its_claim() -> None:
    assert when(given(received(DELETE)), granted(DELETE)) == [run(DELETE)]


@pytest.mark.parametrize(
    "before",
    [
        pytest.param([], id="never held"),
        pytest.param([received(DELETE), granted(DELETE)], id="it runs already"),
        pytest.param([received(DELETE), granted(DELETE), ended(DELETE)], id="it has run"),
        pytest.param([received(DELETE), refused(DELETE)], id="it was refused"),
        pytest.param([received(LIST)], id="another call"),
    ],
)
def test_a_grant_for_a_claim_that_is_not_held_is_ignored(before: Sequence[ClaimInput[ToolCallRequest]]) -> None:
    assert when(given(*before), granted(DELETE)) == []


@pytest.mark.parametrize(
    "before",
    [
        pytest.param([received(DELETE), cancelled(DELETE)], id="it was cancelled"),
        pytest.param([received(DELETE), DrainStarted()], id="it was given back at the stop"),
        pytest.param([received(DELETE), CutOff()], id="it was given up when the gateway was cut off"),
        pytest.param([received(DELETE), CutOff(), Reconnected()], id="and the gateway is heard again"),
    ],
)
def test_a_grant_for_a_claim_that_was_given_up_is_given_back(before: Sequence[ClaimInput[ToolCallRequest]]) -> None:
    """The claim may lie behind the word that it was given up: the owner would wait for it to the end."""
    assert when(given(*before), granted(DELETE), after=40) == [not_started(DELETE)]


def test_whoever_is_cut_off_gives_up_what_it_holds_and_claims_nothing() -> None:
    """The owner may have taken it for dead, and told the agent that the outcome is unknown."""
    claims = given(received(DELETE), received(LIST))
    cut_off, effects = step(claims, CutOff(), START + 5 * SECOND)
    assert effects == [not_started(DELETE)]
    other = request("other")
    waiting, effects = step(cut_off, received(other), START + 6 * SECOND)
    assert effects == []
    assert when(waiting, Reconnected(), after=7) == [say_claimed(other)]


def test_whoever_is_cut_off_goes_on_with_what_runs_and_with_what_may_run_twice() -> None:
    claims = given(received(DELETE), granted(DELETE), CutOff())
    assert load_of(claims, "kube") == ServerLoad(running=1, awaiting_grant=0, queued=0)
    assert when(claims, received(LIST)) == [run(LIST)]


def test_only_the_last_claims_that_were_given_up_are_remembered() -> None:
    claims = given()
    for number in range(MOST_RELEASED + 5):
        claims, _ = step(claims, received(request(f"delete {number}")), START)
        claims, _ = step(claims, CutOff(), START)
        claims, _ = step(claims, Reconnected(), START)
    assert len(claims.released) == MOST_RELEASED
    assert when(claims, granted(request("delete 0"))) == []
    assert when(claims, granted(request("delete 5"))) != []


def test_a_grant_of_another_claim_of_the_same_call_is_ignored() -> None:
    assert when(given(received(DELETE)), ClaimGranted(call_id="delete", claim_id="another")) == []


@pytest.mark.parametrize(
    "before",
    [[received(DELETE)], [received(DELETE), granted(DELETE)], [received(LIST)]],
    ids=["held", "running", "running without a grant"],
)
def test_a_duplicate_of_a_request_that_is_held_or_runs_is_ignored(before: list[ClaimInput[ToolCallRequest]]) -> None:
    first = before[0]
    assert isinstance(first, RequestReceived)
    assert when(given(*before), RequestReceived(first.request, "a new claim")) == []


def test_a_claim_is_repeated_every_second_with_the_same_id() -> None:
    claims = given(received(DELETE))
    assert when(claims, Ticked(), after=0.9) == []
    assert when(claims, Ticked(), after=1) == [say_claimed(DELETE)]

    repeated, _ = step(claims, Ticked(), START + SECOND)
    assert when(repeated, Ticked(), after=1.9) == []
    assert when(repeated, Ticked(), after=2) == [say_claimed(DELETE)]


def test_what_runs_is_not_claimed_again() -> None:
    assert when(given(received(DELETE), granted(DELETE)), Ticked(), after=5) == []


def test_past_its_limit_a_claim_is_given_up() -> None:
    claims = given(received(DELETE))
    assert when(claims, Ticked(), after=30) == [say_claimed(DELETE)]
    assert when(claims, Ticked(), after=30.001) == [not_started(DELETE)]


def test_a_grant_that_comes_too_late_gives_the_claim_up() -> None:
    assert when(given(received(DELETE)), granted(DELETE), after=31) == [not_started(DELETE)]


def test_what_runs_has_no_limit_to_begin_any_longer() -> None:
    assert when(given(received(DELETE), granted(DELETE)), Ticked(), after=500) == []


def test_a_request_that_arrives_past_its_limit_is_nobodys() -> None:
    assert when(given(), received(LIST), after=31) == []


def test_of_a_refusal_nothing_is_said() -> None:
    claims, effects = step(given(received(DELETE)), refused(DELETE), START)
    assert effects == []
    assert when(claims, Ticked(), after=100) == []


def test_a_cancelled_claim_is_given_up() -> None:
    assert when(given(received(DELETE)), cancelled(DELETE)) == [not_started(DELETE)]


def test_a_cancelled_repeatable_call_is_broken_off_and_ends_as_cancelled() -> None:
    told = ReportOutcome(LIST, "claim of list", "cancelled", 5 * SECOND)
    assert when(given(received(LIST)), cancelled(LIST), after=5) == [break_off(LIST), told]


def test_a_cancelled_unrepeatable_call_that_runs_is_let_run() -> None:
    claims, effects = step(given(received(DELETE), granted(DELETE)), cancelled(DELETE), START)
    assert effects == []
    assert claims.calls


def test_a_cancelled_call_that_nobody_holds_is_nothing() -> None:
    assert when(given(), cancelled(DELETE)) == []


def test_beyond_its_places_a_server_lets_calls_wait_and_claims_nothing() -> None:
    first, second, third = (request(name) for name in "abc")
    assert when(given(received(first), received(second)), received(third)) == []


@pytest.mark.parametrize("leaving", [refused, cancelled, ended], ids=["refused", "cancelled", "ended"])
def test_a_place_that_gets_free_goes_to_the_one_that_waited_longest(leaving: object) -> None:
    first, second, third = (request(name) for name in "abc")
    before: list[ClaimInput[ToolCallRequest]] = [received(each) for each in (first, second, third)]
    if leaving is ended:
        before.append(granted(first))
    assert callable(leaving)
    effects = when(given(*before, concurrent=1), leaving(first))
    assert effects[-1] == say_claimed(second)


def test_a_full_queue_is_told_and_claims_nothing() -> None:
    full = given(*(received(request(name)) for name in "abcd"))
    assert when(full, received(DELETE)) == [busy(DELETE)]


def test_in_a_full_queue_the_call_that_ends_last_makes_room_for_one_that_ends_earlier() -> None:
    """One that came back again and again would lose to those that come when a place is free."""
    young, old = request("young", not_after=90), request("old", not_after=10)
    full = given(*(received(each) for each in (request("a"), request("b"), young, request("c"))))
    assert when(full, received(old)) == [busy(young)]


def test_of_the_calls_that_wait_the_one_that_ends_first_gets_the_place() -> None:
    running, young, old = request("running", repeatable=True), request("young", not_after=90), request("old")
    claims = given(*(received(each) for each in (running, young, old)), concurrent=1)
    assert when(claims, ended(running)) == [say_claimed(old)]


def test_a_repeatable_call_that_is_refused_is_broken_off_and_makes_room() -> None:
    waiting = request("waiting", repeatable=True)
    claims = given(received(LIST), received(waiting), concurrent=1)
    assert when(claims, refused(LIST)) == [break_off(LIST), run(waiting)]
    assert when(claims, ClaimRefused(call_id="list", claim_id="another", reason="")) == []


def test_a_call_that_was_granted_is_not_broken_off_by_a_refusal() -> None:
    assert when(given(received(DELETE), granted(DELETE)), refused(DELETE)) == []


def test_a_full_queue_of_one_server_does_not_touch_another() -> None:
    full = given(*(received(request(name)) for name in "abcd"))
    other = request("other", server="logs", repeatable=True)
    assert when(full, received(other)) == [run(other)]


def test_a_call_that_waited_too_long_for_a_place_is_told_as_busy() -> None:
    claims = given(received(request("a")), received(DELETE), concurrent=1)
    assert when(claims, Ticked(), after=31)[-1] == busy(DELETE)


def test_a_call_that_waits_takes_the_later_limit_of_a_duplicate() -> None:
    later = request("delete", not_after=60)
    running, waiting = request("a", repeatable=True), received(DELETE)
    claims = given(received(running), waiting, RequestReceived(later, "a new claim"), concurrent=1)
    assert when(claims, Ticked(), after=31) == [say_claimed(running)]
    assert when(claims, ended(running), after=31) == [say_claimed(later)]


def test_a_cancelled_call_that_waits_is_forgotten_without_a_word() -> None:
    claims, effects = step(given(received(request("a")), received(DELETE), concurrent=1), cancelled(DELETE), START)
    assert effects == []
    assert load_of(claims, "kube") == ServerLoad(running=0, awaiting_grant=1, queued=0)


def test_a_call_to_an_unknown_server_is_claimed_like_any_other() -> None:
    stray = request("stray", server="nowhere")
    assert when(given(), received(stray)) == [say_claimed(stray)]


def test_at_the_stop_everything_goes_back_but_what_must_not_be_cut_off() -> None:
    waiting = request("waiting")
    running = request("running")
    before = given(received(running), granted(running), received(LIST), received(DELETE), received(waiting))
    claims, effects = step(before, DrainStarted(), START)
    assert effects == [break_off(LIST), not_started(LIST), not_started(DELETE), not_started(waiting)]
    assert list(claims.calls) == ["running"]


def test_after_the_stop_nothing_is_taken() -> None:
    assert when(given(DrainStarted()), received(LIST)) == [not_started(LIST)]


def test_what_still_runs_when_the_process_ends_is_unknown() -> None:
    told = ReportOutcome(DELETE, "claim of delete", "unknown", 4 * SECOND)
    before = given(received(DELETE), granted(DELETE), DrainStarted())
    assert when(before, DrainEnded(), after=4) == [break_off(DELETE), told]
