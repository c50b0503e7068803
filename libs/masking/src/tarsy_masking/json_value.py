"""Types of JSON values."""

type JsonValue = dict[str, "JsonValue"] | list["JsonValue"] | str | int | float | bool | None
type JsonObject = dict[str, JsonValue]
