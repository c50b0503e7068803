"""Resolution of the settings of an agent: the last place that has one wins, where its rule says nothing else.

A synthesis is resolved like an agent of its stage, a chat or an executive summary like an agent of the chain. Each
takes its own section instead of the agent's. The provider that an alert names is asked by all agents.
Fallbacks stay as they are configured, and so do summaries: they ask it where neither `defaults.summarization` nor the
server names a provider.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from tarsy_config.document.key_paths import CHAIN
from tarsy_config.document.provenance import ALERT, DEFAULT, Found, Sources
from tarsy_config.errors import KeyPath, format_path
from tarsy_config.sections.fallbacks import Fallback
from tarsy_config.sections.providers import LlmProvider
from tarsy_config.sections.sub_agents import LIMITS, SubAgentChoice
from tarsy_config.values import STRATEGIES, Section
from tarsy_contracts.actions import ActionMode
from tarsy_contracts.alert import McpSelection
from tarsy_contracts.budgets import NO_BUDGET, Budget
from tarsy_contracts.chain import NATIVE_TOOLS, Controller, NativeTool, SubAgentLimits

ONE_QUESTION = frozenset({"synthesis", "exec_summary"})
"""Types of agents that have no tools."""
NO_SELECTION = McpSelection()
NOBODY = Found("", DEFAULT)


@dataclass(frozen=True, slots=True)
class At[S: Section]:
    place: KeyPath
    section: S


@dataclass(frozen=True, slots=True)
class AlertChoice:
    """Choice of an alert instead of what is configured. Its names are not checked here."""

    mcp: McpSelection = NO_SELECTION
    llm_provider: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


AS_CONFIGURED = AlertChoice()


@dataclass(frozen=True, slots=True)
class Levels:
    """All that decides about the settings of an agent. `places`: from the most general one to the most special one.

    `job`: the type of an agent that no stage names, and that is asked once. `sent`: another agent sends it.
    `skills`: the names of all. `provider`: the one that it asks first (`find_provider`). `first_provider` and
    `other_servers` are those of the chain's other agents, for an agent for which no place sets any.
    """

    places: tuple[At[Section], ...]
    sources: Sources
    llm_providers: Mapping[str, LlmProvider]
    fallback_lists: Mapping[str, tuple[Fallback, ...]]
    choice: AlertChoice = AS_CONFIGURED
    job: str = ""
    sent: bool = False
    provider: Found[str] = NOBODY
    first_provider: Found[str] | None = None
    other_servers: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()

    def last(self, *path: str) -> Found[Any] | None:
        """The word of the last place that has a key, or one inside it."""
        return next(self.search(path), None)

    def search(self, *paths: Sequence[str]) -> Iterator[Found[Any]]:
        """From the most special place on."""
        for at in reversed(self.places):
            for path in paths:
                if (value := reduce(_inside, path, at.section)) is not None:
                    yield Found(value, self.sources.origin_or_default((*at.place, *path)))


def _inside(section: Any, key: str) -> Any:
    return vars(section).get(key) if isinstance(section, Section) else None


type Setting = Found[Any] | tuple[Found[Any], ...]
type Rule = Callable[[Option, Levels], Setting]


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of an agent. `key`: as tarsy.yaml has it; `at`: the sections that may have it.

    `rule` finds the field `setting` (or `key`) of an agent's settings; without one, the rule of another option reads
    the key. `otherwise`: the value where no place has any. `asked_once`: that of an agent that is asked once, without
    tools. `free_text`: it may hold a secret, and is shown by the variables that it was written with.

    `order`: its row in docs/reference/configuration.md, with `{}` for the sections.
    """

    key: str
    at: tuple[KeyPath, ...]
    rule: Rule | None = None
    setting: str = ""
    otherwise: Any = None
    asked_once: Any = None
    free_text: bool = False
    order: str = ""


def take_last(option: Option, levels: Levels) -> Found[Any]:
    return levels.last(option.key) or Found(option.otherwise, DEFAULT)


def take_provider(_option: Option, levels: Levels) -> Found[str]:
    return levels.provider


def find_provider(levels: Levels) -> Found[str]:
    """The first that can be asked where the place names several; that of the first agent where none names any."""
    if levels.choice.llm_provider is not None:
        return Found(levels.choice.llm_provider, ALERT)
    own = levels.last("executive_summary_provider") if levels.job == "exec_summary" else None
    found = own or levels.last("llm_provider")
    if found is not None and isinstance(found.value, tuple):
        names = [name for name in found.value if name in levels.llm_providers]
        usable = [name for name in names if levels.llm_providers[name].usable]
        found = next((Found(name, found.origin) for name in (*usable, *reversed(names))), None)
    found = found or levels.first_provider
    if found is None:
        raise LookupError("an agent has no llm_provider")  # load_config refuses this
    return found


def take_last_list(option: Option, levels: Levels) -> Found[tuple[str, ...]]:
    """Those of the last level that has a list or names one: each once, without those that cannot be asked yet."""
    found = find_fallbacks(levels, (option.key,), ("fallback_list",)) or Found((), DEFAULT)
    return Found(tuple(name for name in found.value if name != levels.provider.value), found.origin)


def find_fallbacks(levels: Levels, *paths: Sequence[str]) -> Found[tuple[str, ...]] | None:
    """Returns those of the last list that is there, or named, at any of the paths. An empty name counts for nothing."""
    found = next((one for one in levels.search(*paths) if one.value != ""), None)
    if found is None:
        return None
    fallbacks = levels.fallback_lists[found.value] if isinstance(found.value, str) else found.value
    names = dict.fromkeys(fallback.provider for fallback in fallbacks)
    return Found(tuple(name for name in names if name in levels.llm_providers), found.origin)


