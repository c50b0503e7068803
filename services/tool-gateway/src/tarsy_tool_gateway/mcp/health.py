"""Health of sessions with an MCP server: how often it is asked for, and the signs of an end."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tarsy_tool_gateway.mcp.failures import FailureKind

type SessionEnd = Literal["ended", "expired", "silent", "refused", "hung"]
"""The session ended by itself, the server forgot it, a check got no answer or an error, or the server stopped reading.
"""
LEFT: Mapping[FailureKind, SessionEnd] = {"session_ended": "ended", "session_over": "expired", "hung": "hung"}


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """How often a server is asked whether it is there, and how long it may take to answer."""

    every_seconds: float = 15.0
    within_seconds: float = 5.0


USUAL_CHECK = HealthCheck()
