"""Lines of the internal answer about log chains: one `ProjectedLog`, then one `LastEvent` for each session."""

from tarsy_contracts.api.model import ApiModel


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
