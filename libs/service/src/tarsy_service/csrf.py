"""Protection against cross-site requests (CSRF): a page of another site must not act for whoever has it open."""

from starlette.types import ASGIApp, Receive, Scope, Send

from tarsy_service.problems import problem_response

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OTHER_SITES = frozenset({b"cross-site", b"same-site"})


class CsrfProtection:
    """An ASGI middleware. Browsers say where a request comes from (`Sec-Fetch-Site`); no other client has to."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in SAFE_METHODS and _sites(scope) & OTHER_SITES:
            answer = problem_response(403, "Forbidden", "The request comes from a page of another site.")
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _sites(scope: Scope) -> set[bytes]:
    return {value for name, value in scope["headers"] if name == b"sec-fetch-site"}
