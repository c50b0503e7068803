"""System prompt of an agent of a stage. Pure."""

from collections.abc import Sequence

from tarsy_contracts.chain import ResolvedAgent, StageType
from tarsy_contracts.events import OfferedTool
from tarsy_contracts.messages.inputs import UnavailableServer
from tarsy_contracts.withheld_tools import WithheldTools
from tarsy_session.phases import kind_of
from tarsy_session.system_sections import compose_sections


def compose_system(
    agent: ResolvedAgent,
    *,
    stage_type: StageType,
    tools: Sequence[OfferedTool],
    unavailable_servers: Sequence[UnavailableServer],
    missing: Sequence[str] = (),
    withheld: Sequence[WithheldTools] = (),
    approvals: Sequence[str] = (),
    sub_agents: Sequence[ResolvedAgent] = (),
) -> str:
    return compose_sections(
        kind_of(stage_type).instruct,
        agent,
        tools=tools,
        unavailable_servers=unavailable_servers,
        missing=missing,
        withheld=withheld,
        approvals=approvals,
        sub_agents=sub_agents,
    )
