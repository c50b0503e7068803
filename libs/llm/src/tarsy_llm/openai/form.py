"""Form of a request that one server takes, as its refusals teach it. Each line of LESSONS is one thing to learn."""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Literal

type LimitKey = Literal["max_tokens", "max_completion_tokens"]

LEAST_OUTPUT = 1_024
"""Less room for an answer is none: the conversation is too long."""
OPTIONAL_KEYS = ("stream_options", "reasoning_effort", "tool_choice")
UNKNOWN_LIMIT = re.compile(
    r"unsupported|not supported|unrecognized|unknown|not permitted|unexpected|extra|not allowed|instead", re.IGNORECASE
)
LIMIT_KEY = re.compile(r"max_(?:completion_)?tokens")
ROLES = re.compile(
    r"roles must alternate|unexpected role|expected last role|system role (?:is )?not supported|after role",
    re.IGNORECASE,
)
OUTPUT = (
    re.compile(r"\(\d+ > (\d+) - (\d+)\)"),
    re.compile(
        r"context length is (\d+) tokens[^(]*\((\d+) (?:of text input|in the messages|in your prompt)", re.IGNORECASE
    ),
    re.compile(r"supports at most (\d+) completion tokens", re.IGNORECASE),
    re.compile(
        r"max_(?:completion_)?tokens\W[^.]{0,60}?(?:less than or equal to|at most|<=|maximum(?: value)?(?: is| of)?)"
        r"\D{0,12}(\d+)"
    ),
)
"""vLLM; OpenAI; Groq and others: how many tokens of output a request may want."""


@dataclass(frozen=True, slots=True)
class RequestForm:
    """`without`: optional keys that the server does not know. `strict_roles`: its template wants turns to alternate.

    `signed`: calls without a thought signature get the one that Google documents for calls of other models.
    """

    limit_key: LimitKey
    most_output: int | None = None
    without: frozenset[str] = frozenset()
    strict_roles: bool = False
    signed: bool = False


def learn_form(form: RequestForm, message: str) -> RequestForm | None:
    """Returns the form to ask in once more; None where the refusal teaches nothing."""
    for lesson in LESSONS:
        taught = lesson(form, message)
        if taught is not None and taught != form:
            return taught
    return None


def changes(before: RequestForm, after: RequestForm) -> dict[str, object]:
    """Returns the fields of the form that differ, with what was learned."""
    return {
        one.name: sorted(value) if isinstance(value := getattr(after, one.name), frozenset) else value
        for one in fields(after)
        if getattr(before, one.name) != getattr(after, one.name)
    }


def _output(form: RequestForm, message: str) -> RequestForm | None:
    for pattern in OUTPUT:
        if found := pattern.search(message):
            numbers = [int(number) for number in found.groups()]
            most = numbers[0] - sum(numbers[1:])
            return replace(form, most_output=most) if most >= LEAST_OUTPUT else None
    return None


def _limit_key(form: RequestForm, message: str) -> RequestForm | None:
    if not (LIMIT_KEY.search(message) and UNKNOWN_LIMIT.search(message)):
        return None
    wanted: LimitKey = "max_tokens" if form.limit_key == "max_completion_tokens" else "max_completion_tokens"
    refused = re.search(rf"\b{form.limit_key}\b", message)
    return replace(form, limit_key=wanted) if refused else None


def _roles(form: RequestForm, message: str) -> RequestForm | None:
    return replace(form, strict_roles=True) if ROLES.search(message) else None


def _keys(form: RequestForm, message: str) -> RequestForm | None:
    named = {key for key in OPTIONAL_KEYS if key in message}
    return replace(form, without=form.without | named) if named else None


def _signature(form: RequestForm, message: str) -> RequestForm | None:
    return replace(form, signed=True) if "thought_signature" in message else None


LESSONS: tuple[Callable[[RequestForm, str], RequestForm | None], ...] = (_output, _limit_key, _roles, _keys, _signature)
