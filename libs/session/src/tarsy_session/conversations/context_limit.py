"""Shortening of a conversation that is too long for its model. Pure.

The oldest results become notes first: the agent has read them, and can read them again. The task stays as it is.
"""

from tarsy_contracts import events as e
from tarsy_session.builtin_tools.read_result import read_result_name
from tarsy_session.executions.children import children_of
from tarsy_session.prompts.delegation import RESULT_CHARACTERS
from tarsy_session.prompts.notes import ReadOn, note_left_out, note_shortened
from tarsy_session.result_content import content_of
from tarsy_session.skills import instruct_skills
from tarsy_session.state import Execution, Investigating, ToolCallState
from tarsy_session.text import shorten, shorten_id

LEAST_CHARACTERS = 1_000
"""A result that is shown at all shows so much."""
FULL = 0.85
"""Share of the context after which a conversation is shortened before it is refused."""
CHARACTERS_PER_TOKEN = 3


def shorten_further(state: Investigating, execution: Execution) -> e.Shortening | None:
    """Returns a conversation of half the results; None where there is nothing left to shorten."""
    now, calls = execution.shortened, _calls(state, execution)
    sizes = [len(render_content(state, execution, call, index)[0]) for index, call in enumerate(calls)]
    last = len(execution.turns[-1].calls) if execution.turns else 0
    left_out, goal = now.results_left_out, sum(sizes) // 2
    while left_out < len(calls) - last and sum(sizes[left_out:]) > goal:
        left_out += 1
    if left_out > now.results_left_out:
        return e.Shortening(results_left_out=left_out, result_characters=now.result_characters)
    longest = max((*sizes[left_out:], *_sizes_of_sub_agents(state, execution)), default=0)
    if longest > LEAST_CHARACTERS:
        return e.Shortening(results_left_out=left_out, result_characters=max(longest // 2, LEAST_CHARACTERS))
    if left_out < len(calls):
        return e.Shortening(results_left_out=len(calls), result_characters=now.result_characters)
    return None


def shorten_in_time(state: Investigating, execution: Execution) -> e.Shortening | None:
    """Returns a shorter conversation where the next question would fill the context that is known."""
    known = find_known_context(state, execution)
    if known is None or not execution.turns:
        return None
    return shorten_further(state, execution) if _expected_tokens(state, execution) > FULL * known else None


def find_known_context(state: Investigating, execution: Execution) -> int | None:
    """Returns what the provider reads at once: as configured, or less where it has refused any agent of the session."""
    provider = execution.llm_provider
    configured = execution.agent.known_contexts.get(provider)
    learned = [one.contexts[provider] for one in state.executions.values() if provider in one.contexts]
    return min((*learned, *(() if configured is None else (configured,))), default=None)


def _expected_tokens(state: Investigating, execution: Execution) -> int:
    """Counts the next question: the last one as its provider did, and what came since. Some providers do not count."""
    turn = execution.turns[-1]
    first = sum(len(earlier.calls) for earlier in execution.turns[:-1])
    counted = turn.answer.usage.input_tokens
    calls = _calls(state, execution)
    new = calls if counted is None else calls[first:]
    start = 0 if counted is None else first
    shown = sum(len(render_content(state, execution, call, at)[0]) for at, call in enumerate(new, start))
    shown += sum(_sizes_of_sub_agents(state, execution, after=0 if counted is None else len(execution.turns)))
    system = len(execution.started.system) + len(instruct_skills(state, execution))
    characters = system + len(execution.started.prompt) if counted is None else 0
    return (counted or 0) + (turn.answer.usage.output_tokens or 0) + (shown + characters) // CHARACTERS_PER_TOKEN


def render_content(state: Investigating, execution: Execution, call: ToolCallState, index: int) -> tuple[str, str]:
    """Returns what the agent reads of a result, and the note on it. `index`: among the calls of the execution."""
    name, now = read_result_name(execution.tools), execution.shortened
    content, note = content_of(state.calls, call, name)
    if call.completed is None:
        return content, note
    read_on = ReadOn(name, shorten_id(call.requested.call_id)) if name else None
    if index < now.results_left_out:
        return "", note_left_out(call.completed.lines, call.completed.size, read_on)
    most = now.result_characters
    # A mark says how much was left out, and takes room itself.
    if most is None or len(content) <= most:
        return content, note
    return shorten(content, most), note_shortened(call.completed.lines, call.completed.size, read_on)


def _sizes_of_sub_agents(state: Investigating, execution: Execution, *, after: int = 0) -> list[int]:
    """Characters of what its sub-agents have brought after so many of its turns, as it reads them."""
    most = execution.shortened.result_characters
    read = [one for one in children_of(state, execution) if one.read_after >= after]
    found = [len(one.completed.final_analysis) for one in read if one.completed is not None]
    return [min(size, RESULT_CHARACTERS, size if most is None else most) for size in found]


def _calls(state: Investigating, execution: Execution) -> list[ToolCallState]:
    return [state.calls[id] for turn in execution.turns for id in turn.calls]
