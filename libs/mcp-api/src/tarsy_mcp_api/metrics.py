"""Prometheus metrics of TARSy as an MCP server."""

from typing import Literal

from prometheus_client import CollectorRegistry, Counter

type CallEnd = Literal["ok", "refused", "failed"]


class McpMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._calls = Counter(
            "tarsy_timeline_mcp_calls_total",
            "Calls of the tools that TARSy offers as an MCP server, by tool and how they ended",
            ["tool", "outcome"],
            registry=registry,
        )

    def count(self, tool: str, outcome: CallEnd) -> None:
        self._calls.labels(tool, outcome).inc()
