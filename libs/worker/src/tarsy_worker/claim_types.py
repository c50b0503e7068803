"""Types of the claim state machine: the state of a call, its inputs, its effects. Plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, Protocol

from tarsy_contracts.messages.control import CallCancelled, ClaimGranted, ClaimRefused

CLAIM_AFTER = timedelta(milliseconds=100)
"""A repeatable call is claimed after this time. The owner asks elsewhere only when it hears nothing for seconds."""


class Claimable(Protocol):
    """A request that a worker can claim. `server`: whose limits it counts against. `repeatable` ones need no grant."""

    @property
    def session_id(self) -> str: ...
    @property
    def call_id(self) -> str: ...
    @property
    def server(self) -> str: ...
    @property
    def repeatable(self) -> bool: ...
    @property
    def not_after(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """How many calls of one server run (or wait for their grant) at a time, and how many more may wait for a place."""

    concurrent: int
    queue: int


@dataclass(frozen=True, slots=True)
class QueuedCall[R: Claimable]:
    request: R
    claim_id: str


@dataclass(frozen=True, slots=True)
class AwaitingGrant[R: Claimable]:
    """Claimed, and not granted yet. The claim is reported again at `repeat_at`."""

    request: R
    claim_id: str
    repeat_at: datetime


@dataclass(frozen=True, slots=True)
class RunningCall[R: Claimable]:
    """`claimed`: the owner knows of it. A repeatable call is claimed only when it takes a while."""

    request: R
    claim_id: str
    since: datetime
    claimed: bool = True


type Call[R: Claimable] = QueuedCall[R] | AwaitingGrant[R] | RunningCall[R]


@dataclass(frozen=True, slots=True)
class Claims[R: Claimable]:
    """`calls` by call id, in the order in which they came.

    `cut_off`: nobody may have heard of this process lately, so that its claims may be taken from it: it has none then.
    `released`: the last claims that were given back, by claim id, for a grant that comes after all.
    `claim_after`: how long a repeatable call runs before it is claimed.
    """

    limits: Mapping[str, ServerLimits]
    calls: Mapping[str, Call[R]] = field(default_factory=dict)
    draining: bool = False
    cut_off: bool = False
    released: Mapping[str, R] = field(default_factory=dict)
    claim_after: timedelta = CLAIM_AFTER


@dataclass(frozen=True, slots=True)
class ServerLoad:
    """How many calls of a server run, wait for a grant, and wait for a place."""

    running: int
    awaiting_grant: int
    queued: int


@dataclass(frozen=True, slots=True)
class RequestReceived[R: Claimable]:
    """A request from the queue. `claim_id` is fresh: it becomes the id of the claim, should there be one."""

    request: R
    claim_id: str


@dataclass(frozen=True, slots=True)
class RunEnded:
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
class Reconnected:
    """Its announcements come through again."""


@dataclass(frozen=True, slots=True)
class DrainStarted:
    """The process is about to stop: nothing begins any more. Only what must not be cut off goes on running."""


@dataclass(frozen=True, slots=True)
class DrainEnded:
    """The process stops now."""


type ClaimInput[R: Claimable] = (
    RequestReceived[R]
    | ClaimGranted
    | ClaimRefused
    | CallCancelled
    | RunEnded
    | Ticked
    | CutOff
    | Reconnected
    | DrainStarted
    | DrainEnded
)


@dataclass(frozen=True, slots=True)
class ReportClaim[R: Claimable]:
    request: R
    claim_id: str


@dataclass(frozen=True, slots=True)
class ReportNotStarted[R: Claimable]:
    request: R
    claim_id: str
    reason: Literal["busy", "not_started"]


@dataclass(frozen=True, slots=True)
class ReportOutcome[R: Claimable]:
    """An outcome without a result: the run was cancelled."""

    request: R
    claim_id: str
    outcome: Literal["cancelled", "unknown"]
    ran_for: timedelta


@dataclass(frozen=True, slots=True)
class StartRun[R: Claimable]:
    request: R
    claim_id: str


@dataclass(frozen=True, slots=True)
class CancelRun:
    claim_id: str


type ClaimEffect[R: Claimable] = ReportClaim[R] | ReportNotStarted[R] | ReportOutcome[R] | StartRun[R] | CancelRun
