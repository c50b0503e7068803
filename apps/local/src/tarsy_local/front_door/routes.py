"""Routes of the front door: which service a path leads to."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServiceRoute:
    """`service` is None where nobody may go from outside."""

    prefix: str
    service: str | None


OUTSIDE = (
    ServiceRoute("/internal", None),
    ServiceRoute("/docs", None),
    ServiceRoute("/redoc", None),
    # Every service answers with the same document: the API of all.
    ServiceRoute("/openapi.json", "timeline"),
    ServiceRoute("/api/v1/alerts", "ingest"),
    # The ingest has the configuration.
    ServiceRoute("/api/v1/alert-types", "ingest"),
    ServiceRoute("/api/v1/system/config", "ingest"),
    ServiceRoute("/api/v1/system/default-tools", "ingest"),
    ServiceRoute("/api/v1/ws", "websocket-gateway"),
    ServiceRoute("/api", "timeline"),
    ServiceRoute("/mcp", "timeline"),
    ServiceRoute("/", "websocket-gateway"),
)
"""For people, senders of alerts, and the page. The first that fits counts."""


def service_of(path: str, routes: Sequence[ServiceRoute]) -> str | None:
    """`path` is decoded. One with steps up or empty steps leads nowhere: it might be read otherwise further on."""
    if _is_devious(path):
        return None
    return next((route.service for route in routes if _is_prefix_of(route.prefix, path)), None)


def _is_prefix_of(prefix: str, path: str) -> bool:
    return prefix == "/" or path == prefix or path.startswith(f"{prefix}/")


def _is_devious(path: str) -> bool:
    root, *steps = path.split("/")
    return root != "" or "\\" in path or any(step in (".", "..") for step in steps) or "" in steps[:-1]
