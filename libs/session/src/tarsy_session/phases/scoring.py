"""The judgement of a finished investigation: one question to a judge, whose answer is a score. Pure."""

import hashlib

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.scores import SCORING
from tarsy_session.phases.after_the_end import build_phase
from tarsy_session.scoring.answer import read_score
from tarsy_session.scoring.facts import find_facts, list_known_calls
from tarsy_session.scoring.prompts import compose_judgement, instruct_judge
from tarsy_session.state import AtRest, Execution, Investigating

MOST_TRIES = 2
"""Runs by the rule: an answer that cannot be read is asked for once more. People may ask further."""


def _is_due(state: AtRest) -> bool:
    started = state.started
    if started is None or started.chain.scoring is None or not isinstance(state.ended, e.SessionCompleted):
        return False
    runs = [run for run in state.phase_runs if run.requested.phase == SCORING and run.completed is not None]
    if len(runs) >= MOST_TRIES or any(run.completed is not None and run.completed.status != "failed" for run in runs):
        return False
    return _draw_share(state.id_root) < started.chain.scoring_rate


def _draw_share(id_root: str) -> float:
    """A number from 0 to below 1, the same whoever asks."""
    return int.from_bytes(hashlib.sha256(f"scoring/{id_root}".encode()).digest()[:6]) / 2**48


def _read(state: Investigating, execution: Execution, answer: str) -> JsonValue:
    found = read_score(answer, find_facts(state), list_known_calls(state), execution.llm_provider)
    result: JsonValue = found.model_dump(mode="json")
    return result


PHASE = build_phase(
    SCORING,
    stage="Scoring",
    stage_type=SCORING,
    agent=lambda chain: chain.scoring,
    instruct=instruct_judge,
    task=compose_judgement,
    read=_read,
    seconds=lambda limits: limits.reply_seconds,
    due=_is_due,
)
