"""Internal answers about log chains: one line `ProjectedLog`, then a line for each session, all of one moment.

It is a `LastEvent`, or, where histories were asked for, a `SessionSnapshot`.
"""

from pydantic import Field

from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.api.timeline import SessionHistory

MOST_SNAPSHOTS = 50
"""Sessions of one question for their histories, each of which may be megabytes."""


class LogName(ApiModel):
    """Which log it is."""

    cluster_id: str
    topic: str


class ProjectedLog(ApiModel):
    """How far the log is projected: the next offset of each partition."""

    log_identity: LogName
    positions: dict[int, int]


class LastEvent(ApiModel):
    """The last accepted event of a session."""

    session_id: str
    partition: int
    event_id: str
    number: int


class SessionOfAlert(ApiModel):
    """The session that an alert joined; null where the id is none that was given to such an alert."""

    session_id: str | None


class AskedSession(ApiModel):
    """A session whose history is wanted once it reaches this event, and the projection this offset of its partition."""

    session_id: str
    number: int
    partition: int
    offset: int


class AskedSessions(ApiModel):
    """A question for histories."""

    sessions: tuple[AskedSession, ...] = Field(max_length=MOST_SNAPSHOTS)


class SessionSnapshot(LastEvent):
    """The last accepted event of a session, and its history up to there.

    `history` is null where the session is not `reached`: not as far yet as was asked for; and of one that was deleted.
    """

    reached: bool

    history: SessionHistory | None
