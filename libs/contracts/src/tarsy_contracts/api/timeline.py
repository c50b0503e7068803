"""REST answers about a session's timeline, and its whole history for websocket-gateways."""

from tarsy_contracts.api.model import ApiModel, JsonObject, Timestamp
from tarsy_contracts.api.sessions import SessionDetail
from tarsy_contracts.timeline.model import TimelineStatus


class TimelineEvent(ApiModel):
    """Something that people see of a session: what an agent thinks, says or calls. `sequence_number` orders them.

    `event_type` may get further values. `number`: the event of the log that changed it last.
    """

    id: str
    session_id: str
    stage_id: str | None
    execution_id: str | None
    sequence_number: int
    event_type: str
    status: TimelineStatus
    content: str
    metadata: JsonObject
    created_at: Timestamp
    updated_at: Timestamp
    number: int


class SessionHistory(ApiModel):
    """All that a subscriber needs, of one moment: everything up to the event `last_number`."""

    last_number: int
    session: SessionDetail
    timeline: tuple[TimelineEvent, ...]


class PastSession(SessionHistory):
    """A session and its timeline as they were after the event `last_number`, which has this `time` and `event_type`.

    `first_number` and `newest_number` are those of the session's events. It does not have what other sessions decide:
    `queue_position` is null, `reruns` are none.
    """

    time: Timestamp
    event_type: str
    first_number: int
    newest_number: int
