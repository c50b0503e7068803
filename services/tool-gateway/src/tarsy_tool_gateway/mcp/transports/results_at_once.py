"""Results of calls in answers that came whole: as JSON, or as the one event of a stream. Pure."""

from collections.abc import Iterator
from typing import Any

from pydantic_core import from_json


def result_in_json(content: bytes | str, id: int) -> dict[str, Any] | None:
    """The result in the answer to the request `id`; None where it is anything else."""
    try:
        answer = from_json(content)
    except ValueError:
        return None
    match answer:
        case {"jsonrpc": "2.0", "id": answered, "result": dict(result), **more} if answered == id and not more:
            return result
        case _:
            return None


def result_in_events(begun: bytes, id: int) -> dict[str, Any] | None:
    """The result, if these bytes are whole events, of which one says something, and that is the answer."""
    try:
        text = begun.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
    if not text.endswith("\n\n") or "\r" in text:
        return None
    messages = [data for event in text.split("\n\n") if (data := _event_data(event)) != ""]
    return result_in_json(messages[0], id) if len(messages) == 1 and messages[0] is not None else None


def _event_data(event: str) -> str | None:
    """Nothing for a comment, or for an event that only gives the stream a position; None for one of another kind."""
    fields = [line.partition(":") for line in event.split("\n") if line]
    if any(value.removeprefix(" ") != "message" for name, _, value in fields if name == "event"):
        return None
    return "\n".join(_data_values(fields))


def _data_values(fields: list[tuple[str, str, str]]) -> Iterator[str]:
    for name, _, value in fields:
        if name == "data":
            yield value.removeprefix(" ")
