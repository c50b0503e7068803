"""Sieve of tool listings: an entry that the protocol does not allow is left out, and the others stay.

The SDK reads a page as a whole, so that one wrong tool would cost its server. Names and schemas are hostile input: they
reach models, logs and people.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import methods
from pydantic import ValidationError
from pydantic_core import to_json

from tarsy_tool_gateway.mcp.messages.listings import LISTING, MOST_LISTING_BYTES, MOST_TOOLS, TOO_MANY, too_long
from tarsy_tool_gateway.mcp.tool_listing import ListingRefusedError

NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}", re.ASCII)
"""By the protocol (2025-11-25, server/tools)."""
MOST_DEPTH = 64
"""Levels of a schema. Deeper ones would end in a RecursionError somewhere, of ours or of a provider's."""
MOST_NAMED = 10
MOST_CHARACTERS = 100
ASSUMED_VERSION = "2025-11-25"

type Send = Callable[..., Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class RefusedTools:
    """The tools of the last listing that were left out. `named`: the first of them, as the server writes them."""

    count: int = 0
    named: tuple[str, ...] = ()


NONE_REFUSED = RefusedTools()


class ToolSieve:
    def __init__(self) -> None:
        self.refused = NONE_REFUSED
        self._bytes = 0
        self._version: Callable[[], str | None] = lambda: None

    def before(self, send: Send, version: Callable[[], str | None]) -> Send:
        """`send` of the SDK; answers to listings are sieved. `version`: of the protocol, as soon as it is known."""
        self._version = version

        async def sent(method: str, params: Mapping[str, Any] | None, *more: Any, **named: Any) -> dict[str, Any]:
            answer = await send(method, params, *more, **named)
            if method != LISTING:
                return answer
            if not (params or {}).get("cursor"):
                self.refused, self._bytes = NONE_REFUSED, 0
            self._count_listing(answer)
            return self._sieve_answer(answer)

        return sent

    def _count_listing(self, answer: dict[str, Any]) -> None:
        """Before a model is made of it. Pages alone are bounded by who reads them. Raises ListingRefusedError."""
        listed = answer.get("tools")
        if isinstance(listed, list) and len(listed) > MOST_TOOLS:
            raise ListingRefusedError(TOO_MANY)
        if not self._bytes and not answer.get("nextCursor"):
            return
        self._bytes += len(to_json(answer))
        if self._bytes > MOST_LISTING_BYTES:
            raise ListingRefusedError(too_long(self._bytes))

    def _sieve_answer(self, answer: dict[str, Any]) -> dict[str, Any]:
        """An answer that is no listing at all is the SDK's to refuse."""
        listed = answer.get("tools")
        if not isinstance(listed, list):
            return answer
        kept = [entry for entry in listed if _is_sound(entry)]
        if not self._fits_protocol({**answer, "tools": kept}) and self._fits_protocol({**answer, "tools": []}):
            kept = [entry for entry in kept if self._fits_protocol({**answer, "tools": [entry]})]
        if len(kept) == len(listed):
            return answer
        left = {id(entry) for entry in kept}
        self._note_refused([entry for entry in listed if id(entry) not in left])
        return {**answer, "tools": kept}

    def _fits_protocol(self, answer: dict[str, Any]) -> bool:
        try:
            methods.validate_server_result(LISTING, self._version() or ASSUMED_VERSION, answer)
        except ValidationError:
            return False
        except KeyError:
            return True
        return True

    def _note_refused(self, refused: list[Any]) -> None:
        names = [_name_of(entry) for entry in refused[:MOST_NAMED]]
        named = (*self.refused.named, *names)[:MOST_NAMED]
        self.refused = RefusedTools(self.refused.count + len(refused), named)


def _is_sound(entry: Any) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        return False
    return NAME.fullmatch(entry["name"]) is not None and not _is_deep(entry)


def _is_deep(value: Any) -> bool:
    """Avoids recursion."""
    level = [value]
    for _ in range(MOST_DEPTH):
        level = [inner for one in level for inner in _inner_containers(one)]
        if not level:
            return False
    return True


def _inner_containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from (inner for inner in value.values() if isinstance(inner, dict | list))
    elif isinstance(value, list):
        yield from (inner for inner in value if isinstance(inner, dict | list))


def _name_of(entry: Any) -> str:
    name = entry.get("name") if isinstance(entry, dict) else None
    return ascii(name)[: MOST_CHARACTERS + 2] if isinstance(name, str) else "(no name)"
