"""How long a provider that failed is waited for, and what counts as an answer."""

import pytest

from tarsy_contracts.conversation import Usage
from tarsy_llm.protocol import Answer, ErrorKind, LlmCallError
from tarsy_summarizer.models import require_text
from tarsy_summarizer.retry_waits import wait_of_first_choice, wait_of_the_last

LONG = 300.0


def failed(kind: ErrorKind, after: float | None = None) -> LlmCallError:
    return LlmCallError("it failed", kind=kind, retry_after_seconds=after)


def answer(text: str, *, cut: bool = False) -> Answer:
    return Answer(thinking="", text=text, tool_calls=(), usage=Usage(), model="m", cut=cut)


@pytest.mark.parametrize(
    ("kind", "after", "left", "wait"),
    [
        ("rate_limited", 2.5, LONG, 2.5),
        ("rate_limited", 10.0, LONG, 10.0),
        ("rate_limited", 10.5, LONG, None),
        ("rate_limited", 5.0, 5.0, None),
        ("rate_limited", None, LONG, None),
        ("provider_error", 2.5, LONG, None),
        ("credentials", 2.5, LONG, None),
    ],
)
def test_while_another_can_be_asked_only_a_short_wait_for_a_rate_limit_is_worth_it(
    kind: ErrorKind, after: float | None, left: float, wait: float | None
) -> None:
    assert wait_of_first_choice(failed(kind, after), left) == wait


@pytest.mark.parametrize(
    ("kind", "after", "left", "wait"),
    [
        ("provider_error", None, LONG, 1.0),
        ("stalled", None, LONG, 1.0),
        ("rate_limited", None, LONG, 1.0),
        ("rate_limited", 4.0, LONG, 4.0),
        ("provider_error", 0.1, LONG, 1.0),
        ("provider_error", 11.0, LONG, None),
        ("provider_error", None, 1.0, None),
        ("credentials", None, LONG, None),
        ("invalid_request", None, LONG, None),
        ("refused", None, LONG, None),
    ],
)
def test_the_last_one_is_asked_again_when_its_failure_may_pass_soon(
    kind: ErrorKind, after: float | None, left: float, wait: float | None
) -> None:
    assert wait_of_the_last(failed(kind, after), left) == wait


def test_an_answer_without_text_is_none() -> None:
    assert require_text(answer("It restarts.")).text == "It restarts."
    assert require_text(answer("It rest", cut=True)).text == "It rest"
    with pytest.raises(LlmCallError, match="with nothing"):
        require_text(answer(" \n"))
