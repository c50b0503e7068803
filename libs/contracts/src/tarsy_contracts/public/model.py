"""Base of every public event, and the values that several of them have."""

from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from tarsy_contracts.wire.numbers import Count

PREFIX = "urn:tarsy:public:"

Status = Annotated[str, Field(examples=["completed", "failed", "cancelled", "timed_out"])]
"""How something ended. The values may grow."""
Outcome = Annotated[str, Field(examples=["ok", "tool_error", "unavailable", "rejected", "cancelled", "unknown"])]
"""How a tool call ended. `unknown`: it may or may not have run. The values may grow."""
StageKind = Annotated[str, Field(examples=["investigation", "synthesis", "exec_summary", "chat"])]
"""The purpose of a stage. The values may grow."""


class PublicValue(BaseModel):
    """A frozen piece of a public event. Fields that a reader does not know are skipped."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class PublicEvent(PublicValue):
    """An event as other systems read it. `type` and `version` name it on the wire and never change for a class."""

    type: ClassVar[str]
    version: ClassVar[int] = 1

    @classmethod
    def dataschema(cls) -> str:
        return f"{PREFIX}{cls.type}:{cls.version}"

    def to_bytes(self) -> bytes:
        return self.model_dump_json().encode()


class TokenUsage(PublicValue):
    """Tokens as the provider counted them; null where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_written_tokens: int | None = None
    web_searches: int | None = None


class PublicWebSource(PublicValue):
    """A web page. Texts of the session cite it by its `number` (`[source 2]`); 0 where none can.

    Title and address come from outside. The address begins with `http://` or `https://`, or is empty.
    """

    url: str
    title: str = ""
    number: Count = 0
