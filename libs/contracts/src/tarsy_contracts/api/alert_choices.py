"""Choices of one alert instead of the configuration, and the mistakes that the ingest finds in them."""

from typing import Annotated

from pydantic import ConfigDict, Field, StrictBool

from tarsy_contracts.alert import McpSelection, McpServerSelection
from tarsy_contracts.api.model import ApiModel

MOST_SERVERS = 50
MOST_TOOLS = 200

type Named = Annotated[str, Field(min_length=1, max_length=200)]
type FieldPath = tuple[str | int, ...]


class StrictChoice(ApiModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class McpServerChoice(StrictChoice):
    """`tools`: only these of the server; all without them."""

    name: Named
    tools: Annotated[tuple[Named, ...], Field(max_length=MOST_TOOLS)] | None = None

    def to_selection(self) -> McpServerSelection:
        return McpServerSelection(name=self.name, tools=tuple(dict.fromkeys(self.tools or ())))


class NativeToolChoice(StrictChoice):
    """Tools of the model's provider: on, off, or as configured."""

    google_search: StrictBool | None = None
    code_execution: StrictBool | None = None
    url_context: StrictBool | None = None


class McpChoice(StrictChoice):
    """`servers` replace those of the configuration."""

    servers: Annotated[tuple[McpServerChoice, ...], Field(max_length=MOST_SERVERS)] = ()
    native_tools: NativeToolChoice | None = None

    @property
    def is_empty(self) -> bool:
        return not self.model_fields_set

    def to_selection(self) -> McpSelection | None:
        """None when nothing is chosen."""
        if not self.servers and self.native_tools is None:
            return None
        native = None if self.native_tools is None else self.native_tools.model_dump(exclude_none=True)
        return McpSelection(servers=tuple(server.to_selection() for server in self.servers), native_tools=native)


class AlertChoices(ApiModel):
    """Names that a person chose, for the ingest to compare with the configuration."""

    alert_type: str | None = None
    llm_provider: str | None = None
    mcp: McpChoice | None = None


class ChoiceMistake(ApiModel):
    """`place`: where in the request. `text` repeats nothing that was sent."""

    place: FieldPath
    text: str


class JudgedChoices(ApiModel):
    """`alert_type`: the one that is used, where one was chosen."""

    alert_type: str | None = None
    mistakes: tuple[ChoiceMistake, ...] = ()
