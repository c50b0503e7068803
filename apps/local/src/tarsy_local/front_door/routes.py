"""Which service a path leads to: the table of the front door."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Way:
    """`service` is None where nobody may go from outside."""

    prefix: str
    service: str | None


OUTSIDE = (
    Way("/internal", None),
    # FastAPI's pages would show one service as if it were the whole: the whole is in schemas/.
    Way("/docs", None),
    Way("/redoc", None),
    Way("/openapi.json", None),
    Way("/api/v1/alerts", "ingest"),
    Way("/api/v1/ws", "websocket-gateway"),
    Way("/api", "timeline"),
    Way("/", "websocket-gateway"),
)
"""For people, senders of alerts, and the page. The first that fits counts."""
INSIDE = (Way("/internal/v1", "timeline"),)
"""For websocket-gateways, on a port of its own."""


def service_of(path: str, ways: Sequence[Way]) -> str | None:
    """`path` is decoded. One with steps up or empty steps leads nowhere: it might be read otherwise further on."""
    if _is_devious(path):
        return None
    return next((way.service for way in ways if _leads(way.prefix, path)), None)


def _leads(prefix: str, path: str) -> bool:
    return prefix == "/" or path == prefix or path.startswith(f"{prefix}/")


def _is_devious(path: str) -> bool:
    root, *steps = path.split("/")
    return root != "" or "\\" in path or any(step in (".", "..") for step in steps) or "" in steps[:-1]
