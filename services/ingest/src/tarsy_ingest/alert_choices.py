"""Choices of one alert instead of the configuration: which of their names the configuration does not have."""

from collections.abc import Collection, Sequence

from tarsy_contracts.api.alert_choices import AlertChoices, ChoiceMistake, JudgedChoices, McpChoice
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.raw_alert import AlertRejectedError, FieldError
from tarsy_ingest.tool_follower import ToolNames

MOST_NAMED = 50


def judge_choices(choices: AlertChoices, rules: AlertRules) -> JudgedChoices:
    """As a submission with these choices is judged."""
    mistakes = mistakes_in_choices(choices.llm_provider, choices.mcp, rules)
    alert_type = None
    try:
        alert_type = rules.types.require(choices.alert_type) if choices.alert_type else None
    except AlertRejectedError as problem:
        mistakes = [*problem.mistakes, *mistakes]
    return JudgedChoices(
        alert_type=alert_type, mistakes=tuple(ChoiceMistake(place=path, text=text) for path, text in mistakes)
    )


def mistakes_in_choices(llm_provider: str | None, mcp: McpChoice | None, rules: AlertRules) -> list[FieldError]:
    found = mistakes_in_provider(llm_provider, rules.llm_providers)
    return found if mcp is None else [*found, *mistakes_in_choice(mcp, rules.mcp_servers, rules.mcp_tools)]


def mistakes_in_provider(name: str | None, known: Collection[str]) -> list[FieldError]:
    """Whether it has a key is known where models are asked, not here."""
    if not name or name in known:
        return []
    return [(("llm_provider",), f"no LLM provider has this name; known: {', '.join(sorted(known)) or 'none'}")]


def mistakes_in_choice(choice: McpChoice, known: Collection[str], tools: ToolNames) -> list[FieldError]:
    """The names that were sent are not repeated; those that exist are told. `tools`: of servers that are reached."""
    if choice.is_empty:
        return []
    if not choice.servers:
        return [(("mcp", "servers"), "name at least one server, or leave mcp out")]
    mistakes: list[FieldError] = []
    seen: set[str] = set()
    for index, server in enumerate(choice.servers):
        path = ("mcp", "servers", index, "name")
        if server.name not in known:
            mistakes.append((path, f"no MCP server has this name; known: {', '.join(sorted(known)) or 'none'}"))
        elif server.name in seen:
            mistakes.append((path, "names the server twice"))
        else:
            mistakes += _find_mistakes_in_tools(index, server.tools or (), tools.get(server.name))
        seen.add(server.name)
    return mistakes


def _find_mistakes_in_tools(index: int, chosen: Sequence[str], known: Collection[str] | None) -> list[FieldError]:
    if known is None:
        return []
    names = sorted(known)
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    text = f"the MCP server has no tool of this name; known: {', '.join(names[:MOST_NAMED]) or 'none'}{more}"
    return [
        (("mcp", "servers", index, "tools", number), text) for number, tool in enumerate(chosen) if tool not in known
    ]
