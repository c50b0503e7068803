"""First messages to the agents of an investigation, taken from the state of its session. Pure."""

from collections.abc import Sequence
from datetime import datetime

from tarsy_contracts.events import OfferedTool
from tarsy_session.builtin_tools.fetch_runbook import find_runbook
from tarsy_session.memories import find_given
from tarsy_session.prompt_context.firing import describe_firing
from tarsy_session.prompt_context.histories import history_of
from tarsy_session.prompts.action import compose_action_prompt, compose_report_prompt
from tarsy_session.prompts.material import StageFinding
from tarsy_session.prompts.memories import compose_memories
from tarsy_session.prompts.present_time import compose_time
from tarsy_session.prompts.task import (
    compose_executive_summary_prompt,
    compose_prompt,
    compose_synthesis_prompt,
)
from tarsy_session.state import Investigating, Stage
from tarsy_session.state_queries import analysis_of, final_analysis


def compose_investigation(state: Investigating, stage: Stage, at: datetime, tools: Sequence[OfferedTool]) -> str:
    alert, firing = state.started.alert, describe_firing(state)
    return _with_time(
        state,
        at,
        compose_prompt(alert, find_runbook(state), collect_findings(state), firing=firing, lessons=_lessons(state)),
    )


def compose_action(state: Investigating, stage: Stage, at: datetime, tools: Sequence[OfferedTool]) -> str:
    alert, firing = state.started.alert, describe_firing(state)
    return _with_time(
        state,
        at,
        compose_action_prompt(
            alert, find_runbook(state), collect_findings(state), firing=firing, lessons=_lessons(state)
        ),
    )


def compose_report(state: Investigating, stage: Stage, at: datetime, tools: Sequence[OfferedTool]) -> str:
    outcomes = [one.completed.action for one in state.stages if one.completed is not None]
    done = [outcome for outcome in outcomes if outcome is not None]
    task = compose_report_prompt(state.started.alert, collect_findings(state), done, firing=describe_firing(state))
    return _with_time(state, at, task)


def compose_synthesis(state: Investigating, stage: Stage, at: datetime, tools: Sequence[OfferedTool]) -> str:
    alert, firing = state.started.alert, describe_firing(state)
    joined = next(one for one in state.stages if one.started.stage_id == stage.started.referenced_stage_id)
    histories = [history_of(state, execution) for execution in state.all_executions_of(joined)]
    task = compose_synthesis_prompt(alert, find_runbook(state), joined.started.name, histories, firing=firing)
    return _with_time(state, at, task)


def compose_summary(state: Investigating, stage: Stage, at: datetime, tools: Sequence[OfferedTool]) -> str:
    firing = describe_firing(state)
    labels = state.started.chain.labels
    return compose_executive_summary_prompt(state.started.alert, final_analysis(state), firing=firing, labels=labels)


def _with_time(state: Investigating, at: datetime, task: str) -> str:
    return f"{compose_time(at, state.started.chain.calendar)}\n\n{task}"


def _lessons(state: Investigating) -> str:
    given = find_given(state)
    return compose_memories(given.memories, given.missing)


def collect_findings(state: Investigating) -> Sequence[StageFinding]:
    """Returns the analyses of the stages so far. Where several were joined, only the joint one counts."""
    joined = {stage.started.referenced_stage_id for stage in state.stages if not stage.open}
    return [
        StageFinding(stage.started.name, analysis)
        for stage in state.stages
        if not stage.open
        and stage.started.stage_id not in joined
        and (analysis := analysis_of(state, stage.executions))
    ]
