"""API model base class, and the types that its fields share."""

from typing import Annotated

from pydantic import ConfigDict, Field, GetPydanticSchema, JsonValue
from pydantic_core import core_schema

from tarsy_contracts.wire.message import Value


class ApiModel(Value):
    """Answers have every field of their schema. A reader does without those that have a default: older servers did."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


Timestamp = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""RFC 3339 in UTC with milliseconds, as `wire_time` writes it. Text, as gateways pass thousands of them on."""

JsonObject = Annotated[
    dict[str, JsonValue],
    GetPydanticSchema(lambda _source, _handler: core_schema.dict_schema(core_schema.str_schema())),
]
"""Any JSON object. Not validated: it comes from a JSON column, or goes to a page."""
