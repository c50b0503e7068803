"""Base path: the path below which TARSy has its addresses, on a name that others use, too
(https://ops.example/tarsy/).
"""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

FORM = re.compile(r"(/[A-Za-z0-9_-]+)+")
PAGES = ("assets", "login", "logout", "memories", "review", "servers", "sessions", "submit", "system", "usage")
OWN = frozenset({"api", "docs", "health", "internal", "mcp", "metrics", "ready", "redoc", *PAGES})
"""First segments of our own addresses: below one of them a request could be meant in two ways."""
BASE_PATH = "tarsy_base_path"
"""The key of a scope."""


def read_base_path(written: str) -> str:
    """As `/tarsy`; empty for no path. Raises ValueError, with a sentence for the operator."""
    stripped = written.strip().strip("/")
    if not stripped:
        return ""
    path = f"/{stripped}"
    if not FORM.fullmatch(path):
        raise ValueError("a path such as /tarsy, of letters, digits, - and _, without scheme and host")
    if (first := stripped.split("/")[0]) in OWN:
        raise ValueError(f"a path such as /tarsy: addresses of TARSy itself begin with /{first}")
    return path


def without_base_path(path: str, base_path: str) -> str:
    """The address within TARSy, with its query. One that is not below the base path is within already."""
    rest = path.removeprefix(base_path)
    if not path.startswith(base_path) or rest[:1] not in ("", "/", "?", "#"):
        return path
    return rest if rest.startswith("/") else f"/{rest}"


def spellings_of(request: str, base_path: str) -> set[str]:
    """The beginning of a request (`POST /api/v1/alerts`), below the base path and without it."""
    method, path = request.split(" ")
    return {request, f"{method} {base_path}{path}"}


def base_path_of(scope: Scope) -> str:
    found: str = scope.get(BASE_PATH, "")
    return found


class BasePath:
    """An ASGI middleware, the outermost: behind it addresses are those of a TARSy without a base path.

    A request without the path is answered, too: a proxy has taken it away, or one of our own services asks.
    """

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        self._base_path = base_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            raw: bytes = scope.get("raw_path") or b""
            within = {
                "path": without_base_path(scope["path"], self._base_path),
                "raw_path": without_base_path(raw.decode("latin-1"), self._base_path).encode("latin-1"),
            }
            scope = {**scope, BASE_PATH: self._base_path, **within}
        await self._app(scope, receive, send)
