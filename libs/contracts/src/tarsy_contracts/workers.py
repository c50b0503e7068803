"""Announcements of life, and what each worker sees of the MCP servers."""

from typing import ClassVar, Literal

from pydantic import JsonValue

from tarsy_contracts.message import Message, Value


class WorkerAnnounced(Message):
    """`worker_id` is made at the start of a process: the same name started again is another worker."""

    type: ClassVar[str] = "worker.announced"
    worker_id: str
    service: Literal["tool-gateway", "summarizer", "orchestrator"]
    leaving: bool = False


class CatalogTool(Value):
    """`repeatable`: its server calls it read-only or idempotent."""

    tool: str
    description: str
    input_schema: dict[str, JsonValue]
    repeatable: bool


class ServerCatalogued(Message):
    """An MCP server's tools and health as one worker sees them. The newest of a living worker counts."""

    type: ClassVar[str] = "server.catalogued"
    server: str
    worker_id: str
    healthy: bool
    error: str
    tools: tuple[CatalogTool, ...]
