"""HTTP errors as problem details (RFC 9457), with a pointer to the field where there is one."""

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

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


def install_problem_handlers(app: FastAPI) -> None:
    """Every error that the app answers becomes a problem: ours, FastAPI's, and the router's 404 and 405."""

    @app.exception_handler(ProblemError)
    async def ours(_: Request, problem: ProblemError) -> JSONResponse:
        errors = [{"detail": problem.detail, "pointer": problem.pointer}] if problem.pointer is not None else None
        return problem_response(problem.status, problem.title, problem.detail, errors)

    @app.exception_handler(ClientDisconnect)
    async def gone(_: Request, __: ClientDisconnect) -> Response:
        return Response(status_code=CLIENT_GONE)  # to nobody: for the metrics

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, problem: RequestValidationError) -> JSONResponse:
        errors = [{"detail": str(row["msg"]), "pointer": _pointer(row["loc"])} for row in problem.errors()]
        return problem_response(400, "Invalid request", "; ".join(_sentence(row) for row in errors), errors)

    @app.exception_handler(HTTPException)
    async def http(_: Request, problem: HTTPException) -> JSONResponse:
        answer = problem_response(problem.status_code, str(problem.detail), str(problem.detail))
        # `Allow` of a 405.
        answer.headers.update(problem.headers or {})
        return answer


def _pointer(place: tuple[str | int, ...]) -> str:
    """FastAPI's place begins with where the value was looked for (body, query, path); a pointer does not."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in place[1:])


def _sentence(error: dict[str, str]) -> str:
    return f"{error['pointer'] or '/'}: {error['detail']}"
