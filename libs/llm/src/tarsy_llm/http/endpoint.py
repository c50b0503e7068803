"""Endpoint of a server that is asked with our own bodies: one streamed request. All are asked alike, and fail alike."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from typing import Protocol, cast

from pydantic import JsonValue

from tarsy_llm.http.answer_bodies import HtmlAnswerError, answer_events
from tarsy_llm.http.answer_budget import AnswerBudget
from tarsy_llm.http.http_errors import correct_status, error_of_status, sentence
from tarsy_llm.http.lenient_model import parse_json
from tarsy_llm.http.sse import EventTooLongError, ServerSentEvent
from tarsy_llm.protocol import ErrorKind, LlmCallError

type Body = Mapping[str, JsonValue]

MOST_BODIES = 5
"""Limit of the forms in which one request is tried."""


class Streamed(Protocol):
    def iter_bytes(self) -> AsyncIterator[bytes]: ...


class _Response(Protocol):
    @property
    def status_code(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...


class _StatusProblem(Protocol):
    response: _Response
    body: object


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Its function to ask, and its exceptions: for a refusal, where nobody answers, and for an answer that breaks
    off. `secret` is left out of every sentence. `budget` is that of the one answer. `decode`: events of a body."""

    provider: str
    ask: Callable[[Body], AbstractAsyncContextManager[Streamed]]
    status_error: type[Exception]
    connection_error: type[Exception]
    broken: type[Exception]
    secret: str | None
    budget: AnswerBudget
    decode: Callable[[AsyncIterator[bytes]], AsyncGenerator[ServerSentEvent]] = answer_events


async def stream_events(
    endpoint: Endpoint, body: Body, fallback_body: Callable[[LlmCallError], Body | None]
) -> AsyncGenerator[ServerSentEvent]:
    """Raises LlmCallError. `fallback_body` says what to send after a refusal of a body; None to give up."""
    for attempt in range(MOST_BODIES):
        try:
            async with aclosing(_once(endpoint, body)) as stream:
                async for event in stream:
                    yield event
            return
        except LlmCallError as refusal:
            instead = fallback_body(refusal) if attempt + 1 < MOST_BODIES else None
            if instead is None:
                raise
            body = instead


async def _once(endpoint: Endpoint, body: Body) -> AsyncGenerator[ServerSentEvent]:
    kind: ErrorKind = "provider_error"
    try:
        async with endpoint.ask(body) as response, aclosing(_events(endpoint, response)) as stream:
            async for event in stream:
                yield event
                kind = "cut_off"
    except endpoint.status_error as problem:
        raise _refused(endpoint, cast(_StatusProblem, problem)) from None
    except endpoint.connection_error as problem:
        # The SDK's own words say nothing; what it has wrapped does.
        cause = problem.__cause__ or problem
        message = sentence(f"{endpoint.provider} cannot be reached", _described(cause), secret=endpoint.secret)
        raise LlmCallError(message, kind="provider_error") from None
    except EventTooLongError:
        raise endpoint.budget.make_error() from None
    except HtmlAnswerError as page:
        what = f"{endpoint.provider} answered with an HTML page instead of an answer: is `base_url` right"
        raise LlmCallError(sentence(what, page.title, secret=endpoint.secret), kind="provider_error") from None
    except endpoint.broken as problem:
        cause = problem.__cause__ or problem
        message = sentence(f"the answer of {endpoint.provider} broke off", _described(cause), secret=endpoint.secret)
        raise LlmCallError(message, kind=kind) from None


def _events(endpoint: Endpoint, response: Streamed) -> AsyncGenerator[ServerSentEvent]:
    return endpoint.decode(endpoint.budget.count_bytes(response.iter_bytes()))


def _refused(endpoint: Endpoint, problem: _StatusProblem) -> LlmCallError:
    status = problem.response.status_code
    details = (error_code(problem.body, "code"), error_code(problem.body, "type"), error_message(problem.body))
    message = sentence(f"{endpoint.provider} answered {status}", details[-1], secret=endpoint.secret)
    return error_of_status(correct_status(status, " ".join(details)), problem.response.headers, message)


def error_message(body: object) -> str:
    """The message of an error object, wherever it is: `{"error": {"message": ...}}`, `{"message": ...}`, or text."""
    match body:
        case [first, *_]:
            return error_message(first)
        case {"error": inner} if inner:
            return error_message(inner)
        case {"message": str(message), "metadata": {"raw": raw} as metadata} if raw:
            # OpenRouter: what the provider behind it said.
            named = metadata.get("provider_name")
            return f"{message}{f' ({named})' if named else ''}: {error_message(_parsed(raw))}"
        case {"message": str(message), "failed_generation": str(generated)}:
            return f"{message} (tool_use_failed: {generated})"
        case {"message": str(message)} | {"Message": str(message)} | {"detail": str(message)}:
            return message
        case None:
            return ""
        case _:
            return str(body)


def error_code(body: object, key: str) -> str:
    """The code or type of an error object; empty where there is none."""
    match body:
        case [first, *_]:
            return error_code(first, key)
        case {"error": dict(inner)}:
            return error_code(inner, key)
        case dict() if isinstance(body.get(key), str | int):
            return str(body[key])
        case _:
            return ""


def _parsed(raw: object) -> object:
    try:
        return parse_json(raw) if isinstance(raw, str) else raw
    except ValueError:
        return raw


def _described(problem: BaseException) -> str:
    return f"{type(problem).__name__} {problem}".strip()
