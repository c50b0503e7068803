"""Rights of the page and the WebSocket."""

from tarsy_auth.roles import Role
from tarsy_service.rights import WEBSOCKET, rights

PAGES = ("/", "/servers", "/sessions/{session_id}", "/assets/{version}/{path:path}")

RIGHTS = (
    # The page's files hold nothing of an investigation: it asks for that itself.
    *rights("open", *(f"{method} {page}" for page in PAGES for method in ("GET", "HEAD"))),
    *rights(Role.VIEWER, f"{WEBSOCKET} /api/v1/ws"),
)
