"""Upcasters: bodies of earlier versions of a message, turned into those of the next one.

The log is kept for ever, so that readers meet every version that was ever written. Each upcaster makes one step, and is
never changed: what it turns is on record. All pure.
"""

from collections.abc import Callable, Mapping

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from tarsy_contracts.errors import ContractError

type Body = dict[str, JsonValue]
type Upcaster = Callable[[Body], Body]


class MissingUpcasterError(ContractError, LookupError):
    """A version that no upcaster turns into the next one. We write the upcaster."""


def upcast(type: str, version: int, wanted: int, value: bytes) -> bytes:
    """The body in the `wanted` version. Raises MissingUpcasterError, or ValueError for what is no JSON object."""
    body = from_json(value)
    if not isinstance(body, dict):
        raise ValueError("not a JSON object")
    for step in range(version, wanted):
        upcaster = UPCASTERS.get((type, step))
        if upcaster is None:
            raise MissingUpcasterError(f"{type} version {step}")
        body = upcaster(body)
    return to_json(body)


def _name_native_tools(body: Body) -> Body:
    """Version 1 had a field for each native tool of an alert's selection, null where nothing was chosen."""
    alert = body.get("alert")
    mcp = alert.get("mcp") if isinstance(alert, dict) else None
    native = mcp.get("native_tools") if isinstance(mcp, dict) else None
    if not (isinstance(alert, dict) and isinstance(mcp, dict) and isinstance(native, dict)):
        return body
    chosen: Body = {name: on for name, on in native.items() if on is not None}
    return {**body, "alert": {**alert, "mcp": {**mcp, "native_tools": chosen}}}


UPCASTERS: Mapping[tuple[str, int], Upcaster] = {
    ("alert.received", 1): _name_native_tools,
    ("session.started", 1): _name_native_tools,
}
"""By type and the version that is turned into the next one."""
