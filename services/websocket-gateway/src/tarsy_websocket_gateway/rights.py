"""Rights of the page, its login, and the WebSocket."""

from tarsy_auth.roles import Role
from tarsy_service.access.rights import WEBSOCKET, rights
from tarsy_websocket_gateway.page_files.views import VIEWS

PAGES = (*VIEWS, "/assets/{version}/{path:path}")

RIGHTS = (
    # The page's files hold nothing of an investigation: it asks for that itself.
    *rights("open", *(f"{method} {page}" for page in PAGES for method in ("GET", "HEAD"))),
    # A person who logs in has no credential yet, and one that has ended is renewed or taken
    # back, too.
    *rights("open", "GET /login", "GET /login/available", "GET /login/callback", "POST /login/renew", "POST /logout"),
    *rights(Role.VIEWER, f"{WEBSOCKET} /api/v1/ws"),
)
