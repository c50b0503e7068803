"""Rights of the ingest's routes."""

from tarsy_auth.roles import Role
from tarsy_ingest.doors.http_body import BODY_LIMIT_BYTES
from tarsy_ingest.formats import json_alert
from tarsy_ingest.formats.alert_formats import FORMATS
from tarsy_service.access.rights import rights

ALERTS = "/api/v1/alerts"

RIGHTS = (
    *rights(
        Role.VIEWER,
        "GET /api/v1/alert-types",
        "GET /api/v1/system/default-tools",
        "GET /api/v1/system/config",
        "GET /api/v1/system/config/links",
        "GET /api/v1/system/config/skills/{name}",
    ),
    *rights(
        Role.RESPONDER,
        f"POST {ALERTS}",
        *(f"POST {ALERTS}/{path}" for one in FORMATS for path in one.paths),
        f"POST {ALERTS}/{json_alert.SOURCE}/{{door}}",
        signed_bytes=BODY_LIMIT_BYTES,
    ),
    *rights(Role.SERVICE, "POST /internal/v1/alert-choices", "GET /internal/v1/prices", "GET /internal/v1/budgets"),
)
