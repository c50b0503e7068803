"""Citations: the marks with which a text names the calls that its claims come from, such as `[call 7]`. Pure."""

import re

CITATION = re.compile(r"\s?\[call \d{1,9}(?:, call \d{1,9})*+\]")
"""With the blank or line break before it. The page has the same pattern."""


def cite(number: int) -> str:
    """`number` is that of the call in its session (`tool_call.requested`)."""
    return f"[call {number}]"


def without_citations(text: str) -> str:
    """For places where nobody can follow them: a line in a list, a message in Slack."""
    return CITATION.sub("", text)
