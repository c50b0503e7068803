"""The page: an index for each of its addresses, and the assets behind it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from tarsy_service.http.accepted_encodings import best_encoding
from tarsy_service.http.problems import ProblemError
from tarsy_websocket_gateway.page_files.assets import Asset, Page
from tarsy_websocket_gateway.page_files.views import VIEWS

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
ASSET_HEADERS = {
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""They are sent a hundred times with the first view. The policy is for who opens the file of an icon by itself."""
INDEX_HEADERS = ASSET_HEADERS | {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
ASK_AGAIN = "no-cache"
FOR_EVER = "public, max-age=31536000, immutable"
READ = ("GET", "HEAD")
type SessionId = Annotated[str, Path(max_length=200, pattern=r"^[A-Za-z0-9._-]+$")]


def page_routes(page: Page) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    for address, view in VIEWS.items():
        named = _make_session_route if "{session_id}" in address else _make_index_route
        router.add_api_route(address, named(page.indexes[view]), methods=list(READ))

    @router.api_route("/assets/{version}/{path:path}", methods=list(READ))
    async def asset(version: str, path: str, request: Request) -> Response:
        """Another version's are not here: better none than a mixture."""
        found = page.assets.get(path) if version == page.version else None
        if found is None:
            raise ProblemError(404, "Not found", "There is no such file in this version of the page.")
        return _asset_response(found, ASSET_HEADERS | {"Cache-Control": FOR_EVER}, request)

    return router


def _make_index_route(index: Asset) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return _asset_response(index, INDEX_HEADERS | {"Cache-Control": ASK_AGAIN}, request)

    return answer


def _make_session_route(index: Asset) -> Callable[[SessionId, Request], Awaitable[Response]]:
    """The page itself asks whether there is such a session."""
    answer = _make_index_route(index)

    async def answer_by_id(session_id: SessionId, request: Request) -> Response:
        return await answer(request)

    return answer_by_id


def _asset_response(asset: Asset, headers: Mapping[str, str], request: Request) -> Response:
    encoding = best_encoding(request.headers.get("accept-encoding", ""), asset.encoded)
    headers = {**headers, "Vary": "Accept-Encoding"}
    if encoding is None:
        return Response(asset.body, media_type=asset.media_type, headers=headers)
    return Response(
        asset.encoded[encoding], media_type=asset.media_type, headers={**headers, "Content-Encoding": encoding}
    )
