"""Every error of an app as a problem, with a pointer to the field where there is one."""

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from tarsy_service.http.problems import CLIENT_GONE, ProblemError, problem_response


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
        errors = [{"detail": str(row["msg"]), "pointer": _json_pointer(row["loc"])} for row in problem.errors()]
        return problem_response(400, "Invalid request", "; ".join(_describe_error(row) for row in errors), errors)

    @app.exception_handler(HTTPException)
    async def http(_: Request, problem: HTTPException) -> JSONResponse:
        answer = problem_response(problem.status_code, str(problem.detail), str(problem.detail))
        # `Allow` of a 405.
        answer.headers.update(problem.headers or {})
        return answer


def _json_pointer(path: tuple[str | int, ...]) -> str:
    """FastAPI's place begins with where the value was looked for (body, query, path); a pointer does not."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path[1:])


def _describe_error(error: dict[str, str]) -> str:
    return f"{error['pointer'] or '/'}: {error['detail']}"
