"""The words of claims.py: what is known of a call, what happens to it, and what follows. Plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from tarsy_contracts.control import CallCancelled, ClaimGranted, ClaimRefused
from tarsy_contracts.requests import ToolCallRequest


@dataclass(frozen=True, slots=True)
class Limits:
    """How many calls of one server run (or wait for their grant) at a time, and how many more may wait for a place."""

    concurrent: int
    queue: int


@dataclass(frozen=True, slots=True)
class Queued:
    request: ToolCallRequest
    claim_id: str


@dataclass(frozen=True, slots=True)
class Held:
    """Claimed, and not told to go. The claim is said again at `repeat_at`."""

    request: ToolCallRequest
    claim_id: str
    repeat_at: datetime


@dataclass(frozen=True, slots=True)
class Running:
    """`claimed`: the owner was told. Of a repeatable call it is told only when that takes a while."""

    request: ToolCallRequest
    claim_id: str
    since: datetime
    claimed: bool = True


type Call = Queued | Held | Running


@dataclass(frozen=True, slots=True)
class Claims:
    """`calls` by call id, in the order in which they came.

    `cut_off`: nobody may have heard of this process lately, so that its claims may be taken from it: it has none then.
    `given_up`: the last claims that were, by claim id, for a grant that comes after all.
    """

    limits: Mapping[str, Limits]
    calls: Mapping[str, Call] = field(default_factory=dict)
    stopping: bool = False
    cut_off: bool = False
    given_up: Mapping[str, ToolCallRequest] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Load:
    """How many calls of a server run, wait for a grant, and wait for a place."""

    running: int
    held: int
    queued: int


@dataclass(frozen=True, slots=True)
class Received:
    """A request from the queue. `claim_id` is fresh: it becomes the id of the claim, should there be one."""

    request: ToolCallRequest
    claim_id: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The run of this claim is over, and its outcome has been reported."""

    call_id: str
    claim_id: str


@dataclass(frozen=True, slots=True)
class Ticked:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """For too long no announcement of this process has come through, perhaps up to a moment ago."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Its announcements come through again."""


@dataclass(frozen=True, slots=True)
class Stopping:
    """The process is about to stop: nothing begins any more. Only what must not be cut off goes on running."""


@dataclass(frozen=True, slots=True)
class Abandoned:
    """The process stops now."""


type Input = (
    Received | ClaimGranted | ClaimRefused | CallCancelled | Ended | Ticked | CutOff | Heard | Stopping | Abandoned
)


@dataclass(frozen=True, slots=True)
class SayClaimed:
    request: ToolCallRequest
    claim_id: str


@dataclass(frozen=True, slots=True)
class SayNotStarted:
    request: ToolCallRequest
    claim_id: str
    reason: Literal["busy", "not_started"]


@dataclass(frozen=True, slots=True)
class SayEnded:
    """An outcome without a result: of a run that was broken off."""

    request: ToolCallRequest
    claim_id: str
    outcome: Literal["cancelled", "unknown"]
    ran_for: timedelta


@dataclass(frozen=True, slots=True)
class Run:
    request: ToolCallRequest
    claim_id: str


@dataclass(frozen=True, slots=True)
class BreakOff:
    """Cancel this run."""

    claim_id: str


type Effect = SayClaimed | SayNotStarted | SayEnded | Run | BreakOff
