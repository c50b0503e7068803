"""MCP servers and tools that one alert is investigated with, instead of those that are configured."""

from collections.abc import Collection
from typing import Annotated

from pydantic import ConfigDict, Field, StrictBool

from tarsy_contracts.alert import McpSelection, McpServerSelection
from tarsy_ingest.raw_alert import FieldError, Payload

MOST_SERVERS = 50
MOST_TOOLS = 200

type Named = Annotated[str, Field(min_length=1, max_length=200)]


class StrictPayload(Payload):
    model_config = ConfigDict(extra="forbid")


class McpServerChoice(StrictPayload):
    """`tools`: only these of the server; all without them."""

    name: Named
    tools: Annotated[tuple[Named, ...], Field(max_length=MOST_TOOLS)] | None = None

    def selected(self) -> McpServerSelection:
        return McpServerSelection(name=self.name, tools=tuple(dict.fromkeys(self.tools or ())))


class NativeToolChoice(StrictPayload):
    """Tools of the model's provider: on, off, or as configured."""

    google_search: StrictBool | None = None
    code_execution: StrictBool | None = None
    url_context: StrictBool | None = None


class McpChoice(StrictPayload):
    """`servers` replace those of the configuration."""

    servers: Annotated[tuple[McpServerChoice, ...], Field(max_length=MOST_SERVERS)] = ()
    native_tools: NativeToolChoice | None = None

    @property
    def is_empty(self) -> bool:
        return not self.model_fields_set

    def selected(self) -> McpSelection | None:
        """None when nothing is chosen."""
        if not self.servers and self.native_tools is None:
            return None
        native = None if self.native_tools is None else self.native_tools.model_dump(exclude_none=True)
        return McpSelection(servers=tuple(server.selected() for server in self.servers), native_tools=native)


def mistakes_in_choice(choice: McpChoice, known: Collection[str]) -> list[FieldError]:
    """The names that were sent are not repeated; those that exist are told."""
    if choice.is_empty:
        return []
    if not choice.servers:
        return [(("mcp", "servers"), "name at least one server, or leave mcp out")]
    mistakes: list[FieldError] = []
    seen: set[str] = set()
    for index, server in enumerate(choice.servers):
        place = ("mcp", "servers", index, "name")
        if server.name not in known:
            mistakes.append((place, f"no MCP server has this name; known: {', '.join(sorted(known)) or 'none'}"))
        elif server.name in seen:
            mistakes.append((place, "names the server a second time"))
        seen.add(server.name)
    return mistakes
