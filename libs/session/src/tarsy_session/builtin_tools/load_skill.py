"""The load_skill tool: an agent reads a skill, or a further file of one, from the session's own log. Pure.

A path is looked up among the recorded ones. It is no path of any disk. The tool gateway fetches a runbook that a skill
links to, as it does that of an alert.
"""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import FETCH_RUNBOOK, LOAD_SKILL, OWN_SERVER
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.events.tool import Outcome
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.skills import Skill
from tarsy_session.builtin_tools.tool import BuiltinTool
from tarsy_session.controllers import controller_of
from tarsy_session.prompts.notes import note_loaded_before
from tarsy_session.prompts.skills import NAME, list_paths, render_loaded
from tarsy_session.skills import fit_skills, is_loadable
from tarsy_session.state import Investigating, ToolCallState
from tarsy_session.text import to_one_line
from tarsy_session.tool_answers import answer_call

MOST_AT_ONCE = 5
MOST_NAMED = 20
NAME_LIMIT = 60
PATH_LIMIT = 200

LOAD_SKILL_TOOL = e.OfferedTool(
    server=OWN_SERVER,
    tool=LOAD_SKILL,
    repeatable=True,
    read_only=True,
    definition=ToolDefinition(
        name=NAME,
        description=(
            "Loads skills by their names: what the people who run this system know of it. Returns their full texts."
            " With `path` it returns a further file of one skill instead, or a runbook that the skill links to."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "names": {
                    "type": "array",
                    "items": {"type": "string"},
                    "minItems": 1,
                    "maxItems": MOST_AT_ONCE,
                    "description": "The names of the skills.",
                },
                "path": {
                    "type": "string",
                    "description": "A file or an address of the one skill that `names` has, as that skill lists it.",
                },
            },
            "required": ["names"],
            "additionalProperties": False,
        },
    ),
)


def _offered_to(state: Investigating, agent: ResolvedAgent, tools: Sequence[e.OfferedTool]) -> bool:
    if controller_of(agent.controller).asks_once:
        return False
    return any(is_loadable(state, skill) for skill in fit_skills(state, agent, tools))


def _refusal(state: Investigating, arguments: Mapping[str, JsonValue]) -> str | None:
    names = names_of(arguments)
    if not names:
        return "`names` is missing: the names of the skills, as a list."
    if len(names) > MOST_AT_ONCE:
        return f"`names` has {len(names)} skills. At most {MOST_AT_ONCE} are loaded at once."
    path = arguments.get("path")
    if path is not None and not isinstance(path, str):
        return "`path` is not text: the path of a further file of one skill."
    return f"`path` is of one skill, and `names` has {len(names)}." if path and len(names) > 1 else None


def _run(state: Investigating, call: ToolCallState) -> Sequence[e.Event]:
    """Those that are there are returned, whatever else was asked for."""
    skills, path = _skills_of(state, call), path_of(call.requested.arguments)
    names, before = names_of(call.requested.arguments), _loaded_before(state, call)
    missing = [name for name in names if name not in skills]
    repeated = {name: before[name, path] for name in names if name in skills and (name, path) in before}
    found = [skills[name] for name in names if name in skills and name not in repeated]
    if path and found:
        return [_answer_file(call, found[0], path)]
    notes = [note_loaded_before(name, number) for name, number in repeated.items()]
    notes += [_describe_missing(missing, skills)] if missing else []
    texts = [render_loaded(found), *notes] if found else notes
    outcome: Outcome = "ok" if found or repeated else "tool_error"
    return [answer_call(call.requested.call_id, outcome, "\n\n".join(texts))]


def _loaded_before(state: Investigating, call: ToolCallState) -> dict[tuple[str, str], int]:
    """Skills and paths that earlier calls of the same answer have loaded, and the numbers of the calls.

    All calls of an answer end in one batch. Each text is in it once, so that it is never too large for the log.
    """
    turn = state.executions[call.requested.execution_id].turns[-1]
    earlier = [state.calls[id] for id in turn.calls[: turn.calls.index(call.requested.call_id)]]
    return {
        (name, path_of(one.requested.arguments)): one.requested.number
        for one in reversed(earlier)
        if (one.requested.server, one.requested.tool) == (OWN_SERVER, LOAD_SKILL)
        if one.completed is not None and one.completed.outcome == "ok"
        for name in names_of(one.requested.arguments)
    }


def _answer_file(call: ToolCallState, skill: Skill, path: str) -> e.ToolCallCompleted:
    text = next((file.text for file in skill.files if file.path == path), None)
    if text is not None:
        return answer_call(call.requested.call_id, "ok", text)
    has = f"It has: {list_paths(skill)}." if skill.paths else "It has no further files."
    problem = f"The skill {skill.name} has no file {to_one_line(path, PATH_LIMIT)!r}. {has}"
    return answer_call(call.requested.call_id, "tool_error", problem)


def _reads_runbook(state: Investigating, call: ToolCallState) -> bool:
    skills, path = _skills_of(state, call), path_of(call.requested.arguments)
    return any(path in skills[name].runbooks for name in names_of(call.requested.arguments) if name in skills)


def _complete_request(state: Investigating, request: ToolCallRequest) -> ToolCallRequest:
    """Only a call that reads a runbook comes to the gateway."""
    return request.model_copy(update={"tool": FETCH_RUNBOOK, "arguments": {"url": path_of(request.arguments)}})


def _skills_of(state: Investigating, call: ToolCallState) -> dict[str, Skill]:
    execution = state.executions[call.requested.execution_id]
    names = (skill.name for skill in execution.started.skills)
    return {name: state.skills[name] for name in names if name in state.skills}


def names_of(arguments: Mapping[str, JsonValue]) -> list[str]:
    """The skills that a call asks for. One name may be written without a list."""
    given = arguments.get("names")
    listed = given if isinstance(given, list) else [given]
    return list(dict.fromkeys(name.strip() for name in listed if isinstance(name, str) and name.strip()))


def path_of(arguments: Mapping[str, JsonValue]) -> str:
    """A part of a text is read with the whole: an address needs no fragment."""
    path = arguments.get("path")
    written = path.strip().removeprefix("./") if isinstance(path, str) else ""
    return written.split("#")[0] if "://" in written else written


def _describe_missing(missing: Sequence[str], skills: Mapping[str, Skill]) -> str:
    named = ", ".join(repr(to_one_line(name, NAME_LIMIT)) for name in missing)
    known = ", ".join(sorted(skills)[:MOST_NAMED]) or "none"
    return f"[There is no skill {named} for you. There are: {known}.]"


TOOL = BuiltinTool(
    LOAD_SKILL_TOOL,
    offered_to=_offered_to,
    refusal=_refusal,
    complete_request=_complete_request,
    run=_run,
    leaves_core=_reads_runbook,
)
