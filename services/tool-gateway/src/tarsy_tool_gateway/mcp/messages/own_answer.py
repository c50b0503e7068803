"""Answer to one request, which came on a way of its own: it can be meant for no other. Pure."""

from pydantic_core import to_json

from tarsy_tool_gateway.mcp.messages.answers import answer_in, is_from_server
from tarsy_tool_gateway.mcp.messages.json_reading import Raw, read_json
from tarsy_tool_gateway.mcp.messages.listings import LISTING, read_listing


def check_answer(raw: Raw, id: int, method: str) -> Raw:
    """The answer as the SDK can read it. Raises UnreadableError."""
    read = read_listing(raw) if method == LISTING else read_json(raw)
    return _encode_answer(raw, read.value, id, mended=read.mended)


def check_message(raw: Raw, id: int, method: str) -> tuple[Raw, bool]:
    """A message of a stream that ends with the answer, and whether it is the answer. Raises UnreadableError."""
    read = read_listing(raw) if method == LISTING else read_json(raw)
    if is_from_server(read.value):
        return (to_json(read.value) if read.mended else raw), False
    return _encode_answer(raw, read.value, id, mended=read.mended), True


def _encode_answer(raw: Raw, found: object, id: int, *, mended: bool) -> Raw:
    message = answer_in(found, id)
    as_it_was = isinstance(found, dict) and found.get("id") == id and not isinstance(found["id"], float | str)
    if as_it_was and not mended:
        return raw
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
