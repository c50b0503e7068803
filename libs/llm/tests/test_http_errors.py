"""A status says what kind of failure it is, and how long the provider asked us to wait."""

from datetime import UTC, datetime

import pytest

from tarsy_llm.http.http_errors import correct_status, error_of_status, kind_of_status, retry_after_seconds, sentence
from tarsy_llm.protocol import ErrorKind

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "statuses"),
    [
        ("credentials", (401, 402, 403)),
        ("rate_limited", (429,)),
        ("invalid_request", (400, 404, 405, 413, 422)),
        ("provider_error", (408, 409, 499, 500, 502, 503, 504, 529, 302)),
    ],
)
def test_each_status_has_its_kind(kind: ErrorKind, statuses: tuple[int, ...]) -> None:
    assert {status: kind_of_status(status) for status in statuses} == dict.fromkeys(statuses, kind)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"Retry-After-Ms": "250", "Retry-After": "7"}, 0.25),
        ({"Retry-After": "Sun, 01 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"Retry-After": "Sun, 01 Mar 2026 12:00:30 -0000"}, 30.0),
        ({"Retry-After": "Sun, 01 Mar 2026 11:00:00 GMT"}, 0.0),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers, now=lambda: NOON) == seconds


def test_an_error_has_the_sentence_the_kind_and_the_pause() -> None:
    error = error_of_status(429, {"Retry-After": "7"}, "Gemini answered 429: slower", now=lambda: NOON)
    assert (str(error), error.kind, error.retry_after_seconds) == ("Gemini answered 429: slower", "rate_limited", 7.0)


def test_a_sentence_is_one_short_line() -> None:
    said = sentence("Gemini answered 400", "bad\n  request " + "x" * 1000)
    assert said.startswith("Gemini answered 400: bad request xxx")
    assert len(said) < 550


def test_a_sentence_never_holds_the_secret() -> None:
    across_the_cut = "x" * 494 + " hunter2-key"
    assert "hunt" not in sentence("Gemini answered 400", across_the_cut, secret="hunter2-key")
    assert sentence("Gemini answered 400", "no key hunter2 here", secret="hunter2") == (
        "Gemini answered 400: no key [key] here"
    )


def test_a_provider_that_said_nothing_leaves_what_happened() -> None:
    assert sentence("Gemini answered 500", " \n", secret="") == "Gemini answered 500"


@pytest.mark.parametrize(
    ("status", "said", "meant"),
    [
        (429, "insufficient_quota", 402),
        (403, "Your team has used all available credits", 402),
        (400, "Your credit balance is too low", 402),
        (400, "Incorrect API key provided: na***ys", 401),
        (429, "Request too large for gpt", 413),
        (429, "Rate limit reached for gpt: visit https://platform.openai.com/account/billing", 429),
        (400, "messages.3: field required", 400),
        (500, "insufficient_quota", 500),
    ],
)
def test_what_was_said_corrects_a_status_that_misleads(status: int, said: str, meant: int) -> None:
    assert correct_status(status, said) == meant
