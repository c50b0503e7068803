"""The same body where nobody can be told what is wrong with it: on the alerts topic, and inside of a CloudEvent.

A mistake in a field that an alert can do without costs nothing but that field: the agent reads the whole body then, as
it came. A runbook from elsewhere, or a server that does not exist, is told in the session.
"""

from dataclasses import dataclass
from typing import TypeGuard

import structlog
from pydantic import JsonValue

from tarsy_ingest.incoming import Refused, validated, web_address
from tarsy_ingest.submission import Submission

log = structlog.get_logger(__name__)

DISPENSABLE = frozenset({"runbook", "mcp", "priority"})
LATER_FIELD = "priority"
"""Before it was ours, a record that had it was text for the agent; with data of another kind than ours it still is."""


@dataclass(frozen=True, slots=True)
class Understood:
    """`data` is what the agent reads."""

    submission: Submission
    data: JsonValue


def looks_like_submission(value: JsonValue) -> TypeGuard[dict[str, JsonValue]]:
    if not isinstance(value, dict) or "data" not in value or not value.keys() <= Submission.model_fields.keys():
        return False
    return LATER_FIELD not in value or isinstance(value["data"], str)


def understood(value: dict[str, JsonValue]) -> Understood:
    """Raises Refused."""
    wrong = _wrong_fields(value)
    submission = validated(Submission, {name: given for name, given in value.items() if name not in wrong})
    if not wrong:
        return Understood(submission, submission.data)
    log.warning("alert.fields_left_out", fields=sorted(wrong))
    return Understood(submission, value)


def submission_in(data: JsonValue) -> Understood | None:
    """What a CloudEvent carries, if it is of ours. Its form is the sender's own: nothing of it is refused."""
    try:
        found = understood(data) if looks_like_submission(data) else None
    except Refused:
        return None
    return found if found is not None and found.submission.data.strip() else None


def _wrong_fields(value: dict[str, JsonValue]) -> frozenset[str]:
    wrong: set[str] = set()
    try:
        validated(Submission, value)
    except Refused as problem:
        wrong = {str(place[0]) for place, _ in problem.mistakes if place}
    runbook = value.get("runbook")
    if runbook and isinstance(runbook, str) and web_address(runbook) is None:
        wrong.add("runbook")
    return DISPENSABLE & wrong
