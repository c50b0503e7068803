"""Context of the prompts of an execution, taken from the state of its session. Pure."""

from collections.abc import Sequence
from datetime import datetime

from tarsy_contracts.events import OfferedTool
from tarsy_session.builtin_tools.fetch_runbook import find_runbook
from tarsy_session.prompt_firing import describe_firing
from tarsy_session.prompt_histories import history_of
from tarsy_session.prompt_question import compose_question
from tarsy_session.prompts.material import StageFinding
from tarsy_session.prompts.present_time import compose_time
from tarsy_session.prompts.task import (
    compose_executive_summary_prompt,
    compose_prompt,
    compose_synthesis_prompt,
)
from tarsy_session.state import Investigating, Stage
from tarsy_session.state_queries import analysis_of, final_analysis


def compose_task(state: Investigating, stage: Stage, at: datetime, tools: Sequence[OfferedTool]) -> str:
    """Composes the first message to the agents of a stage, who begin at this time and have these tools."""
    if stage.started.stage_type == "exec_summary":
        alert, firing = state.started.alert, describe_firing(state)
        return compose_executive_summary_prompt(alert, final_analysis(state), firing=firing)
    if stage.started.stage_type == "chat":
        return compose_question(state, tools)
    return f"{compose_time(at)}\n\n{_task(state, stage)}"


def _task(state: Investigating, stage: Stage) -> str:
    alert, firing = state.started.alert, describe_firing(state)
    match stage.started.stage_type:
        case "synthesis":
            joined = next(one for one in state.stages if one.started.stage_id == stage.started.referenced_stage_id)
            histories = [history_of(state, execution) for execution in state.executions_of(joined)]
            return compose_synthesis_prompt(alert, find_runbook(state), joined.started.name, histories, firing=firing)
        case _:
            return compose_prompt(alert, find_runbook(state), collect_findings(state), firing=firing)


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
