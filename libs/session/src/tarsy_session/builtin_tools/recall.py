"""The tool recall_past_investigations: what earlier investigations learnt. Pure.

The session itself calls it first, so that what its agents are given stands on its log. Agents may call it again.
"""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER, RECALL
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.memory import recall_context
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.ids import recall_call_id
from tarsy_session.builtin_tools.tool import BuiltinTool
from tarsy_session.controllers import controller_of
from tarsy_session.state import Investigating

MOST_RECALLED = 20
QUERY_CHARACTERS = 1_000

RECALL_TOOL = e.OfferedTool(
    server=OWN_SERVER,
    tool=RECALL,
    repeatable=True,
    read_only=True,
    definition=ToolDefinition(
        name=f"{OWN_SERVER}__{RECALL}",
        description=(
            "Returns what earlier investigations learnt that fits these words, the best first, each with its id, the"
            " session that it is from, when it was learnt, and how sure it is. It may be out of date: check it."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Words of what you look for: a symptom, a name, an error."},
                "limit": {"type": "integer", "minimum": 1, "maximum": MOST_RECALLED, "description": "10 if not given."},
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    ),
)


def has_memory(state: Investigating, agent: ResolvedAgent, tools: Sequence[e.OfferedTool]) -> bool:
    return state.started.chain.memory is not None and not controller_of(agent.controller).asks_once


def refuse_without_query(state: Investigating, arguments: Mapping[str, JsonValue]) -> str | None:
    query = arguments.get("query")
    return None if isinstance(query, str) and query.strip() else "`query` is missing: words of what you look for."


def add_context(state: Investigating, request: ToolCallRequest) -> ToolCallRequest:
    """Adds whose readers the answer is for."""
    return request.model_copy(update={"recalls": recall_context(state.session_id, state.started.alert)})


def _call_first(state: Investigating) -> e.ToolCallRequested | None:
    rule, alert = state.started.chain.memory, state.started.alert
    if rule is None or not rule.max_inject:
        return None
    return e.ToolCallRequested(
        call_id=recall_call_id(state.id_root),
        execution_id="",
        llm_call_id="",
        server=OWN_SERVER,
        tool=RECALL,
        arguments={
            "query": f"{alert.title}\n{alert.data}"[:QUERY_CHARACTERS],
            "limit": min(max(rule.max_inject, rule.reflector_limit), MOST_RECALLED),
        },
        repeatable=RECALL_TOOL.repeatable,
        timeout_seconds=min(rule.seconds, state.started.chain.limits.tool_call_seconds),
        read_only=RECALL_TOOL.read_only,
    )


TOOL = BuiltinTool(
    RECALL_TOOL,
    offered_to=has_memory,
    refusal=refuse_without_query,
    call_first=_call_first,
    complete_request=add_context,
)
