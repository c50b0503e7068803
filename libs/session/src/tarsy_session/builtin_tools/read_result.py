"""The read_result tool, with which agents read on in results that were too long for them. Pure.

The tool gateway runs it; the orchestrator alone knows which results a session has, and where they lie.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER, READ_RESULT
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.messages.requests import ResultPlace, ToolCallRequest
from tarsy_session.builtin_tools.tool import BuiltinTool
from tarsy_session.controllers import controller_of
from tarsy_session.state import Investigating, ToolCallState
from tarsy_session.text import SHORTEST_ID, shorten_id, to_one_line

MOST_LISTED = 20
NAME_LENGTH = 120
NOT_IN_IDS = re.compile(r"[^0-9a-f]")
CITED = re.compile(r"\s*\[?call ([1-9]\d{0,6})\]?\s*")
"""A citation instead of the id: models take one for the other."""

READ_RESULT_TOOL = e.OfferedTool(
    server=OWN_SERVER,
    tool=READ_RESULT,
    repeatable=True,
    read_only=True,
    definition=ToolDefinition(
        name=f"{OWN_SERVER}__{READ_RESULT}",
        description=(
            "Reads in an earlier result that was too long for you: one with a note above it that it was cut or"
            " summarised. The note names its id. Shows lines from `offset` on, or with `search` only the lines that"
            " match; with `from` and `until` only lines of that time. The answer begins with what it shows, how many"
            " lines match in all, where and when, and where to go on."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "result": {"type": "string", "description": "The id of the result, as its note names it."},
                "offset": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "The line to begin at. The first line is 0, which is the default.",
                },
                "lines": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 2000,
                    "description": (
                        "How many lines at most, 200 if not given. With `search`: how many of those that match, at most"
                        " 50, which is the default. No answer is longer than 48 KiB."
                    ),
                },
                "search": {
                    "type": "string",
                    "description": (
                        r"Show only lines that match this regular expression (RE2). \Q before it looks for the text as"
                        " it stands. Begins at `offset`, too."
                    ),
                },
                "from": {
                    "type": "string",
                    "description": (
                        "Only lines from this time on, such as 2026-11-22T10:05:00Z, also in a search. Without a zone"
                        " it is UTC. A line without a time stamp belongs to the last line before it that has one."
                    ),
                },
                "until": {
                    "type": "string",
                    "description": "Only lines up to this time. A minute (2026-11-22T10:05) is included whole.",
                },
                "ignore_case": {"type": "boolean", "description": "Whether the search ignores upper and lower case."},
                "context": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 10,
                    "description": "How many lines before and after each match are shown, 2 if not given.",
                },
                "byte": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Where in the line `offset` to begin. Only for a line too long to be shown at once.",
                },
            },
            "required": ["result"],
            "additionalProperties": False,
        },
    ),
)


def read_result_name(tools: Iterable[e.OfferedTool]) -> str:
    """Returns the tool's name for the agent that has these tools; empty when it is not offered."""
    own = READ_RESULT_TOOL
    return next((one.definition.name for one in tools if (one.server, one.tool) == (own.server, own.tool)), "")


def _offered_to(state: Investigating, agent: ResolvedAgent, tools: Sequence[e.OfferedTool]) -> bool:
    """Whether it has results to read on in. After the end those of the investigation are there, also without a tool."""
    return bool(tools) or (state.ended is not None and not controller_of(agent.controller).asks_once)


def _refusal(state: Investigating, arguments: Mapping[str, JsonValue]) -> str | None:
    calls, given = state.calls, arguments.get("result")
    found = _meant(calls.values(), given)
    if len(found) == 1:
        return None
    if len(found) > 1:
        return f"Several results begin with {given}: {', '.join(one.requested.call_id for one in found)}."
    if not isinstance(given, str) or not given.strip():
        return f"`result` is missing: the id of a result. {_list(calls)}"
    return f"There is no result {to_one_line(given, 60)!r}. {_list(calls)}"


def _complete_request(state: Investigating, request: ToolCallRequest) -> ToolCallRequest:
    """Adds where the result lies that the call reads in. The first match counts: others have only come since."""
    for call in _meant(state.calls.values(), request.arguments.get("result")):
        if call.completed is not None and call.result_at is not None:
            position = ResultPlace(call_id=call.requested.call_id, event=call.result_at, stored=call.completed.stored)
            return request.model_copy(update={"reads": position})
    return request


def _meant(calls: Iterable[ToolCallState], given: JsonValue) -> list[ToolCallState]:
    """Returns the calls that have ended and whose id begins so, or the one that is cited so."""
    cited = CITED.fullmatch(given) if isinstance(given, str) else None
    if cited is not None:
        return [call for call in calls if not call.open and call.requested.number == int(cited[1])]
    id = NOT_IN_IDS.sub("", given.lower()) if isinstance(given, str) else ""
    if len(id) < SHORTEST_ID:
        return []
    return [call for call in calls if not call.open and NOT_IN_IDS.sub("", call.requested.call_id).startswith(id)]


def _list(calls: Mapping[str, ToolCallState]) -> str:
    """Lists the results that the agent was not shown in full."""
    described = [_describe_call(call) for call in calls.values() if call.is_abridged]
    if not described:
        return "No result was cut or summarised so far: you have seen all there is."
    earlier = f"{len(described) - MOST_LISTED} earlier ones and " if len(described) > MOST_LISTED else ""
    return f"There are: {earlier}{', '.join(described[-MOST_LISTED:])}."


def _describe_call(call: ToolCallState) -> str:
    requested, completed = call.requested, call.completed
    lines = completed.lines if completed is not None else 0
    name = to_one_line(f"{requested.server}.{requested.tool}", NAME_LENGTH)
    return f"{shorten_id(requested.call_id)} ({name}, {lines} lines)"


TOOL = BuiltinTool(
    READ_RESULT_TOOL,
    offered_to=_offered_to,
    refusal=_refusal,
    complete_request=_complete_request,
)
