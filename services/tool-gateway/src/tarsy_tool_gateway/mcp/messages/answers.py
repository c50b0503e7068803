"""Shape of JSON-RPC messages: what each is, and what is wrong with an answer. Pure."""

from typing import Any

from mcp_types import JSONRPCMessage
from mcp_types import jsonrpc_message_adapter as MESSAGE

from tarsy_tool_gateway.mcp.messages.json_reading import UnreadableError
from tarsy_tool_gateway.results.text import truncate_at_space

MOST_SAID = 500


def is_from_server(found: Any) -> bool:
    """A request or a notification of the server's own."""
    return isinstance(found, dict) and "method" in found


def id_in(found: Any) -> int | None:
    """Ours are whole numbers. Some languages write them as text, or with a point."""
    match found.get("id") if isinstance(found, dict) else None:
        case bool():
            return None
        case int() as id:
            return id
        case float() as id if id.is_integer():
            return int(id)
        case str() as id if id.isascii() and id.isdigit() and len(id) < 19:
            return int(id)
        case _:
            return None


def message_in(found: Any) -> JSONRPCMessage:
    """For what is no answer. Raises UnreadableError."""
    try:
        return MESSAGE.validate_python(found, by_name=False)
    except ValueError:
        raise UnreadableError("it is no message of JSON-RPC") from None


def answer_in(found: Any, id: int) -> JSONRPCMessage:
    """The answer to the request of that id. Raises UnreadableError."""
    wrong = _find_mistake(found, id)
    if wrong is not None:
        raise UnreadableError(wrong)
    try:
        return MESSAGE.validate_python({**found, "id": id}, by_name=False)
    except ValueError:
        raise UnreadableError("it is no answer of JSON-RPC") from None


def sender_of_none(found: Any) -> str:
    """The reason why an answer belongs to nobody."""
    id = found.get("id")
    if id is None:
        what = "it answered under no id"
    elif id_in(found) is not None:
        what = f"it answered under the id {id_in(found)}, which was not asked"
    else:
        what = "it answered under an id that was never sent"
    error = found.get("error")
    message = error.get("message") if isinstance(error, dict) else None
    return f"{what}, with the error: {truncate_at_space(message, MOST_SAID)}" if isinstance(message, str) else what


def _find_mistake(found: Any, id: int) -> str | None:
    if isinstance(found, list):
        return "it answered in a batch, which the protocol does not have"
    if not isinstance(found, dict):
        return "it is no message of JSON-RPC"
    if id_in(found) != id:
        return sender_of_none(found)
    if found.get("jsonrpc") != "2.0":
        return "it is not JSON-RPC 2.0"
    error = found.get("error")
    if error is not None:
        return _find_mistake_in_error(error)
    if "result" not in found:
        return "it has neither a result nor an error"
    return None if isinstance(found["result"], dict) else "its result is no object"


def _find_mistake_in_error(error: Any) -> str | None:
    if not isinstance(error, dict) or not isinstance(error.get("code"), int):
        return "its error has no code"
    return None if isinstance(error.get("message"), str) else "its error has no message"