def choose_controller(option: Option, levels: Levels) -> Found[Controller]:
    kind = Found(levels.job, DEFAULT) if levels.job else levels.last("type")
    if kind is not None and (levels.job or kind.value in ONE_QUESTION):
        return Found("single_shot", kind.origin)
    strategy = take_last(option, levels)
    return Found(STRATEGIES[strategy.value], strategy.origin)


def choose_action(option: Option, levels: Levels) -> Found[ActionMode]:
    """An agent that does not act has none."""
    kind = None if levels.job else levels.last("type")
    return take_last(option, levels) if kind is not None and kind.value == "action" else Found("", DEFAULT)


def replace_list(option: Option, levels: Levels) -> Found[tuple[str, ...]]:
    """That of the alert, of the last place, or all of the chain's other agents."""
    if levels.choice.mcp.servers:
        return Found(tuple(dict.fromkeys(server.name for server in levels.choice.mcp.servers)), ALERT)
    return levels.last(option.key) or Found(levels.other_servers, DEFAULT)


def add_skills(option: Option, levels: Levels) -> Found[tuple[str, ...]]:
    """All that are configured, where the agent itself has no list. Required ones are always among them."""
    required = _names(levels, "required_skills").value
    own = [at for at in levels.places if at.place[0] == "agents" and _inside(at.section, option.key) is not None]
    listed = _names(levels, option.key) if own else Found(levels.skills, DEFAULT)
    return Found(tuple(dict.fromkeys((*required, *listed.value))), listed.origin)


def add_names(option: Option, levels: Levels) -> Found[tuple[str, ...]]:
    """Those of all places, the most general one first."""
    return _names(levels, option.key)


def _names(levels: Levels, key: str) -> Found[tuple[str, ...]]:
    lists = list(levels.search((key,)))
    names = (name for found in reversed(lists) for name in found.value)
    origin = next((found.origin for found in lists if found.value), lists[-1].origin if lists else DEFAULT)
    return Found(tuple(dict.fromkeys(names)), origin)


def take_sub_agents(option: Option, levels: Levels) -> Found[tuple[str, ...]]:
    """Returns their keys in the plan. A sub-agent sends only those that its own definition names."""
    places = [at for at in levels.places if not levels.sent or at.place[0] == "agents"]
    for at in reversed(places):
        named = _inside(at.section, option.key)
        if named is not None:
            keys = tuple(dict.fromkeys(key_of_sub_agent(at.place, index, one) for index, one in enumerate(named)))
            return Found(keys, levels.sources.origin_or_default((*at.place, option.key)))
    return Found((), DEFAULT)


def key_of_sub_agent(place: KeyPath, index: int, named: SubAgentChoice) -> str:
    """Returns its name, or where it is named if settings stand beside that."""
    if named.model_fields_set <= {"name"}:
        return named.name
    return f"{named.name} ({format_path((*place, 'sub_agents', index))})"


def take_budget(option: Option, levels: Levels) -> Found[Budget]:
    """That of one run of the agent. In `defaults` and chains the same key is the budget of a session."""
    special = [at for at in levels.places if at.place != ("defaults",) and at.place[:1] + at.place[2:] != CHAIN[:1]]
    found = replace(levels, places=tuple(special)).last(option.key)
    return Found(NO_BUDGET, DEFAULT) if found is None else Found(found.value.to_budget(), found.origin)


def take_each_limit(option: Option, levels: Levels) -> Found[SubAgentLimits]:
    """Its origin is that of the most special one that is set."""
    found = {field: levels.last(option.key, key) for key, field in LIMITS.items()}
    values = {field: one.value for field, one in found.items() if one is not None}
    place = next((one for at in reversed(levels.places) if (one := _set_limits(at, option)) is not None), None)
    origin = DEFAULT if place is None else levels.sources.origin_or_default(place)
    return Found(SubAgentLimits(**values), origin)


def _set_limits(at: At[Section], option: Option) -> KeyPath | None:
    limits = _inside(at.section, option.key)
    return (*at.place, option.key) if limits is not None and limits.model_fields_set else None


def take_each_tool(option: Option, levels: Levels) -> tuple[Found[NativeTool], ...]:
    """Those that are on, and that the provider has."""
    offered = _offered_tools(levels)
    return tuple(found for found in _wanted_tools(option, levels) if found.value in offered)


def take_each_lacking_tool(option: Option, levels: Levels) -> tuple[Found[NativeTool], ...]:
    """Those that are on, and that the provider has not. A fallback may have them."""
    offered = _offered_tools(levels)
    return tuple(found for found in _wanted_tools(option, levels) if found.value not in offered)


def _offered_tools(levels: Levels) -> tuple[NativeTool, ...]:
    """A provider that is not configured (any longer) has none."""
    provider = levels.llm_providers.get(levels.provider.value)
    return () if provider is None else provider.offered_native_tools


def _wanted_tools(option: Option, levels: Levels) -> Iterator[Found[NativeTool]]:
    """Summaries, judges and reflections say again what was found, so that no tool is of use."""
    if levels.job in ("exec_summary", "compose", "scoring", "reflection"):
        return
    name = levels.provider.value
    if (provider := levels.llm_providers.get(name)) is not None:
        levels = replace(levels, places=(At(("llm_providers", name), provider), *levels.places))
    chosen = levels.choice.mcp.native_tools or {}
    for tool in NATIVE_TOOLS:
        found = Found(chosen[tool], ALERT) if tool in chosen else levels.last(option.key, tool)
        if found is not None and found.value:
            yield Found(tool, found.origin)
