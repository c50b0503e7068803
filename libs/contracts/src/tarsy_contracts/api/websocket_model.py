"""Fields that WebSocket messages have in common."""

from collections.abc import Mapping
from typing import Self

from pydantic import ConfigDict, Field, JsonValue

from tarsy_contracts.api.model import ApiModel, JsonObject, Timestamp
from tarsy_contracts.wire.message import Value


def leave_default_out(schema: JsonObject) -> None:
    """Readers of the schema take a field with a default for one that is always there."""
    schema.pop("default", None)


class WebSocketMessage(ApiModel):
    """`type` has no default: what is sent is what was set."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    def to_text(self) -> str:
        return self.model_dump_json(exclude_unset=True)


class SessionMessage(WebSocketMessage):
    session_id: str
    timestamp: Timestamp


class LoggedMessage(SessionMessage):
    """`db_event_id`: the number, where Go TARSy's clients look for their position. A history has it in its last message
    alone: before that, a client has not all that came until then.
    """

    number: int
    db_event_id: int | None = Field(None, json_schema_extra=leave_default_out)

    def with_facts(self, *facts: Mapping[str, JsonValue | Value]) -> Self:
        """The same message, which tells these fields besides."""
        return self.model_copy(update={name: value for one in facts for name, value in one.items()})
