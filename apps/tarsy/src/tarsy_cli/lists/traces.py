"""`tarsy trace`: the interactions of a session, and a single one with all that it holds."""

import json
from collections.abc import Iterator

from tarsy_cli.console.units import describe_cost
from tarsy_cli.lists.nested_agents import nest_agents, shorten_task
from tarsy_contracts.api.trace import (
    ListedLlmInteraction,
    ListedMcpInteraction,
    LlmInteraction,
    McpInteraction,
    SessionTrace,
    TracedMessage,
)
from tarsy_local.terminal_text import one_line, printable

VERIFIED = {
    True: "These are exactly the words that were sent: their digest is on record.",
    False: "These are not exactly the words that were sent: another version of TARSy sent them, or the log was copied.",
    None: "No digest of what was sent is on record.",
}
INCOMPLETE = "This version cannot read an event of the session: what comes after it is not shown."


def trace_lines(trace: SessionTrace) -> Iterator[str]:
    for stage in trace.stages:
        yield printable(f"{stage.stage_name} ({stage.stage_type})")
        for depth, execution in nest_agents(stage.executions):
            margin = "  " * depth
            task = f", sent for: {shorten_task(execution.task)}" if execution.task else ""
            cost = f" ({words})" if (words := describe_cost(execution)) else ""
            yield printable(f"{margin}  {execution.agent_name}{cost}{task}")
            yield from (f"{margin}    {_llm_line(one)}" for one in execution.llm_interactions)
            yield from (f"{margin}    {_mcp_line(one)}" for one in execution.mcp_interactions)
    if trace.session_mcp_interactions:
        yield "session"
        yield from (f"    {_mcp_line(one)}" for one in trace.session_mcp_interactions)
    if not trace.complete:
        yield INCOMPLETE


def _llm_line(one: ListedLlmInteraction) -> str:
    tokens = "" if one.total_tokens is None else f"{one.total_tokens:,} tokens"
    what = f"{one.interaction_type} {one.model_name or one.llm_provider}"
    return _trace_line("llm", one.id, what, _format_duration(one.duration_ms), tokens, one.error_message or "")


def _mcp_line(one: ListedMcpInteraction) -> str:
    name = f"{one.server_name}.{one.tool_name}" if one.tool_name else f"tools of {one.server_name}"
    return _trace_line(
        "mcp", one.id, name, one.outcome or "", _format_duration(one.duration_ms), one.error_message or ""
    )


def _trace_line(kind: str, id: str, *text: str) -> str:
    return one_line(f"{kind} {id} {', '.join(part for part in text if part)}")


def _format_duration(duration_ms: int | None) -> str:
    return "" if duration_ms is None else f"{duration_ms / 1000:.1f} s"


def llm_text(found: LlmInteraction) -> str:
    parts = [_llm_line(found)]
    if found.conversation is None:
        parts.append(printable(f"The conversation cannot be reconstructed: {found.missing}."))
    else:
        parts += [VERIFIED[found.verified], *(_render_message(message) for message in found.conversation)]
        if found.tools:
            parts.append(f"=== TOOLS ===\n{printable(', '.join(tool.name for tool in found.tools))}")
    if found.answer is not None:
        parts.append(_render_message(found.answer, "ANSWER"))
    return "\n\n".join(parts)


def _render_message(message: TracedMessage, title: str = "") -> str:
    of = f" ({message.tool_name})" if message.tool_name else ""
    calls = [f"--> {call.name} {json.dumps(call.arguments, ensure_ascii=False)}" for call in message.tool_calls]
    text = "\n".join(part for part in (message.content, *calls) if part)
    return printable(f"=== {title or message.role.upper()}{of} ===\n{text}")


def mcp_text(found: McpInteraction) -> str:
    parts = [_mcp_line(found)]
    if found.available_tools is not None:
        parts += [printable(f"{tool.name}: {tool.description}") for tool in found.available_tools]
    if found.tool_arguments is not None:
        parts.append(printable(f"=== ARGUMENTS ===\n{json.dumps(found.tool_arguments, indent=2, ensure_ascii=False)}"))
    if found.tool_result is not None:
        parts.append(printable(f"=== RESULT ===\n{found.tool_result.content}"))
        if found.tool_result.cut:
            parts.append(f"The result is longer: `tarsy result` shows all of it ({found.tool_result.lines:,} lines).")
    if found.learned_result is not None:
        parts.append(printable(f"=== LATE RESULT ===\n{found.learned_result.content}"))
    return "\n\n".join(parts)
