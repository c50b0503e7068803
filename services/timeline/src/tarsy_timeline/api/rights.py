"""Rights of the timeline's routes."""

from tarsy_auth.roles import Role
from tarsy_service.access.rights import rights

SESSION = "/api/v1/sessions/{session_id}"
RESULT = f"{SESSION}/tool-calls/{{call_id}}/result"
DEAD_LETTERS = "/api/v1/dead-letters"
DEAD_LETTER = f"{DEAD_LETTERS}/{{letter_id}}"

RIGHTS = (
    *rights(
        Role.VIEWER,
        "GET /api/v1/me",
        # Its tools ask the routes here and of the ingest, with the caller's own rights.
        "POST /mcp",
        "GET /api/v1/sessions",
        "GET /api/v1/sessions/active",
        "GET /api/v1/sessions/filter-options",
        f"GET {SESSION}/status",
        f"GET {SESSION}/timeline",
        f"GET {SESSION}/summary",
        f"GET {SESSION}/approvals",
        f"GET {SESSION}/review-activity",
        f"GET {SESSION}/score",
        "GET /api/v1/sessions/triage/{group}",
        f"GET {SESSION}/at/{{number}}",
        f"GET {SESSION}/trace",
        f"GET {SESSION}/trace/skills",
        f"GET {SESSION}/trace/llm/{{interaction_id}}",
        f"GET {SESSION}/trace/mcp/{{interaction_id}}",
        f"GET {RESULT}",
        f"GET {RESULT}/download",
        "GET /api/v1/runbooks",
        f"GET {SESSION}/memories",
        f"GET {SESSION}/injected-memories",
        f"GET {SESSION}/similar",
        "GET /api/v1/memories",
        "GET /api/v1/memories/{memory_id}",
        "GET /api/v1/usage",
        "GET /api/v1/usage/series",
        "GET /api/v1/usage/summary",
        "GET /api/v1/budgets",
        "GET /api/v1/calibration",
        "GET /api/v1/usage/outcomes",
        "GET /api/v1/approvals",
        "GET /api/v1/system/overview",
        "GET /api/v1/system/mcp-servers",
        "GET /api/v1/system/mcp-servers/{server_id}",
        "GET /api/v1/system/warnings",
        "GET /api/v1/system/held-sessions",
        "GET /api/v1/system/actions",
    ),
    # The notifier asks it, too.
    *rights(Role.VIEWER, f"GET {SESSION}", also=Role.SERVICE),
    # Slack signs what it sends; which channels may review is a setting.
    *rights("open", "POST /api/v1/slack/interactions"),
    *rights(
        Role.RESPONDER,
        f"POST {SESSION}/cancel",
        f"POST {SESSION}/chat/messages",
        f"POST {SESSION}/approvals/{{call_id}}",
        f"POST {SESSION}/budget",
        f"POST {SESSION}/review",
        f"POST {SESSION}/score",
        "PATCH /api/v1/sessions/review",
        "PATCH /api/v1/memories/{memory_id}",
        "DELETE /api/v1/memories/{memory_id}",
        "POST /api/v1/system/actions/pause",
    ),
    *rights(
        Role.OPERATOR,
        f"DELETE {SESSION}",
        f"POST {SESSION}/release",
        f"POST {SESSION}/retry",
        f"POST {SESSION}/fail",
        f"POST {SESSION}/rerun",
        "POST /api/v1/system/actions/resume",
        f"GET {DEAD_LETTERS}",
        f"GET {DEAD_LETTER}",
        f"GET {DEAD_LETTER}/raw",
        f"POST {DEAD_LETTER}/redrive",
        f"POST {DEAD_LETTERS}/redrive",
    ),
    *rights(
        Role.SERVICE,
        "GET /internal/v1/chains",
        "POST /internal/v1/chains",
        "GET /internal/v1/sessions/{session_id}/history",
        "GET /internal/v1/joined",
        "POST /internal/v1/histories",
        "POST /internal/v1/visible-sessions",
        "POST /internal/v1/recall",
        "POST /internal/v1/past-sessions",
    ),
)
