"""HTTP errors as problem details (RFC 9457)."""

from starlette.responses import JSONResponse

from tarsy_service.errors import ServiceError

CLIENT_GONE = 499
"""As proxies name it: no error of ours."""
MEDIA_TYPE = "application/problem+json"


class ProblemError(ServiceError):
    """Raised by a handler that answers with a problem. `pointer` is a JSON pointer into the request's body.

    The caller of the API acts on `status`.
    """

    def __init__(self, status: int, title: str, detail: str, *, pointer: str | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.title = title
        self.detail = detail
        self.pointer = pointer


def problem_response(status: int, title: str, detail: str, errors: list[dict[str, str]] | None = None) -> JSONResponse:
    body: dict[str, object] = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
        "message": detail,  # where clients of Go TARSy look
    }
    if errors:
        body["errors"] = errors
    return JSONResponse(body, status_code=status, media_type=MEDIA_TYPE)
