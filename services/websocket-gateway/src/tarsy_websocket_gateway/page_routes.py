"""The page: an index for each of its addresses, and the assets behind it."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from tarsy_service.accepted_encodings import best_encoding
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
ADDRESSES = ("/", "/servers", "/system", "/submit", "/usage")
"""Each shows the view that `routes.js` names."""

type SessionId = Annotated[str, Path(max_length=200, pattern=r"^[A-Za-z0-9._-]+$")]


def page_routes(page: Page) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    async def index(request: Request) -> Response:
        return _answer(page.index, ASK_AGAIN, request)

    for address in ADDRESSES:
        router.add_api_route(address, index, methods=list(READ))

    @router.api_route("/sessions/{session_id}", methods=list(READ))
    @router.api_route("/sessions/{session_id}/record", methods=list(READ))
    async def session(session_id: SessionId, request: Request) -> Response:
        """The page itself asks whether there is such a session."""
        return await index(request)

    @router.api_route("/assets/{version}/{path:path}", methods=list(READ))
    async def asset(version: str, path: str, request: Request) -> Response:
        """Another version's are not here: better none than a mixture."""
        found = page.assets.get(path) if version == page.version else None
        if found is None:
            raise ProblemError(404, "Not found", "There is no such file in this version of the page.")
        return _answer(found, FOR_EVER, request)

    return router


def _answer(asset: Asset, cached: str, request: Request) -> Response:
    encoding = best_encoding(request.headers.get("accept-encoding", ""), asset.encoded)
    headers = {**HEADERS, "Cache-Control": cached, "Vary": "Accept-Encoding"}
    if encoding is None:
        return Response(asset.body, media_type=asset.media_type, headers=headers)
    return Response(
        asset.encoded[encoding], media_type=asset.media_type, headers={**headers, "Content-Encoding": encoding}
    )
