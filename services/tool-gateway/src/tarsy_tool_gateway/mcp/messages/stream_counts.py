"""Counts of the streams of one MCP server."""

from dataclasses import dataclass, field

from tarsy_tool_gateway.mcp.messages.garbage import GarbageCount
from tarsy_tool_gateway.results.bytes_in_flight import BytesInFlight


@dataclass(frozen=True, slots=True)
class StreamCounts:
    """`garbage` is the server's, `in_flight` that of the whole process."""

    garbage: GarbageCount = field(default_factory=GarbageCount)
    in_flight: BytesInFlight = field(default_factory=BytesInFlight)
