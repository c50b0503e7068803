"""`mcp_servers`: where the tools come from."""

from pydantic import Field

from tarsy_config.transports import Transport
from tarsy_config.values import Backend, Name, Positive, Section


class Summarization(Section):
    """When a result is summarised before the agent reads it, and who writes the summary."""

    enabled: bool = True
    size_threshold_tokens: int = Field(5000, ge=100)
    summary_max_token_limit: int = Field(1000, ge=50)
    llm_provider: Name | None = None
    llm_backend: Backend | None = None


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
