"""Rights: which role a route needs. A route that stands in no table is for nobody."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from starlette.routing import compile_path

from tarsy_auth.roles import Role

type Access = Role | Literal["open"]
"""`open`: for everybody, also without credentials."""

WEBSOCKET = "WEBSOCKET"
"""Stands where a method would, for a route that is a WebSocket."""


@dataclass(frozen=True, slots=True)
class RouteRight:
    """`path` is the template of the route, as its router has it."""

    method: str
    path: str
    access: Access


def rights(access: Access, *routes: str) -> tuple[RouteRight, ...]:
    """Each route is written as `METHOD PATH`."""
    split = (route.split(" ") for route in routes)
    return tuple(RouteRight(method, path, access) for method, path in split)


class RightsTable:
    def __init__(self, entries: Sequence[RouteRight]) -> None:
        self._by_method: defaultdict[str, list[tuple[re.Pattern[str], Access]]] = defaultdict(list)
        for entry in entries:
            self._by_method[entry.method].append((compile_path(entry.path)[0], entry.access))

    def needed(self, method: str, path: str) -> Access | None:
        """None for a route of no table. Where templates overlap, the highest role counts: the router's order may be
        another one."""
        matching = [access for pattern, access in self._by_method.get(method, ()) if pattern.match(path)]
        roles = [access for access in matching if access != "open"]
        return max(roles) if roles else next(iter(matching), None)


OWN_RIGHTS = (
    *rights("open", "GET /health", "GET /ready"),
    *rights(Role.VIEWER, "GET /metrics", "GET /openapi.json"),
)
"""For the routes that every process has."""
