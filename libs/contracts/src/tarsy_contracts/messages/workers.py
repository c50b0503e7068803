"""Announcements of life, and what each worker sees of the MCP servers."""

from typing import ClassVar, Literal

from pydantic import AwareDatetime, JsonValue

from tarsy_contracts.wire.message import Message, Value
from tarsy_contracts.wire.numbers import Count


class OwnedQueue(Value):
    """Queue of one partition, as its owner sees it. `waiting`: its sessions that are open and do not run.

    `decided`: the first offset of the inbox whose decision has not come back.
    """

    waiting: int
    decided: int


class FailingProvider(Value):
    """An LLM provider that a process does not ask for a while, as it failed in a row. `kind`: of its last failure."""

    provider: str
    kind: str
    failures: Count
    since: AwareDatetime


class WorkerAnnounced(Message):
    """`worker_id` is made at the start of a process: the same name started again is another worker.

    `name` stays the same when the process is started again (TARSY_CLIENT): owners then need not wait for the death of
    the one before it. `queues`: those of an orchestrator, by partition; None from a version that did not know them.
    `failing_providers`: for people to read.
    """

    type: ClassVar[str] = "worker.announced"
    worker_id: str
    service: Literal["tool-gateway", "summarizer", "orchestrator"]
    leaving: bool = False
    name: str = ""
    queues: dict[int, OwnedQueue] | None = None
    failing_providers: tuple[FailingProvider, ...] = ()


class ToolAnnotations(Value):
    """Annotations of a tool by the server itself; None where it says nothing."""

    title: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


class CatalogTool(Value):
    """`repeatable`: whether running it twice is harmless, by its annotations or by what the configuration says.

    `read_only`: whether it changes nothing, by the same; gateways from before there was such a rule do not say.
    `allowed`: this gateway's configuration lets agents use it. `approval`: each call of it waits for a person, whatever
    a chain adds. Both are for people to read: the plan of a session decides.
    """

    tool: str
    description: str
    input_schema: dict[str, JsonValue]
    repeatable: bool
    annotations: ToolAnnotations | None = None
    read_only: bool | None = None
    allowed: bool | None = None
    approval: bool = False

    @property
    def changes_nothing(self) -> bool:
        if self.read_only is not None:
            return self.read_only
        return self.annotations is not None and self.annotations.read_only is True


class ServerCatalogued(Message):
    """An MCP server's tools and health as one worker sees them. The newest of a living worker counts.

    `misconfigured`: no repetition will help, the operator has to change something. `protocol_version` and
    `server_version` are what the server said of itself, empty while nobody has reached it. `checked_at`: when it was
    last asked. `allow_unset`: the configuration says nothing of tools that change something, so that none is offered.
    `refused_tools`: the first of `refused_count` tools that the server listed and that the protocol does not allow.
    `starting`: the first attempt to reach it is not over. `login_needed`: a person has to log in there, and `error` has
    the command; `logged_in_until`: when that will be so, where it is known. `known_as`: its tools that say nothing are
    read-only where the table of known servers has them under this name.
    """

    type: ClassVar[str] = "server.catalogued"
    server: str
    worker_id: str
    healthy: bool
    error: str
    tools: tuple[CatalogTool, ...]
    misconfigured: bool = False
    protocol_version: str = ""
    server_version: str = ""
    checked_at: AwareDatetime | None = None
    allow_unset: bool = False
    refused_count: Count = 0
    refused_tools: tuple[str, ...] = ()
    starting: bool = False
    login_needed: bool = False
    logged_in_until: AwareDatetime | None = None
    known_as: str = ""
