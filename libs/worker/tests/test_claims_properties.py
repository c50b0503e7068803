"""Whatever is delivered, granted, refused, cancelled and doubled, in whatever order: what holds always."""

from collections import Counter
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_contracts.messages.control import CallCancelled, ClaimGranted, ClaimRefused
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_worker.claim_types import (
    AwaitingGrant,
    CancelRun,
    ClaimEffect,
    ClaimInput,
    Claims,
    CutOff,
    DrainEnded,
    DrainStarted,
    QueuedCall,
    Reconnected,
    ReportClaim,
    ReportNotStarted,
    ReportOutcome,
    RequestReceived,
    RunEnded,
    RunningCall,
    ServerLimits,
    StartRun,
    Ticked,
)
from tarsy_worker.claims import step

START = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
LIMITS = {"kube": ServerLimits(concurrent=2, queue=1), "logs": ServerLimits(concurrent=1, queue=0)}
CALLS = {
    name: ToolCallRequest(
        session_id="session",
        call_id=name,
        server="logs" if name in "ab" else "kube",
        tool="tool",
        arguments={},
        repeatable=name in "ace",
        timeout_seconds=60,
        not_after=START + timedelta(seconds=20),
    )
    for name in "abcdefg"
}

names = st.sampled_from(sorted(CALLS))
# Few claim ids, so that grants often meet a claim; unique per delivery as in the gateway (a counter, see below).
numbers = st.integers(0, 12)
happenings = st.one_of(
    st.builds(lambda name: ("received", name, 0), names),
    st.builds(lambda name, number: ("granted", name, number), names, numbers),
    st.builds(lambda name, number: ("refused", name, number), names, numbers),
    st.builds(lambda name, number: ("ended", name, number), names, numbers),
    st.builds(lambda name: ("cancelled", name, 0), names),
    st.builds(lambda seconds: ("ticked", "", seconds), st.integers(0, 9)),
    st.just(("cut off", "", 0)),
    st.just(("heard", "", 0)),
    st.just(("draining", "", 0)),
    st.just(("abandoned", "", 0)),
)


def inputs_of(rows: list[tuple[str, str, int]]) -> list[tuple[ClaimInput[ToolCallRequest], datetime]]:  # noqa: C901 - one case an input
    now, found, deliveries = START, list[tuple[ClaimInput[ToolCallRequest], datetime]](), 0
    for kind, name, number in rows:
        claim_id = str(number)
        each: ClaimInput[ToolCallRequest]
        match kind:
            case "received":
                each = RequestReceived(CALLS[name], str(deliveries))
                deliveries += 1
            case "granted":
                each = ClaimGranted(call_id=name, claim_id=claim_id)
            case "refused":
                each = ClaimRefused(call_id=name, claim_id=claim_id, reason="")
            case "ended":
                each = RunEnded(name, claim_id)
            case "cancelled":
                each = CallCancelled(call_id=name)
            case "ticked":
                now += timedelta(seconds=number)
                each = Ticked()
            case "cut off":
                each = CutOff()
            case "heard":
                each = Reconnected()
            case "draining":
                each = DrainStarted()
            case _:
                each = DrainEnded()
        found.append((each, now))
    return found


def play(
    rows: list[tuple[str, str, int]],
) -> list[tuple[ClaimInput[ToolCallRequest], Claims[ToolCallRequest], list[ClaimEffect[ToolCallRequest]]]]:
    claims = Claims[ToolCallRequest](limits=LIMITS)
    seen = []
    for each, now in inputs_of(rows):
        claims, effects = step(claims, each, now)
        seen.append((each, claims, effects))
    return seen


unhurried = settings(deadline=None)
schedules = st.lists(happenings, max_size=60)


@unhurried
@given(schedules)
def test_no_claim_runs_twice_and_an_unrepeatable_one_only_in_the_step_of_its_own_grant(
    rows: list[tuple[str, str, int]],
) -> None:
    ran: Counter[str] = Counter()
    for each, _, effects in play(rows):
        for effect in effects:
            if isinstance(effect, StartRun):
                ran[effect.claim_id] += 1
                if not effect.request.repeatable:
                    assert isinstance(each, ClaimGranted)
                    assert (each.call_id, each.claim_id) == (effect.request.call_id, effect.claim_id)
    assert all(count == 1 for count in ran.values())


@unhurried
@given(schedules)
def test_whoever_is_cut_off_holds_no_claim(rows: list[tuple[str, str, int]]) -> None:
    for each, claims, effects in play(rows):
        if claims.cut_off:
            assert not any(isinstance(call, AwaitingGrant) for call in claims.calls.values())
            assert all(effect.request.repeatable for effect in effects if isinstance(effect, StartRun)), each


@unhurried
@given(schedules)
def test_no_server_has_more_calls_than_its_limits_allow(rows: list[tuple[str, str, int]]) -> None:
    for _, claims, _ in play(rows):
        for server, limits in LIMITS.items():
            mine = [call for call in claims.calls.values() if call.request.server == server]
            assert sum(not isinstance(call, QueuedCall) for call in mine) <= limits.concurrent
            assert len(mine) <= limits.concurrent + limits.queue


@unhurried
@given(schedules)
def test_no_place_stays_free_while_a_call_waits_for_it(rows: list[tuple[str, str, int]]) -> None:
    for _, claims, _ in play(rows):
        for server, limits in LIMITS.items():
            mine = [call for call in claims.calls.values() if call.request.server == server]
            waits = any(
                isinstance(call, QueuedCall) and (call.request.repeatable or not claims.cut_off) for call in mine
            )
            assert not waits or sum(not isinstance(call, QueuedCall) for call in mine) == limits.concurrent


@unhurried
@given(schedules)
def test_everything_that_was_claimed_ends_once_or_is_still_held(rows: list[tuple[str, str, int]]) -> None:
    claimed, endings = set[str](), Counter[str]()
    left: dict[str, str] = {}
    for each, claims, effects in play(rows):
        for effect in effects:
            if isinstance(effect, ReportClaim):
                claimed.add(effect.claim_id)
            elif isinstance(effect, ReportNotStarted) and isinstance(each, ClaimGranted):
                again = each.claim_id == effect.claim_id
                endings[effect.claim_id] += not (again and endings[effect.claim_id])
            elif isinstance(effect, ReportNotStarted | ReportOutcome):
                endings[effect.claim_id] += 1
        gone = set(left) - {call.claim_id for call in claims.calls.values()}
        for claim_id in gone:
            quiet = isinstance(each, ClaimRefused | RunEnded) or claim_id not in claimed
            assert endings[claim_id] == 1 or quiet
        left = {call.claim_id: name for name, call in claims.calls.items()}
    assert all(count == 1 for count in endings.values())


@unhurried
@given(schedules)
def test_only_what_runs_is_broken_off_and_of_the_unrepeatable_only_at_the_very_end(
    rows: list[tuple[str, str, int]],
) -> None:
    running: dict[str, ToolCallRequest] = {}
    for each, claims, effects in play(rows):
        for effect in effects:
            if isinstance(effect, CancelRun):
                assert running[effect.claim_id].repeatable or isinstance(each, DrainEnded)
        running = {call.claim_id: call.request for call in claims.calls.values() if isinstance(call, RunningCall)}
