"""Claim state machine of a worker: the calls that it holds, and its effects (docs/concepts.md, calls). Pure.

A call waits for a place at its server (Queued) before anything is claimed, so that a grant always means: run it now.
With a place a repeatable call runs (Running). It is claimed only when it takes a while: the outcome of a quick one
says all. Any other call is claimed, waits for the owner's grant (AwaitingGrant) and runs only on it. Calls that
await a grant or run take a place.

Slots and queue capacity go to the calls that end first. Otherwise a repeated call would lose to those that come at the
right moment.

The owner may take a claim away when it misses this process's announcements. A worker that is cut off therefore gives
back calls that await a grant, and claims none. A late grant then meets no claim.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal, assert_never

from tarsy_contracts.messages.control import CallCancelled, ClaimGranted, ClaimRefused
from tarsy_worker.call_table import CallTable
from tarsy_worker.claim_types import (
    AwaitingGrant,
    CancelRun,
    Claimable,
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
    ServerLoad,
    StartRun,
    Ticked,
)

REPEAT_EVERY = timedelta(seconds=1)
UNKNOWN_SERVER = ServerLimits(concurrent=4, queue=64)
"""Limits of a server that the configuration does not name. A call to it is claimed like any other, then rejected."""

MOST_RELEASED = 1_000


def step[R: Claimable](  # noqa: C901 - one case an input
    claims: Claims[R], input: ClaimInput[R], now: datetime
) -> tuple[Claims[R], list[ClaimEffect[R]]]:
    """The state after the input, and the effects, to be performed in this order."""
    calls, draining, cut_off = CallTable(claims.calls), claims.draining, claims.cut_off
    effects: list[ClaimEffect[R]] = []
    match input:
        case RequestReceived():
            effects += _receive_request(claims, calls, input, now)
        case ClaimGranted():
            effects += _run_granted(claims, calls, input, now)
        case ClaimRefused():
            effects += _drop_refused(calls, input)
        case CallCancelled():
            effects += _cancel_call(calls, input.call_id, now)
        case RunEnded():
            _remove_ended(calls, input)
        case Ticked():
            effects += (
                _expire_calls(calls, now) + _repeat_claims(calls, now) + _claim_late(calls, claims.claim_after, now)
            )
        case CutOff():
            cut_off = True
            effects += _release_awaiting(calls)
        case Reconnected():
            cut_off = False
        case DrainStarted():
            draining = True
            effects += _give_back(calls)
        case DrainEnded():
            effects += _end_drain(calls, now)
        case _:
            assert_never(input)
    effects += _start_queued(claims, calls, now, cut_off=cut_off)
    released = _remember_released(claims.released, effects)
    return replace(claims, calls=calls, draining=draining, cut_off=cut_off, released=released), effects


def load_of[R: Claimable](claims: Claims[R], server: str) -> ServerLoad:
    mine = [call for call in claims.calls.values() if call.request.server == server]
    return ServerLoad(
        running=sum(isinstance(call, RunningCall) for call in mine),
        awaiting_grant=sum(isinstance(call, AwaitingGrant) for call in mine),
        queued=sum(isinstance(call, QueuedCall) for call in mine),
    )


def _receive_request[R: Claimable](
    claims: Claims[R], calls: CallTable[R], received: RequestReceived[R], now: datetime
) -> list[ClaimEffect[R]]:
    request = received.request
    known = calls.get(request.call_id)
    if isinstance(known, QueuedCall):
        # The owner asked again, with a later limit. A request that is claimed or runs is a duplicate, and ignored.
        calls.put(request.call_id, replace(known, request=request))
    if known is not None or now > request.not_after:
        return []
    if claims.draining:
        return [ReportNotStarted(request, received.claim_id, "not_started")]
    limits = claims.limits.get(request.server, UNKNOWN_SERVER)
    calls.put(request.call_id, QueuedCall(request, received.claim_id))
    if calls.present(request.server) <= limits.concurrent + limits.queue:
        return []
    waiting = [call for _, call in calls.list_waiting() if call.request.server == request.server]
    last = max(reversed(waiting), key=_limit_of)
    calls.remove(last.request.call_id)
    return [ReportNotStarted(last.request, last.claim_id, "busy")]


def _limit_of[R: Claimable](call: QueuedCall[R]) -> datetime:
    return call.request.not_after


def _run_granted[R: Claimable](
    claims: Claims[R], calls: CallTable[R], granted: ClaimGranted, now: datetime
) -> list[ClaimEffect[R]]:
    call = _find_awaiting(calls, granted.call_id, granted.claim_id)
    if call is None:
        # The owner decided on the claim after it was given back: it would wait for the call.
        request = claims.released.get(granted.claim_id)
        return [] if request is None else [ReportNotStarted(request, granted.claim_id, "not_started")]
    if now > call.request.not_after:
        return _expire_calls(calls, now)
    calls.put(granted.call_id, RunningCall(call.request, call.claim_id, now))
    return [StartRun(call.request, call.claim_id)]


def _drop_refused[R: Claimable](calls: CallTable[R], refused: ClaimRefused) -> list[ClaimEffect[R]]:
    """A call that may be made twice runs without a grant: it is ended where another runs it, or nobody waits for it."""
    call = calls.get(refused.call_id)
    match call:
        case AwaitingGrant() if call.claim_id == refused.claim_id:
            calls.remove(refused.call_id)
        case RunningCall() if call.claim_id == refused.claim_id and call.request.repeatable:
            calls.remove(refused.call_id)
            return [CancelRun(call.claim_id)]
    return []


def _cancel_call[R: Claimable](calls: CallTable[R], call_id: str, now: datetime) -> list[ClaimEffect[R]]:
    call = calls.get(call_id)
    match call:
        case QueuedCall():
            calls.remove(call_id)
        case AwaitingGrant():
            calls.remove(call_id)
            return [ReportNotStarted(call.request, call.claim_id, "not_started")]
        case RunningCall() if call.request.repeatable:
            calls.remove(call_id)
            return [CancelRun(call.claim_id), ReportOutcome(call.request, call.claim_id, "cancelled", now - call.since)]
    return []


def _remove_ended[R: Claimable](calls: CallTable[R], ended: RunEnded) -> None:
    call = calls.get(ended.call_id)
    if isinstance(call, RunningCall) and call.claim_id == ended.claim_id:
        calls.remove(ended.call_id)


def _expire_calls[R: Claimable](calls: CallTable[R], now: datetime) -> list[ClaimEffect[R]]:
    effects: list[ClaimEffect[R]] = []
    for call_id, call in list(calls.items()):
        if isinstance(call, RunningCall) or now <= call.request.not_after:
            continue
        calls.remove(call_id)
        # The owner knows the claim of a call that awaits its grant. A call that only waited was never claimed: this
        # worker has too much to do.
        reason: Literal["busy", "not_started"] = "not_started" if isinstance(call, AwaitingGrant) else "busy"
        effects.append(ReportNotStarted(call.request, call.claim_id, reason))
    return effects


def _release_awaiting[R: Claimable](calls: CallTable[R]) -> list[ClaimEffect[R]]:
    awaiting = [call for call in calls.values() if isinstance(call, AwaitingGrant)]
    for call in awaiting:
        calls.remove(call.request.call_id)
    return [ReportNotStarted(call.request, call.claim_id, "not_started") for call in awaiting]


def _remember_released[R: Claimable](known: Mapping[str, R], effects: list[ClaimEffect[R]]) -> Mapping[str, R]:
    """Only calls that cannot be made twice are remembered, and only the last of them."""
    new = {
        effect.claim_id: effect.request
        for effect in effects
        if isinstance(effect, ReportNotStarted) and not effect.request.repeatable
    }
    if not new:
        return known
    return dict(list({**known, **new}.items())[-MOST_RELEASED:])


def _repeat_claims[R: Claimable](calls: CallTable[R], now: datetime) -> list[ClaimEffect[R]]:
    effects: list[ClaimEffect[R]] = []
    for call_id, call in list(calls.items()):
        if isinstance(call, AwaitingGrant) and now >= call.repeat_at:
            calls.put(call_id, replace(call, repeat_at=now + REPEAT_EVERY))
            effects.append(ReportClaim(call.request, call.claim_id))
    return effects


def _claim_late[R: Claimable](calls: CallTable[R], claim_after: timedelta, now: datetime) -> list[ClaimEffect[R]]:
    effects: list[ClaimEffect[R]] = []
    for call_id, call in list(calls.items()):
        if isinstance(call, RunningCall) and not call.claimed and now - call.since >= claim_after:
            calls.put(call_id, replace(call, claimed=True))
            effects.append(ReportClaim(call.request, call.claim_id))
    return effects


def _give_back[R: Claimable](calls: CallTable[R]) -> list[ClaimEffect[R]]:
    """Give everything back to the owner but the runs that cannot be made twice."""
    effects: list[ClaimEffect[R]] = []
    for call_id, call in list(calls.items()):
        if isinstance(call, RunningCall):
            if not call.request.repeatable:
                continue
            effects.append(CancelRun(call.claim_id))
        calls.remove(call_id)
        effects.append(ReportNotStarted(call.request, call.claim_id, "not_started"))
    return effects


def _end_drain[R: Claimable](calls: CallTable[R], now: datetime) -> list[ClaimEffect[R]]:
    effects: list[ClaimEffect[R]] = []
    for call_id, call in list(calls.items()):
        if isinstance(call, RunningCall):
            calls.remove(call_id)
            effects += [
                CancelRun(call.claim_id),
                ReportOutcome(call.request, call.claim_id, "unknown", now - call.since),
            ]
    return effects


def _start_queued[R: Claimable](
    claims: Claims[R], calls: CallTable[R], now: datetime, *, cut_off: bool
) -> list[ClaimEffect[R]]:
    """Run or claim the calls that wait, as far as there are places."""
    waiting = sorted(calls.list_waiting(), key=lambda each: _limit_of(each[1]))
    if not waiting:
        return []
    effects: list[ClaimEffect[R]] = []
    taken = calls.count_slots()
    for call_id, call in waiting:
        server = call.request.server
        if taken[server] >= claims.limits.get(server, UNKNOWN_SERVER).concurrent:
            continue
        if cut_off and not call.request.repeatable:
            continue
        taken[server] += 1
        if call.request.repeatable:
            at_once = not claims.claim_after
            calls.put(call_id, RunningCall(call.request, call.claim_id, now, claimed=at_once))
            if at_once:
                effects.append(ReportClaim(call.request, call.claim_id))
            effects.append(StartRun(call.request, call.claim_id))
        else:
            calls.put(call_id, AwaitingGrant(call.request, call.claim_id, now + REPEAT_EVERY))
            effects.append(ReportClaim(call.request, call.claim_id))
    return effects


def _find_awaiting[R: Claimable](calls: CallTable[R], call_id: str, claim_id: str) -> AwaitingGrant[R] | None:
    call = calls.get(call_id)
    return call if isinstance(call, AwaitingGrant) and call.claim_id == claim_id else None
