"""Which calls this gateway holds, and what it says and does about them (docs/concepts.md, calls). Pure.

A call waits for a place at its server (Queued) before anything is claimed, so that a grant always means: run it now.
With a place a repeatable call runs (Running); it is claimed only when it takes a while, as the outcome of a quick one
says all. Any other call is claimed, waits for the owner's word (Held) and runs only on it. A place is taken by what is
Held or Running.

The owner may take a claim away when it misses this process's announcements. So whoever is cut off gives up what is
Held, and claims nothing: a grant that it reads afterwards, however late, meets no claim.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import assert_never

from tarsy_contracts.control import CallCancelled, ClaimGranted, ClaimRefused
from tarsy_contracts.requests import ToolCallRequest
from tarsy_tool_gateway.calls import (
    Abandoned,
    BreakOff,
    Call,
    Claims,
    CutOff,
    Effect,
    Ended,
    Heard,
    Held,
    Input,
    Limits,
    Load,
    Queued,
    Received,
    Run,
    Running,
    SayClaimed,
    SayEnded,
    SayNotStarted,
    Stopping,
    Ticked,
)

REPEAT_EVERY = timedelta(seconds=1)
CLAIM_AFTER = timedelta(milliseconds=100)
"""Of a repeatable call. The owner asks elsewhere only when it hears nothing for seconds."""
UNKNOWN_SERVER = Limits(concurrent=4, queue=64)
"""A call to a server that the configuration does not name is claimed like any other, and then rejected."""

MOST_GIVEN_UP = 1_000

type Calls = dict[str, Call]


def step(claims: Claims, input: Input, now: datetime) -> tuple[Claims, list[Effect]]:  # noqa: C901 - one case an input
    """What the input changes, and what is to be said and done, in this order."""
    calls, stopping, cut_off = dict(claims.calls), claims.stopping, claims.cut_off
    effects: list[Effect] = []
    match input:
        case Received():
            effects += _receive(claims, calls, input, now)
        case ClaimGranted():
            effects += _grant(claims, calls, input, now)
        case ClaimRefused():
            _refuse(calls, input)
        case CallCancelled():
            effects += _cancel(calls, input.call_id, now)
        case Ended():
            _end(calls, input)
        case Ticked():
            effects += _expire(calls, now) + _repeat(calls, now) + _claim_late(calls, now)
        case CutOff():
            cut_off = True
            effects += _give_up_held(calls)
        case Heard():
            cut_off = False
        case Stopping():
            stopping = True
            effects += _release(calls)
        case Abandoned():
            effects += _abandon(calls, now)
        case _:
            assert_never(input)
    effects += _fill_places(claims.limits, calls, now, cut_off=cut_off)
    given_up = _with_given_up(claims.given_up, effects)
    return replace(claims, calls=calls, stopping=stopping, cut_off=cut_off, given_up=given_up), effects


def load_of(claims: Claims, server: str) -> Load:
    mine = [call for call in claims.calls.values() if call.request.server == server]
    return Load(
        running=sum(isinstance(call, Running) for call in mine),
        held=sum(isinstance(call, Held) for call in mine),
        queued=sum(isinstance(call, Queued) for call in mine),
    )


def _receive(claims: Claims, calls: Calls, received: Received, now: datetime) -> list[Effect]:
    request = received.request
    known = calls.get(request.call_id)
    if isinstance(known, Queued):
        # The owner asked again, with a later limit. What is held or runs is a duplicate, and ignored.
        calls[request.call_id] = replace(known, request=request)
    if known is not None or now > request.not_after:
        return []
    if claims.stopping:
        return [SayNotStarted(request, received.claim_id, "not_started")]
    limits = claims.limits.get(request.server, UNKNOWN_SERVER)
    present = [call.request.server for call in calls.values()].count(request.server)
    if present >= limits.concurrent + limits.queue:
        return [SayNotStarted(request, received.claim_id, "busy")]
    calls[request.call_id] = Queued(request, received.claim_id)
    return []


def _grant(claims: Claims, calls: Calls, granted: ClaimGranted, now: datetime) -> list[Effect]:
    call = _held(calls, granted.call_id, granted.claim_id)
    if call is None:
        # The claim was decided behind the word that it was given up: the owner would wait for it.
        request = claims.given_up.get(granted.claim_id)
        return [] if request is None else [SayNotStarted(request, granted.claim_id, "not_started")]
    if now > call.request.not_after:
        return _expire(calls, now)
    calls[granted.call_id] = Running(call.request, call.claim_id, now)
    return [Run(call.request, call.claim_id)]


def _refuse(calls: Calls, refused: ClaimRefused) -> None:
    if _held(calls, refused.call_id, refused.claim_id) is not None:
        del calls[refused.call_id]


def _cancel(calls: Calls, call_id: str, now: datetime) -> list[Effect]:
    call = calls.get(call_id)
    match call:
        case Queued():
            del calls[call_id]
        case Held():
            del calls[call_id]
            return [SayNotStarted(call.request, call.claim_id, "not_started")]
        case Running() if call.request.repeatable:
            del calls[call_id]
            return [BreakOff(call.claim_id), SayEnded(call.request, call.claim_id, "cancelled", now - call.since)]
    return []


def _end(calls: Calls, ended: Ended) -> None:
    call = calls.get(ended.call_id)
    if isinstance(call, Running) and call.claim_id == ended.claim_id:
        del calls[ended.call_id]


def _expire(calls: Calls, now: datetime) -> list[Effect]:
    effects: list[Effect] = []
    for call_id, call in list(calls.items()):
        if isinstance(call, Running) or now <= call.request.not_after:
            continue
        del calls[call_id]
        # The owner knows the claim of what was held; of what only waited it learns that this gateway has too much.
        effects.append(SayNotStarted(call.request, call.claim_id, "not_started" if isinstance(call, Held) else "busy"))
    return effects


def _give_up_held(calls: Calls) -> list[Effect]:
    held = [call for call in calls.values() if isinstance(call, Held)]
    for call in held:
        del calls[call.request.call_id]
    return [SayNotStarted(call.request, call.claim_id, "not_started") for call in held]


def _with_given_up(known: Mapping[str, ToolCallRequest], effects: list[Effect]) -> Mapping[str, ToolCallRequest]:
    """Of what cannot be made twice; the oldest are forgotten."""
    new = {
        effect.claim_id: effect.request
        for effect in effects
        if isinstance(effect, SayNotStarted) and not effect.request.repeatable
    }
    if not new:
        return known
    return dict(list({**known, **new}.items())[-MOST_GIVEN_UP:])


def _repeat(calls: Calls, now: datetime) -> list[Effect]:
    effects: list[Effect] = []
    for call_id, call in calls.items():
        if isinstance(call, Held) and now >= call.repeat_at:
            calls[call_id] = replace(call, repeat_at=now + REPEAT_EVERY)
            effects.append(SayClaimed(call.request, call.claim_id))
    return effects


def _claim_late(calls: Calls, now: datetime) -> list[Effect]:
    effects: list[Effect] = []
    for call_id, call in calls.items():
        if isinstance(call, Running) and not call.claimed and now - call.since >= CLAIM_AFTER:
            calls[call_id] = replace(call, claimed=True)
            effects.append(SayClaimed(call.request, call.claim_id))
    return effects


def _release(calls: Calls) -> list[Effect]:
    """Everything but the runs that cannot be made twice goes back to the owner."""
    effects: list[Effect] = []
    for call_id, call in list(calls.items()):
        if isinstance(call, Running):
            if not call.request.repeatable:
                continue
            effects.append(BreakOff(call.claim_id))
        del calls[call_id]
        effects.append(SayNotStarted(call.request, call.claim_id, "not_started"))
    return effects


def _abandon(calls: Calls, now: datetime) -> list[Effect]:
    effects: list[Effect] = []
    for call_id, call in list(calls.items()):
        if isinstance(call, Running):
            del calls[call_id]
            effects += [BreakOff(call.claim_id), SayEnded(call.request, call.claim_id, "unknown", now - call.since)]
    return effects


def _fill_places(limits: Mapping[str, Limits], calls: Calls, now: datetime, *, cut_off: bool) -> list[Effect]:
    """Runs or claims what waits, as far as there are places."""
    # Every step comes here, with all calls that run: most find nothing that waits, and must not count the others.
    waiting = [(call_id, call) for call_id, call in calls.items() if isinstance(call, Queued)]
    if not waiting:
        return []
    effects: list[Effect] = []
    taken = Counter([call.request.server for call in calls.values() if not isinstance(call, Queued)])
    for call_id, call in waiting:
        server = call.request.server
        if taken[server] >= limits.get(server, UNKNOWN_SERVER).concurrent:
            continue
        if cut_off and not call.request.repeatable:
            continue
        taken[server] += 1
        if call.request.repeatable:
            calls[call_id] = Running(call.request, call.claim_id, now, claimed=False)
            effects.append(Run(call.request, call.claim_id))
        else:
            calls[call_id] = Held(call.request, call.claim_id, now + REPEAT_EVERY)
            effects.append(SayClaimed(call.request, call.claim_id))
    return effects


def _held(calls: Calls, call_id: str, claim_id: str) -> Held | None:
    call = calls.get(call_id)
    return call if isinstance(call, Held) and call.claim_id == claim_id else None
