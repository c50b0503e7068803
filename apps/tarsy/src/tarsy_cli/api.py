"""Client of the HTTP API for the commands. Each failure is one sentence."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
from pydantic import JsonValue

from tarsy_cli.credentials import explain_401, key_headers
from tarsy_cli.errors import CommandError
from tarsy_cli.verbosity import details

TIMEOUT_SECONDS = 30.0
RETRY_SECONDS = 30.0
PAUSE_SECONDS = 0.5
INTERRUPTED = frozenset({502, 503, 504})
SENTENCE_ENDS = (".", "?", "!")
CUT = (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError)

type ApiAnswer = dict[str, JsonValue]


class ApiError(CommandError):
    """The API refused, or could not be reached. The operator reads the message."""


class NotFoundError(ApiError):
    """The API does not know what was asked for."""


class UnreachableError(ApiError):
    """No server answers, or the connection was lost."""


class ConnectionCutError(UnreachableError):
    """Somebody answered there, and ended before the answer: a service that is killed is started again."""


class UnavailableError(ApiError):
    """The server answers, and is unavailable for now."""


def retry[T](
    ask: Callable[[], T],
    *kinds: type[ApiError],
    on_first_failure: Callable[[ApiError], None] = lambda _: None,
    seconds: float = RETRY_SECONDS,
) -> T:
    """Asks again after failures of these kinds: services are replaced within seconds."""
    limit = time.monotonic() + seconds
    first = True
    while True:
        try:
            return ask()
        except kinds as problem:
            if time.monotonic() > limit:
                raise
            if first:
                on_first_failure(problem)
            first = False
        time.sleep(PAUSE_SECONDS)


def get(url: str, **params: str | int) -> ApiAnswer:
    """Raises ApiError."""
    return _require_object(url, _request_json("GET", url, params=params))


def get_rows(url: str) -> list[JsonValue]:
    """An answer that is a list. Raises ApiError."""
    found = _request_json("GET", url)
    if not isinstance(found, list):
        raise _foreign_answer_error(url)
    return found


def post(url: str, body: JsonValue, *, idempotency_key: str | None = None) -> ApiAnswer:
    """Raises ApiError. With a key the request can be repeated: the second attempt gets the first one's answer."""
    headers = {"Idempotency-Key": idempotency_key} if idempotency_key else None
    return _require_object(url, _request_json("POST", url, body=body, headers=headers))


def delete(url: str, *, idempotency_key: str) -> ApiAnswer:
    """Raises ApiError. It can be repeated: the second time is the first one's."""
    return _require_object(url, _request_json("DELETE", url, headers={"Idempotency-Key": idempotency_key}))


def download(url: str, file: Path) -> int:
    """Writes what is answered to the file, whole or not at all; returns its size. Raises ApiError or OSError."""
    part = file.with_name(f"{file.name}.part")
    try:
        with (
            _translate_failures(url),
            httpx2.stream("GET", url, headers=key_headers(), timeout=TIMEOUT_SECONDS) as answer,
        ):
            if answer.status_code >= 400:
                answer.read()
                raise _refusal_error(url, answer)
            with part.open("wb") as target:
                size = sum(target.write(piece) for piece in answer.iter_bytes())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return size


def _request_json(
    method: str,
    url: str,
    *,
    body: JsonValue = None,
    params: dict[str, str | int] | None = None,
    headers: dict[str, str] | None = None,
) -> JsonValue:
    sent = {**key_headers(), **(headers or {})}
    with _translate_failures(url):
        answer = httpx2.request(method, url, json=body, params=params, headers=sent, timeout=TIMEOUT_SECONDS)
    if answer.status_code >= 400:
        raise _refusal_error(url, answer)
    try:
        found: JsonValue = answer.json()
    except ValueError:
        raise _foreign_answer_error(url) from None
    return found


def _require_object(url: str, found: JsonValue) -> ApiAnswer:
    if not isinstance(found, dict):
        raise _foreign_answer_error(url)
    return found


def _foreign_answer_error(url: str) -> ApiError:
    return ApiError(f"The server does not answer as a TARSy does. Is the address right?{details(url)}")


@contextmanager
def _translate_failures(url: str) -> Iterator[None]:
    try:
        yield
    except CUT as problem:
        text = f"The connection ended before an answer came. The request may have been done: repeat it.{details(url)}"
        raise ConnectionCutError(text) from problem
    except (httpx2.HTTPError, httpx2.InvalidURL) as problem:
        asked = details(f"{url}: {str(problem) or type(problem).__name__}")
        no_address = isinstance(problem, httpx2.InvalidURL | httpx2.UnsupportedProtocol)
        raise (ApiError if no_address else UnreachableError)(
            f"TARSy could not be reached. Does it run, and is the address right?{asked}"
        ) from problem


def _refusal_error(url: str, answer: httpx2.Response) -> ApiError:
    remedy = f" {explain_401()}" if answer.status_code == 401 else ""
    asked = details(f"{answer.status_code} from {url}")
    return _error_class_of_status(answer.status_code)(f"{_problem_sentence(answer)}{remedy}{asked}")


def _error_class_of_status(status: int) -> type[ApiError]:
    if status == 404:
        return NotFoundError
    return UnavailableError if status in INTERRUPTED else ApiError


def _problem_sentence(answer: httpx2.Response) -> str:
    """The API's own sentence, else the beginning of whatever was sent."""
    try:
        body = answer.json()
    except ValueError:
        body = None
    detail = body.get("detail") if isinstance(body, dict) else None
    if not isinstance(detail, str) or not detail:
        return f"The server answered {answer.status_code}: {answer.text[:500]}"
    return f"{detail[0].upper()}{detail[1:]}{'' if detail.endswith(SENTENCE_ENDS) else '.'}"
