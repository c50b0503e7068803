"""Which service a path leads to."""

import pytest

from tarsy_local.front_door.routes import OUTSIDE, service_of


@pytest.mark.parametrize(
    ("path", "service"),
    [
        ("/api/v1/alerts", "ingest"),
        ("/api/v1/alerts/alertmanager", "ingest"),
        ("/api/v1/alertsx", "timeline"),
        ("/api/v1/sessions", "timeline"),
        ("/api/v1/sessions/1/timeline", "timeline"),
        ("/api/v1/ws", "websocket-gateway"),
        ("/api/v1/alert-types", "ingest"),
        ("/api/v1/system/config", "ingest"),
        ("/api/v1/system/config/skills/x", "ingest"),
        ("/api/v1/system/default-tools", "ingest"),
        ("/api/v1/system/warnings", "timeline"),
        ("/api/v1/runbooks", "timeline"),
        ("/openapi.json", "timeline"),
        ("/", "websocket-gateway"),
        ("/sessions/1", "websocket-gateway"),
        ("/assets/1/page.js", "websocket-gateway"),
        ("/login", "websocket-gateway"),
        ("/login/callback", "websocket-gateway"),
        ("/logout", "websocket-gateway"),
        ("/api/v1/me", "timeline"),
    ],
)
def test_a_path_leads_to_the_service_that_has_it(path: str, service: str) -> None:
    assert service_of(path, OUTSIDE) == service


@pytest.mark.parametrize(
    "path",
    [
        "/internal",
        "/internal/v1/chains",
        "//internal/v1/chains",
        "/api/v1/../../internal/v1/chains",
        "/api/v1/./../internal",
        "/api//v1/sessions",
        "/api/..\\internal",
        "/assets/../internal/v1/chains",
        "/docs",
        "no-path",
    ],
)
def test_nothing_leads_in_from_outside(path: str) -> None:
    assert service_of(path, OUTSIDE) is None
