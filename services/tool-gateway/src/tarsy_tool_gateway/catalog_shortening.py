"""Shortening of catalog entries to fit one record: a tool without all its words is better than none. Pure."""

from typing import Any

from pydantic import JsonValue

from tarsy_contracts.messages.workers import CatalogTool, ServerCatalogued

MOST_BYTES_EACH = (64 * 1024, 16 * 1024, 4 * 1024, 2 * 1024)
"""Tried one after the other. With the last, as many tools as we list at most fit."""
WORDS = {"description", "title", "examples", "$comment"}
ANYTHING: dict[str, JsonValue] = {"type": "object"}
"""The gateway checks the arguments by the whole schema all the same, and says what is wrong with them."""
CUT = " [shortened]"


def shorten_catalog_entry(seen: ServerCatalogued, most_bytes: int) -> ServerCatalogued:
    """Shortens only the tools that are longer than `most_bytes`."""
    tools = tuple(tool if _json_bytes(tool) <= most_bytes else _shorten_tool(tool, most_bytes) for tool in seen.tools)
    return seen.model_copy(update={"tools": tools})


def _shorten_tool(tool: CatalogTool, most_bytes: int) -> CatalogTool:
    described = tool.model_copy(update={"description": _cut_text(tool.description, most_bytes // 4)})
    wordless = described.model_copy(update={"input_schema": _without_words(described.input_schema)})
    if _json_bytes(wordless) <= most_bytes:
        return wordless
    return described.model_copy(update={"input_schema": ANYTHING, "annotations": None})


def _json_bytes(tool: CatalogTool) -> int:
    return len(tool.model_dump_json().encode())


def _cut_text(text: str, most_bytes: int) -> str:
    data = text.encode(errors="replace")
    if len(data) <= most_bytes:
        return text
    return data[: most_bytes - len(CUT)].decode(errors="ignore") + CUT


def _without_words(schema: Any, *, of_properties: bool = False) -> Any:
    """Without what only explains. A property may be called `title`: its name stays."""
    if isinstance(schema, list):
        return [_without_words(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_words(value, of_properties=key == "properties" and not of_properties)
        for key, value in schema.items()
        if of_properties or key not in WORDS
    }
