"""Errors of Gemini's SDK as `LlmCallError`. Imports the SDK."""

import re
from collections.abc import Iterator, Mapping

import httpx2
from google.genai import errors
from pydantic import ValidationError

from tarsy_llm.http.http_errors import correct_status, error_of_status, sentence
from tarsy_llm.protocol import ErrorKind, LlmCallError

# Over an error in the stream that has no code the SDK trips with a TypeError or AttributeError.
UNREADABLE = (errors.UnknownApiResponseError, ValidationError, UnicodeDecodeError, TypeError, AttributeError)
FAILURES = (errors.APIError, httpx2.HTTPError, httpx2.StreamError, OSError, *UNREADABLE)

DELAY = re.compile(r"(\d+(?:\.\d+)?)s")


def error_of(problem: Exception, *, otherwise: ErrorKind, key: str) -> LlmCallError:
    """`otherwise`: the kind of a failure that is nobody's fault; it depends on what has come before."""
    if isinstance(problem, errors.APIError):
        return _of_api(problem, otherwise, key)
    if isinstance(problem, UNREADABLE):
        return LlmCallError(f"Gemini sent what cannot be read ({type(problem).__name__})", kind=otherwise)
    what = "Gemini cannot be reached" if otherwise == "provider_error" else "the answer of Gemini broke off"
    return LlmCallError(sentence(what, f"{type(problem).__name__} {problem}".strip(), secret=key), kind=otherwise)


def _of_api(problem: errors.APIError, otherwise: ErrorKind, key: str) -> LlmCallError:
    code = problem.code or 500
    message = problem.message or problem.details or ""
    what = " ".join(f"Gemini answered {code} {problem.status or ''}".split())
    headers: Mapping[str, str] = getattr(problem.response, "headers", None) or {}
    error = error_of_status(correct_status(code, str(message)), headers, sentence(what, str(message), secret=key))
    details = list(_details(problem.details))
    if any(str(detail.get("reason", "")).startswith("API_KEY_") for detail in details):
        error.kind = "credentials"
    elif error.kind == "provider_error":
        error.kind = otherwise
    if error.retry_after_seconds is None:
        error.retry_after_seconds = _retry_delay(details)
    return error


def _details(body: object) -> Iterator[dict[str, object]]:
    match body:
        case {"error": {"details": list(details)}}:
            yield from (detail for detail in details if isinstance(detail, dict))
        case _:
            return


def _retry_delay(details: list[dict[str, object]]) -> float | None:
    """Gemini says it in the body, not in a header."""
    for detail in details:
        found = DELAY.fullmatch(str(detail.get("retryDelay", "")))
        if found:
            return float(found[1])
    return None
