"""An agent as a chain uses it: every setting of it, and where each comes from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tarsy_config.provenance import ALERT, DEFAULT, Found, Origin
from tarsy_config.resolution import (
    AGENT_TYPE,
    EXECUTIVE_SUMMARY_PROVIDER,
    ITERATION_STRATEGY,
    LLM_PROVIDER,
    MAX_ITERATIONS,
    MCP_SERVERS,
    AlertChoice,
    Levels,
    last_fallbacks,
)
from tarsy_config.values import STRATEGIES
from tarsy_contracts.chain import NATIVE_TOOLS, Controller, NativeTool

DEFAULT_MAX_ITERATIONS: Final = 20
ONE_QUESTION = frozenset({"synthesis", "exec_summary"})
"""Types of agents that have no tools."""


@dataclass(frozen=True, slots=True)
class AgentSettings:
    name: str
    llm_provider: Found[str]
    fallback_providers: Found[tuple[str, ...]]
    controller: Found[Controller]
    max_iterations: Found[int]
    servers: Found[tuple[str, ...]]
    native_tools: tuple[Found[NativeTool], ...]
    custom_instructions: Found[str]


def investigator(name: str, levels: Levels, choice: AlertChoice) -> AgentSettings:
    return _with_tools(name, levels, choice, _provider(levels, choice, None), _servers(levels, choice))


def chat_agent(name: str, levels: Levels, choice: AlertChoice, others: Sequence[AgentSettings]) -> AgentSettings:
    """`others`: the agents of the chain. Their servers are used when nobody names any, and the first one's provider."""
    servers = _servers(levels, choice)
    if servers.origin == DEFAULT:
        servers = Found(tuple(dict.fromkeys(name for other in others for name in other.servers.value)), DEFAULT)
    return _with_tools(name, levels, choice, _provider(levels, choice, others[0]), servers)


def _with_tools(
    name: str, levels: Levels, choice: AlertChoice, provider: Found[str], servers: Found[tuple[str, ...]]
) -> AgentSettings:
    controller = _controller(levels)
    if controller.value == "single_shot":
        return _asked_once(name, levels, provider, controller, _native_tools(levels, provider, choice))
    return AgentSettings(
        name=name,
        llm_provider=provider,
        fallback_providers=_fallbacks(levels, provider),
        controller=controller,
        max_iterations=MAX_ITERATIONS.last(levels) or Found(DEFAULT_MAX_ITERATIONS, DEFAULT),
        servers=servers,
        native_tools=_native_tools(levels, provider, choice),
        custom_instructions=_instructions(levels),
    )


def synthesis(name: str, levels: Levels, choice: AlertChoice, first: AgentSettings) -> AgentSettings:
    """`first`: the agent whose provider is asked when nobody names one."""
    provider = _provider(levels, choice, first)
    once = Found[Controller]("single_shot", DEFAULT)
    return _asked_once(name, levels, provider, once, _native_tools(levels, provider, choice))


def executive_summary(name: str, levels: Levels, choice: AlertChoice, first: AgentSettings) -> AgentSettings:
    """Says again what was found, so that no tool of any kind is of use."""
    provider = _chosen(choice) or EXECUTIVE_SUMMARY_PROVIDER.last(levels) or _provider(levels, choice, first)
    return _asked_once(name, levels, provider, Found("single_shot", DEFAULT), ())


def _asked_once(
    name: str,
    levels: Levels,
    provider: Found[str],
    controller: Found[Controller],
    native_tools: tuple[Found[NativeTool], ...],
) -> AgentSettings:
    return AgentSettings(
        name=name,
        llm_provider=provider,
        fallback_providers=_fallbacks(levels, provider),
        controller=controller,
        max_iterations=Found(1, controller.origin),
        servers=Found((), controller.origin),
        native_tools=native_tools,
        custom_instructions=_instructions(levels),
    )


def _chosen(choice: AlertChoice) -> Found[str] | None:
    return Found(choice.llm_provider, ALERT) if choice.llm_provider is not None else None


def _provider(levels: Levels, choice: AlertChoice, first: AgentSettings | None) -> Found[str]:
    found = _chosen(choice) or LLM_PROVIDER.last(levels) or levels.sections.default_provider
    if found is None and first is not None:
        found = first.llm_provider
    if found is None:
        raise LookupError("an agent has no llm_provider")  # load_config refuses this
    return found


def _fallbacks(levels: Levels, provider: Found[str]) -> Found[tuple[str, ...]]:
    found = last_fallbacks(levels)
    if found is None:
        return Found((), DEFAULT)
    names = dict.fromkeys(fallback.provider for fallback in found.value)
    known = levels.sections.llm_providers.keys() - {provider.value}  # without those that nothing can ask yet
    return Found(tuple(name for name in names if name in known), found.origin)


def _controller(levels: Levels) -> Found[Controller]:
    kind = AGENT_TYPE.last(levels)
    if kind is not None and kind.value in ONE_QUESTION:
        return Found("single_shot", kind.origin)
    strategy = ITERATION_STRATEGY.last(levels)
    if strategy is None:
        return Found("function_calling", DEFAULT)
    return Found(STRATEGIES[strategy.value], strategy.origin)


def _servers(levels: Levels, choice: AlertChoice) -> Found[tuple[str, ...]]:
    if choice.mcp.servers:
        return Found(tuple(dict.fromkeys(server.name for server in choice.mcp.servers)), ALERT)
    return MCP_SERVERS.last(levels) or Found((), DEFAULT)


def _native_tools(levels: Levels, provider: Found[str], choice: AlertChoice) -> tuple[Found[NativeTool], ...]:
    """Those that are on. A provider that is not configured (any longer) has none."""
    configured = levels.sections.llm_providers.get(provider.value)
    if configured is None or configured.type != "google":
        return ()
    found = ((tool, _native_tool(levels, provider.value, choice, tool)) for tool in NATIVE_TOOLS)
    return tuple(Found(tool, origin) for tool, origin in found if origin is not None)


def _native_tool(levels: Levels, provider: str, choice: AlertChoice, tool: NativeTool) -> Origin | None:
    """The origin that turned it on; None when it is off."""
    sources = levels.sections.sources
    chosen = (choice.mcp.native_tools or {}).get(tool)
    said: tuple[tuple[bool | None, Origin], ...] = (
        (
            getattr(levels.sections.llm_providers[provider].native_tools, tool),
            sources.origin(("llm_providers", provider, "native_tools", tool)),
        ),
        (
            getattr(levels.agent.section.native_tools, tool),
            sources.origin((*levels.agent.place, "native_tools", tool)),
        ),
        (chosen, ALERT),
    )
    on, origin = ([each for each in said if each[0] is not None] or [(False, DEFAULT)])[-1]
    return origin if on else None


def _instructions(levels: Levels) -> Found[str]:
    key = (*levels.agent.place, "custom_instructions")
    return Found(levels.agent.section.custom_instructions, levels.sections.sources.given(key))
