"""Lenient reading of a submission, where nobody can be told what is wrong: on the alerts topic, inside a CloudEvent.

A mistake in an optional field costs only that field. The agent then reads the whole body, unchanged. A runbook from
elsewhere, a server or an LLM provider that does not exist is told in the session. On the
alerts topic such a provider is refused, like an alert type.
"""

from dataclasses import dataclass
from typing import TypeGuard

import structlog
from pydantic import JsonValue

from tarsy_ingest.formats.submission import Submission
from tarsy_ingest.raw_alert import AlertRejectedError, validate, web_address

log = structlog.get_logger(__name__)

DISPENSABLE = frozenset({"runbook", "mcp", "priority", "title", "severity", "llm_provider"})
LATER_FIELDS = frozenset({"priority", "title", "severity", "llm_provider"})
"""Before they were ours, a record with them was text for the agent; with data of another kind than ours it still is."""


@dataclass(frozen=True, slots=True)
class LenientSubmission:
    """`data` is what the agent reads."""

    submission: Submission
    data: JsonValue


def looks_like_submission(value: JsonValue) -> TypeGuard[dict[str, JsonValue]]:
    if not isinstance(value, dict) or "data" not in value or not value.keys() <= Submission.model_fields.keys():
        return False
    return LATER_FIELDS.isdisjoint(value) or isinstance(value["data"], str)


def read_leniently(value: dict[str, JsonValue]) -> LenientSubmission:
    """Raises AlertRejectedError."""
    wrong = _find_wrong_fields(value)
    submission = validate(Submission, {name: given for name, given in value.items() if name not in wrong})
    if not wrong:
        return LenientSubmission(submission, submission.data)
    log.warning("alert.fields_left_out", fields=sorted(wrong))
    return LenientSubmission(submission, value)


def submission_in(data: JsonValue) -> LenientSubmission | None:
    """The submission in a CloudEvent, if there is one. Its form is the sender's own: nothing of it is refused."""
    try:
        found = read_leniently(data) if looks_like_submission(data) else None
    except AlertRejectedError:
        return None
    return found if found is not None and found.submission.data.strip() else None


def _find_wrong_fields(value: dict[str, JsonValue]) -> frozenset[str]:
    wrong: set[str] = set()
    try:
        validate(Submission, value)
    except AlertRejectedError as problem:
        wrong = {str(path[0]) for path, _ in problem.mistakes if path}
    runbook = value.get("runbook")
    if runbook and isinstance(runbook, str) and web_address(runbook) is None:
        wrong.add("runbook")
    return DISPENSABLE & wrong
