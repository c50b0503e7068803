"""REST answers about the system: MCP servers, warnings, sessions that are set aside. Keys are Go TARSy's."""

from pydantic import JsonValue

from tarsy_contracts.api.model import ApiModel, Timestamp
from tarsy_contracts.messages.workers import ToolAnnotations


class McpTool(ApiModel):
    """`repeatable`: it may be run twice. `annotations`: what the server itself says; null where it says nothing.

    `input_schema` is null in the list of all servers. `read_only`: it changes nothing, by the server's word or the
    configuration's. `allowed`: agents get it; null where an older tool gateway does not say. `approval`: each call of
    it waits for a person, whatever a chain adds.
    """

    name: str
    description: str
    repeatable: bool
    annotations: ToolAnnotations | None
    input_schema: dict[str, JsonValue] | None = None
    read_only: bool = False
    allowed: bool | None = None
    approval: bool = False


class McpWorker(ApiModel):
    """The server as one running tool gateway sees it. `since`: since when its health is the same.

    `login_needed`: a person has to log in, and `error` has the command. `logged_in_until`: when that will be so, where
    it is known.
    """

    worker_id: str
    healthy: bool
    misconfigured: bool
    error: str | None
    protocol_version: str
    server_version: str
    tool_count: int
    checked_at: Timestamp
    since: Timestamp
    login_needed: bool = False
    logged_in_until: Timestamp | None = None


class McpServer(ApiModel):
    """`healthy` when a running tool gateway reaches it. Versions are empty while nobody has reached it.

    In the list of all servers, `tools` are at most a thousand, with the beginnings of their descriptions; `tool_count`
    counts all. `denied_count`: tools that agents do not get, as `allow` does not name them. `refused_tools`: the first
    of `refused_count` that the protocol does not allow. `login_needed`: no running tool gateway reaches it before a
    person has logged in; `logged_in_until`: when that will be so, where it is known. `starting`: none reaches it
    yet, and one has not come to the end of its first attempt. `known_as`: tools of it are read-only by the table of
    known servers, where it has this name.
    """

    id: str
    healthy: bool
    misconfigured: bool
    error: str | None
    last_check: Timestamp | None
    protocol_version: str
    server_version: str
    tool_count: int
    denied_count: int = 0
    refused_count: int = 0
    refused_tools: tuple[str, ...] = ()
    login_needed: bool = False
    logged_in_until: Timestamp | None = None
    starting: bool = False
    known_as: str = ""
    tools: tuple[McpTool, ...]
    workers: tuple[McpWorker, ...]


class McpServers(ApiModel):
    servers: tuple[McpServer, ...]


class SystemWarning(ApiModel):
    """`id` is the same for the same trouble of the same server. `server_id` is null when it is about none.

    `category` says what the warning is about; it may get further values.
    """

    id: str
    category: str
    message: str
    details: str
    server_id: str | None
    created_at: Timestamp


class SystemWarnings(ApiModel):
    """`server_count`: all MCP servers that are known, with and without warnings."""

    warnings: tuple[SystemWarning, ...]
    server_count: int


class HeldSession(ApiModel):
    """A session that is set aside. `inputs`: how many wait for it. `created_at` is null when nothing tells any more."""

    session_id: str
    reason: str
    why: str
    inputs: int
    created_at: Timestamp | None


class HeldSessionList(ApiModel):
    """At most a thousand, those that wait longest first; `total_items` counts all."""

    sessions: tuple[HeldSession, ...]
    total_items: int


class QueueState(ApiModel):
    """Sessions that run and that wait, of those that the caller may see. `waiting_since`: the one that waits longest.

    Each orchestrator that lives runs as many as `queue.max_concurrent_sessions` of the configuration says.
    """

    running: int
    waiting: int
    waiting_since: Timestamp | None


class ProjectionState(ApiModel):
    """How far the tables are behind the log: the largest lag of the partitions that this timeline projects.

    `unprojected`: records that are not in the tables, or only in part.
    """

    partitions: int
    lag_records: int
    lag_seconds: float
    unprojected: int


class SystemWorker(ApiModel):
    """A process that lives. `waiting`: sessions that wait in the queues of an orchestrator; null where it has none.

    `name` is empty where the process has none. `last_heard`: its last announcement.
    """

    worker_id: str
    service: str
    name: str
    waiting: int | None
    last_heard: Timestamp


class SystemOverview(ApiModel):
    """`version` is that of the timeline that answers. `workers` are at most 1,000, by service and name."""

    version: str
    queue: QueueState
    projection: ProjectionState
    workers: tuple[SystemWorker, ...]
