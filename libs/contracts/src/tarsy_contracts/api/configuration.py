"""REST answers made of the configuration: alert types, tools, and the whole of it without its secrets."""

from pydantic import Field, JsonValue

from tarsy_contracts.api.model import ApiModel

type Settings = dict[str, JsonValue]


class OfferedAlertType(ApiModel):
    """An alert type that a chain investigates."""

    type: str
    chain_id: str
    description: str


class AlertTypeList(ApiModel):
    """By chain, then by type. An alert that names no type has `default_alert_type`."""

    alert_types: tuple[OfferedAlertType, ...]
    default_chain_id: str
    default_alert_type: str


class DefaultNativeTools(ApiModel):
    """Tools of the LLM provider itself that some agent of the chain has."""

    google_search: bool
    code_execution: bool
    url_context: bool


class DefaultTools(ApiModel):
    """The tools that an alert of this type is investigated with when it chooses none."""

    alert_type: str
    mcp_servers: tuple[str, ...]
    native_tools: DefaultNativeTools


class ChainAgent(ApiModel):
    """An agent as a stage of a chain runs it, and the MCP servers that it uses there."""

    chain_id: str
    stage: str
    agent: str
    mcp_servers: tuple[str, ...]


class SkillText(ApiModel):
    """A skill that agents may read. Masked."""

    name: str
    description: str
    body: str


class LinkTemplate(ApiModel):
    """An address of another system, with places in braces: `cluster`, `namespace`, `workload`, `alert_type`,
    `severity`, `session_id`, `label.NAME` of the alert, and times as `from` and `to` (ISO 8601), `from_ms` and `to_ms`,
    `from_s` and `to_s`. The span begins so many seconds before the session, and ends so many after it.
    """

    name: str
    url: str
    before_seconds: float
    after_seconds: float


class EffectiveConfiguration(ApiModel):
    """The configuration that holds now, built-in entries included. The keys of each section are those of `tarsy.yaml`.

    A key without a value is left out. Durations are texts, such as `60s`. It has no secrets: a token is only shown as
    set, environment variables and headers by name, an address by its host. A value that
    was written with a template names the variable instead.

    `origins`: file and line, or `built-in`, by the JSON pointer of a value, or of a list of values. One that is not
    named there is a default, or is made of others. `chain_agents`: those that use MCP servers, as chains run them.
    `notes`: keys that do not do what somebody may expect of them, each with file and line.
    """

    version: str
    origins: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    defaults: Settings
    limits: Settings
    queue: Settings
    system: Settings
    agents: dict[str, Settings]
    chains: dict[str, Settings]
    mcp_servers: dict[str, Settings]
    llm_providers: dict[str, Settings]
    notifications: dict[str, Settings] = Field(default_factory=dict)
    alert_doors: dict[str, Settings] = Field(default_factory=dict)
    prices: dict[str, Settings] = Field(default_factory=dict)
    links: dict[str, Settings] = Field(default_factory=dict)
    skills: dict[str, Settings]
    chain_agents: tuple[ChainAgent, ...] = ()
