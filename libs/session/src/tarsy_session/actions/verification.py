"""Verification: after the last action of a stage, a call that only reads shows whether it helped. Pure."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from urllib.parse import unquote_plus

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.actions import ActionOutcome, VerificationRule
from tarsy_contracts.alert import Alert
from tarsy_contracts.wire.ids import verification_id
from tarsy_session.actions.outcome import list_changing_calls, outcome_of
from tarsy_session.state import Investigating, Stage, ToolCallState

QUERY = re.compile(r"[?&](?:g0\.)?expr=([^&\s\"\\\\]{1,8000})")
"""The expression of a rule in the address of its graph, as Prometheus and its like send it with each alert."""
PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_.-]{0,100})\}")
NO_FACT = "the alert does not say its {names}"
NO_ANSWER = "the call that was to show it ended as {outcome}"
CUT = "the result of the call that was to show it was cut"
NOT_ENDED = "the stage ended before anybody looked"


def find_wait(state: Investigating, stage: Stage) -> tuple[datetime, datetime] | None:
    """Since when and until when the session waits for the effect; None where it does not wait."""
    rule = state.started.chain.verify
    if rule is None or not _is_wanted(state, stage) or _call_of(state, stage) is not None or _missing(state, rule):
        return None
    ended = [at for call in list_changing_calls(state, stage) if (at := call.completed_at) is not None]
    since = max(ended, default=state.life.opened_at)
    return since, since + timedelta(seconds=rule.after_seconds)


def is_under_way(state: Investigating, stage: Stage) -> bool:
    """Whether the stage ends only after somebody has looked."""
    call = _call_of(state, stage)
    return find_wait(state, stage) is not None or (call is not None and call.open)


def request_verification(state: Investigating, stage: Stage) -> Sequence[e.Event]:
    rule = state.started.chain.verify
    if rule is None:
        return []
    facts = alert_facts(state.started.alert)
    requested = e.ToolCallRequested(
        call_id=verification_id(stage.started.stage_id),
        execution_id=stage.executions[-1],
        llm_call_id="",
        server=rule.server,
        tool=rule.tool,
        arguments={name: _fill(value, facts) for name, value in rule.arguments.items()},
        repeatable=True,
        timeout_seconds=state.started.chain.limits.tool_call_seconds,
        read_only=True,
        verifies=stage.started.stage_id,
    )
    return [requested]


def find_verified_outcome(state: Investigating, stage: Stage) -> ActionOutcome | None:
    """Returns the outcome of the stage, and whether it helped."""
    outcome, rule = outcome_of(state, stage), state.started.chain.verify
    if outcome is None or outcome.verdict != "acted" or rule is None:
        return outcome
    call = _call_of(state, stage)
    if missing := _missing(state, rule):
        return outcome.model_copy(update={"helped": "unknown", "not_verified": missing})
    if call is None or call.completed is None:
        return outcome.model_copy(update={"helped": "unknown", "not_verified": NOT_ENDED})
    why = _why_unknown(call.completed)
    helped = "unknown" if why else "yes" if _fits(rule, call.completed.content) else "no"
    seen = {"helped": helped, "verified_by": call.requested.call_id, "not_verified": why}
    return outcome.model_copy(update=seen)


def alert_facts(alert: Alert) -> Mapping[str, str]:
    """Those that arguments may name. `query`: the expression of the alert's own rule."""
    query = QUERY.search(alert.data)
    found = {
        "query": "" if query is None else unquote_plus(query[1]),
        "title": alert.title,
        "cluster": alert.cluster,
        "namespace": alert.namespace,
        "workload": alert.workload,
    }
    labels = {f"labels.{name}": value for name, value in alert.labels.items()}
    return labels | {name: value for name, value in found.items() if value}


def _is_wanted(state: Investigating, stage: Stage) -> bool:
    outcome = outcome_of(state, stage)
    ended = stage.open and not any(one.open for one in state.executions_of(stage))
    return ended and outcome is not None and outcome.verdict == "acted"


def _call_of(state: Investigating, stage: Stage) -> ToolCallState | None:
    return state.calls.get(verification_id(stage.started.stage_id))


def _missing(state: Investigating, rule: VerificationRule) -> str:
    facts = alert_facts(state.started.alert)
    names = [name for value in rule.arguments.values() for name in _placeholders(value) if name not in facts]
    return NO_FACT.format(names=", ".join(dict.fromkeys(names))) if names else ""


def _placeholders(value: JsonValue) -> list[str]:
    match value:
        case str():
            return PLACEHOLDER.findall(value)
        case list():
            return [name for one in value for name in _placeholders(one)]
        case dict():
            return [name for one in value.values() for name in _placeholders(one)]
        case _:
            return []


def _fill(value: JsonValue, facts: Mapping[str, str]) -> JsonValue:
    match value:
        case str():
            return PLACEHOLDER.sub(lambda found: facts[found[1]], value)
        case list():
            return [_fill(one, facts) for one in value]
        case dict():
            return {name: _fill(one, facts) for name, one in value.items()}
        case _:
            return value


def _why_unknown(completed: e.ToolCallCompleted) -> str:
    if completed.outcome != "ok":
        return NO_ANSWER.format(outcome=completed.outcome)
    return CUT if completed.cut else ""


def _fits(rule: VerificationRule, content: str) -> bool:
    return all(text in content for text in rule.contains) and not any(text in content for text in rule.lacks)
