"""The fetch_runbook tool: the session itself calls it, for the runbook that its alert names. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import FETCH_RUNBOOK, OWN_SERVER
from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.wire.ids import runbook_call_id
from tarsy_session.builtin_tools.tool import BuiltinTool
from tarsy_session.prompts.material import Runbook
from tarsy_session.state import Investigating

FETCH_RUNBOOK_TOOL = e.OfferedTool(
    server=OWN_SERVER,
    tool=FETCH_RUNBOOK,
    repeatable=True,
    read_only=True,
    definition=ToolDefinition(
        name=f"{OWN_SERVER}__{FETCH_RUNBOOK}",
        description="Fetches the text of a runbook.",
        input_schema={"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
    ),
)


def find_runbook(state: Investigating) -> Runbook:
    """Returns the runbook of the alert, or else that of the configuration."""
    call = next((call for call in state.calls.values() if call.requested.purpose == "runbook"), None)
    url = state.started.alert.runbook_url or ""
    default = state.started.chain.default_runbook
    missing = ""
    if call is not None and call.completed is not None:
        if call.completed.outcome == "ok":
            return Runbook("alert", text=call.completed.content, url=url, cut=call.completed.cut)
        missing = call.completed.content or call.completed.outcome
    return Runbook("default" if default else "none", text=default, url=url if missing else "", missing=missing)


def _call_first(state: Investigating) -> e.ToolCallRequested | None:
    url = state.started.alert.runbook_url
    if url is None:
        return None
    return e.ToolCallRequested(
        call_id=runbook_call_id(state.id_root),
        execution_id="",
        llm_call_id="",
        server=OWN_SERVER,
        tool=FETCH_RUNBOOK,
        arguments={"url": url},
        repeatable=FETCH_RUNBOOK_TOOL.repeatable,
        timeout_seconds=state.started.chain.limits.tool_call_seconds,
        purpose="runbook",
        read_only=FETCH_RUNBOOK_TOOL.read_only,
    )


TOOL = BuiltinTool(FETCH_RUNBOOK_TOOL, call_first=_call_first)
