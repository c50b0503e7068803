"""`mcp_servers`: where the tools come from."""

from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from tarsy_config.sections.approval import Approve, Patterns
from tarsy_config.sections.masking import DataMasking
from tarsy_config.sections.transports import Transport
from tarsy_config.values import Backend, Name, Positive, Section, wrong
from tarsy_contracts.chain import Isolation


class Summarization(Section):
    """When a result is summarised before the agent reads it, and who writes the summary."""

    enabled: bool = True
    size_threshold_tokens: int = Field(8000, ge=100)
    summary_max_token_limit: int = Field(1000, ge=50)
    llm_provider: Name | None = None
    llm_backend: Backend | None = None


type Elicitation = Literal["decline", "accept_defaults"]


class McpServerConfig(Section):
    """`repeatable_tools`: tools that the operator declares harmless to run twice though the server does not say so;
    `unrepeatable_tools`: those that he declares harmful though it does.

    `read_only_tools`: tools that the operator declares to change nothing. Tools of `unrepeatable_tools` count as
    harmful, whatever the server says. `allow`: tools that agents get though they are not read-only; None where the
    operator has not said anything yet, which allows none. `approve`: the calls that wait for a person.
    `dry_run`: by tool, the arguments that make a call harmless: it is tried out so, before it is made or approved.
    `use_known_tools`: tools of a popular server that its documentation calls reading only are read-only without a word.

    `elicitation`: the answer to a form of the server.

    `isolation`: whether all investigations share a session with the server, or each has one of its own.

    `max_concurrent_calls` run at a time in one gateway, `queue_size` more wait; beyond that it says `busy`.
    """

    transport: Transport
    instructions: str = ""
    data_masking: DataMasking = DataMasking()
    summarization: Summarization = Summarization()
    repeatable_tools: tuple[Name, ...] = ()
    unrepeatable_tools: tuple[Name, ...] = ()
    read_only_tools: Patterns = ()
    allow: Patterns | None = None
    use_known_tools: bool = True
    approve: Approve | None = None
    dry_run: dict[Name, dict[Name, JsonValue]] = Field(default_factory=dict)
    elicitation: Elicitation = "decline"
    max_concurrent_calls: Positive = 4
    queue_size: int = Field(16, ge=0)
    isolation: Isolation | None = None

    @property
    def isolation_in_use(self) -> Isolation:
        """The default is `session` if the transport sends the session to the server, else `shared`."""
        return self.isolation or ("session" if self.transport.names_session else "shared")

    @model_validator(mode="after")
    def _require_one_word_on_each_tool(self) -> Self:
        if set(self.repeatable_tools) & set(self.unrepeatable_tools):
            problem = "names a tool that repeatable_tools names too"
            raise wrong(problem, "keep it in one of them", key="unrepeatable_tools")
        if set(self.read_only_tools) & set(self.unrepeatable_tools):
            problem = "names a tool that read_only_tools names too"
            raise wrong(problem, "keep it in one of them", key="unrepeatable_tools")
        return self

    @model_validator(mode="after")
    def _require_isolation_as_stated(self) -> Self:
        if self.isolation == "shared" and self.transport.names_session:
            problem = "is shared, but the transport tells the server which session it is"
            raise wrong(problem, "remove isolation, or {{.SESSION_ID}}", key="isolation")
        return self
