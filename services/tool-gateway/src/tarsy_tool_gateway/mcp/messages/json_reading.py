"""JSON of MCP servers: a wrong byte costs its character; what cannot be read is refused with the reason. Pure."""

import json
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from tarsy_tool_gateway.errors import ToolGatewayError

SMALL_BYTES = 256 * 1024
"""Longer messages are read in a thread."""
TOO_DEEP = "its JSON is nested too deeply"

type Raw = bytes | bytearray


class UnreadableError(ToolGatewayError):
    """A server's message is not what the protocol wants. The operator of the server must act; the text says why."""


@dataclass(frozen=True, slots=True)
class Json:
    """`mended`: not all bytes were as JSON wants them."""

    value: Any
    mended: bool = False


def read_json(raw: Raw) -> Json:
    """Raises UnreadableError."""
    try:
        return Json(from_json(raw))
    except ValueError:
        return Json(_read_patiently(raw), mended=True)


def _read_patiently(raw: Raw) -> Any:
    """With U+FFFD for bytes that are no UTF-8, and for halves of surrogate pairs."""
    try:
        found = json.loads(raw.decode(errors="replace"))
        whole = json.dumps(found, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return from_json(whole)
    except RecursionError:
        raise UnreadableError(TOO_DEEP) from None
    except json.JSONDecodeError as problem:
        raise UnreadableError(f"it is no JSON ({problem.msg} at character {problem.pos} of {len(raw)})") from None
    except ValueError:
        raise UnreadableError(TOO_DEEP) from None
