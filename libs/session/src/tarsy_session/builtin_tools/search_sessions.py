"""The tool search_past_sessions: earlier investigations whose texts have some words. Pure; the tool gateway runs it."""

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER, SEARCH_SESSIONS
from tarsy_contracts.conversation import ToolDefinition
from tarsy_session.builtin_tools.recall import add_context, has_memory, refuse_without_query
from tarsy_session.builtin_tools.tool import BuiltinTool

TOOL = BuiltinTool(
    e.OfferedTool(
        server=OWN_SERVER,
        tool=SEARCH_SESSIONS,
        repeatable=True,
        read_only=True,
        definition=ToolDefinition(
            name=f"{OWN_SERVER}__{SEARCH_SESSIONS}",
            description=(
                "Finds earlier investigations whose alert, texts or results have all of these words. Returns when each"
                " was, its alert, how it ended, how long it took and what it concluded in short. What was true then may"
                " not be now: check it."
            ),
            input_schema={
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "Words that all have to occur."},
                    "alert_type": {"type": "string", "description": "Only investigations of alerts of this type."},
                    "days_back": {"type": "integer", "minimum": 1, "maximum": 365, "description": "30 if not given."},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 10, "description": "5 if not given."},
                },
                "required": ["query"],
                "additionalProperties": False,
            },
        ),
    ),
    offered_to=has_memory,
    refusal=refuse_without_query,
    complete_request=add_context,
)
