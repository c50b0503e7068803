"""Facts of stages that act: counted from calls of tools that change something."""

from typing import Annotated

from pydantic import Field, JsonValue

from tarsy_contracts.wire.message import Value
from tarsy_contracts.wire.numbers import Count, Seconds

ACT, PROPOSE = "act", "propose"
ACTION_MODES = (ACT, PROPOSE)
ActionMode = Annotated[str, Field(examples=[*ACTION_MODES])]
"""Whether calls of an action agent are made, or all end as proposals. Empty: the agent only investigates."""

VERDICTS = ("acted", "recommended", "nothing_to_do", "blocked")
Verdict = Annotated[str, Field(examples=[*VERDICTS])]
"""`acted`: a call ran, or may have. `recommended`: calls were proposed. `blocked`: all were denied, held or failed."""

CALL_RESULTS = ("done", "failed", "denied", "unknown", "proposed")
CallResult = Annotated[str, Field(examples=[*CALL_RESULTS])]
"""`failed`: the tool answered with an error, or could not be asked. `denied`: a person, the kill switch, a limit or a
dry run kept it from being made."""

PAUSE, LIMIT, DRY_RUN = "pause", "limit", "dry_run"
HELD_BY = (PROPOSE, PAUSE, LIMIT, DRY_RUN)
HeldBy = Annotated[str, Field(examples=[*HELD_BY])]
"""Why TARSy itself did not make a call. Empty where it did, or where somebody else kept it from that."""

MOST_CALLS = 50
"""Limit of the calls that are named; all are counted."""


class ActionCall(Value):
    """A call of a tool that changes something. `approved_by`: the person who said yes, if one was asked."""

    call_id: str
    server: str
    tool: str
    result: CallResult
    approved_by: str = ""


class VerificationRule(Value):
    """How to see whether an action helped: a call of a tool that only reads, so many seconds after the last action.

    Texts of `arguments` may name facts of the alert, as `{query}`. It helped where the result has all of `contains`,
    and none of `lacks`.
    """

    server: str
    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    after_seconds: Seconds = 60.0
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


HELPED = ("yes", "no", "unknown")
Helped = Annotated[str, Field(examples=[*HELPED])]
"""Empty where nobody looked."""


class ActionOutcome(Value):
    """Outcome of a stage that acts. `calls` are the first of them.

    `helped`: what the call `verified_by` showed afterwards; `not_verified` says why it is unknown.
    """

    verdict: Verdict
    done: Count = 0
    failed: Count = 0
    denied: Count = 0
    unknown: Count = 0
    proposed: Count = 0
    calls: tuple[ActionCall, ...] = ()
    helped: Helped = ""
    verified_by: str = ""
    not_verified: str = ""


def verdict_of(*, done: int, unknown: int, proposed: int, others: int) -> str:
    """`others`: calls that were denied, held or failed."""
    if done or unknown:
        return "acted"
    if proposed:
        return "recommended"
    return "blocked" if others else "nothing_to_do"


def describe_action(outcome: ActionOutcome) -> str:
    """Returns the verdict and its numbers in a line for people."""
    counts = {name: getattr(outcome, name) for name in CALL_RESULTS}
    numbers = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    people = ", ".join(dict.fromkeys(call.approved_by for call in outcome.calls if call.approved_by))
    verdict = outcome.verdict.replace("_", " ")
    helped = {"yes": "; it helped", "no": "; it did not help", "unknown": "; nobody knows whether it helped"}
    parts = (
        f": {numbers}" if numbers else "",
        f"; approved by {people}" if people else "",
        helped.get(outcome.helped, ""),
    )
    return f"{verdict}{''.join(parts)}"
