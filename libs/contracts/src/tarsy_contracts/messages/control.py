"""Control messages of owners to workers and APIs. Their key is a call or request id; each reader reads all of them."""

from typing import ClassVar

from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.numbers import Index


class ClaimGranted(Message):
    """This claim, and no other, may run the call. Workers that do not hold it ignore it."""

    type: ClassVar[str] = "claim.granted"
    call_id: str
    claim_id: str


class ClaimRefused(Message):
    """This claim may not run the call: another has it, or nobody waits for it any longer."""

    type: ClassVar[str] = "claim.refused"
    call_id: str
    claim_id: str
    reason: str


class CallCancelled(Message):
    """Nobody waits for this call any longer: give a claim up, stop what runs if that is harmless."""

    type: ClassVar[str] = "call.cancelled"
    call_id: str


class RequestAnswered(Message):
    """The answer to a person's request. `code` is the HTTP status."""

    type: ClassVar[str] = "request.answered"
    request_id: str
    accepted: bool
    code: Index
    reason: str


type Control = ClaimGranted | ClaimRefused | CallCancelled | RequestAnswered

CONTROLS: dict[str, type[Control]] = {kind.type: kind for kind in Control.__value__.__args__}
