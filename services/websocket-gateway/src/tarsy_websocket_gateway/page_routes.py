"""The page: an index for each of its addresses, and the assets behind it."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from tarsy_service.problems import ProblemError
from tarsy_websocket_gateway.page_assets import Asset, Page

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
ASK_AGAIN = "no-cache"
FOR_EVER = "public, max-age=31536000, immutable"
READ = ("GET", "HEAD")

type SessionId = Annotated[str, Path(max_length=200, pattern=r"^[A-Za-z0-9._-]+$")]


def page_routes(page: Page) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.api_route("/", methods=list(READ))
    async def sessions() -> Response:
        return _answer(page.index, ASK_AGAIN)

    @router.api_route("/servers", methods=list(READ))
    async def servers() -> Response:
        return _answer(page.index, ASK_AGAIN)

    @router.api_route("/sessions/{session_id}", methods=list(READ))
    async def session(session_id: SessionId) -> Response:
        """The page itself asks whether there is such a session."""
        return _answer(page.index, ASK_AGAIN)

    @router.api_route("/assets/{version}/{path:path}", methods=list(READ))
    async def asset(version: str, path: str) -> Response:
        """Another version's are not here: better none than a mixture."""
        found = page.assets.get(path) if version == page.version else None
        if found is None:
            raise ProblemError(404, "Not found", "There is no such file in this version of the page.")
        return _answer(found, FOR_EVER)

    return router


def _answer(asset: Asset, cached: str) -> Response:
    return Response(asset.body, media_type=asset.media_type, headers={**HEADERS, "Cache-Control": cached})
