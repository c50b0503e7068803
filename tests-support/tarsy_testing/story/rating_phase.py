"""A phase after the end that only tests have: by a rule, one agent rates what a completed investigation found."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from unittest.mock import patch

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain
from tarsy_session import phases
from tarsy_session.phases.after_the_end import build_phase, has_completed
from tarsy_session.state import AtRest, Investigating, Stage

RATING = "rating"
RATER = "RatingAgent"
ANSWER = '{"rating": 7}'
RESULT = {"rating": 7}


def _rater(chain: ResolvedChain) -> ResolvedAgent:
    changes = {"name": RATER, "controller": "single_shot", "servers": (), "fallback_providers": ()}
    return chain.stages[0].agents[0].model_copy(update=changes)


def _instruct(agent: ResolvedAgent, tools: Sequence[e.OfferedTool], missing: Sequence[str]) -> Iterator[str]:
    yield "You rate what an investigation found."


def _task(state: Investigating, stage: Stage, at: datetime, tools: Sequence[e.OfferedTool]) -> str:
    assert isinstance(state.ended, e.SessionCompleted)
    return f"Rate this: {state.ended.final_analysis}"


def _is_due(state: AtRest) -> bool:
    return isinstance(state.ended, e.SessionCompleted) and not has_completed(state, RATING)


PHASE = build_phase(
    RATING,
    stage="Rating",
    stage_type=RATING,
    agent=_rater,
    instruct=_instruct,
    task=_task,
    read=lambda _state, _execution, answer: json.loads(answer),
    seconds=lambda limits: limits.reply_seconds,
    due=_is_due,
)


@contextmanager
def planted() -> Iterator[None]:
    """The table has this line, too."""
    with patch.dict(phases.PHASES, {RATING: PHASE}), patch.dict(phases.KINDS, PHASE.kinds):
        yield
