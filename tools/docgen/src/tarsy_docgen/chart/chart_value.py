"""One value of the chart, as its schema has it: what values.yaml and the page show of it."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, JsonValue


class ChartValue(BaseModel):
    """One with a default stands by itself; one without has values of its own below it."""

    model_config = ConfigDict(frozen=True)

    type: str
    description: str = ""
    default: JsonValue = None
    enum: tuple[str, ...] = ()
    properties: Mapping[str, "ChartValue"] = {}

    @property
    def has_default(self) -> bool:
        return "default" in self.model_fields_set
