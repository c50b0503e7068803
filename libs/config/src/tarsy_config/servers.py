"""`mcp_servers`: where the tools come from."""

from typing import Any, Literal

from pydantic import Field, SecretStr, model_validator

from tarsy_config.values import Name, Positive, Seconds, Section, later


class Transport(Section):
    """How a server is started and spoken to. Arguments and environment may hold secrets: they are not in the repr.

    `timeout`: seconds that a single request to the server may take, when it is to be less than `limits.tool_call`.
    """

    type: Literal["stdio"]
    command: Name
    args: tuple[str, ...] = Field((), repr=False)
    env: dict[str, SecretStr] = Field(default_factory=dict, repr=False)
    timeout: Seconds | None = None

    @model_validator(mode="before")
    @classmethod
    def _only_stdio(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("type") in ("http", "sse"):
            raise later(f"the transport {value['type']}", "use stdio", key="type")
        return value


class Summarization(Section):
    """When a result is summarised before the agent reads it."""

    enabled: bool = True
    size_threshold_tokens: int = Field(5000, ge=100)
    summary_max_token_limit: int = Field(1000, ge=50)


class McpServer(Section):
    """`repeatable_tools`: tools that the operator declares harmless to run twice though the server does not say so.

    `max_concurrent_calls` run at a time in one gateway, `queue_size` more wait; beyond that it says `busy`.
    """

    transport: Transport
    instructions: str = ""
    summarization: Summarization = Summarization()
    repeatable_tools: tuple[Name, ...] = ()
    max_concurrent_calls: Positive = 4
    queue_size: int = Field(16, ge=0)
