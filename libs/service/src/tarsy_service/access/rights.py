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
    """`path` is the template of the route, as its router has it. `also`: a role that may ask it beside those that
    `access` lets in.

    `signed_bytes`: how long a body may be whose signature tells who the caller is. With 0 a signature counts for
    nothing.
    """

    method: str
    path: str
    access: Access
    signed_bytes: int = 0
    also: Role | None = None

    def admits(self, role: Role) -> bool:
        return self.access == "open" or role is self.also or role.may(self.access)


def rights(access: Access, *routes: str, signed_bytes: int = 0, also: Role | None = None) -> tuple[RouteRight, ...]:
    """Each route is written as `METHOD PATH`."""
    split = (route.split(" ") for route in routes)
    return tuple(RouteRight(method, path, access, signed_bytes, also) for method, path in split)


class RightsTable:
    """Where templates overlap, the stricter right counts: the router's order may be another one."""

    def __init__(self, entries: Sequence[RouteRight]) -> None:
        self._by_method: defaultdict[str, list[tuple[re.Pattern[str], RouteRight]]] = defaultdict(list)
        for entry in entries:
            self._by_method[entry.method].append((compile_path(entry.path)[0], entry))

    def strictest_access(self, method: str, path: str) -> Access | None:
        """None for a route of no table."""
        matching = [right.access for right in self._matching_rights(method, path)]
        roles = [access for access in matching if access != "open"]
        if not roles:
            return next(iter(matching), None)
        return max(roles, key=_strictness_of)

    def admits(self, role: Role, method: str, path: str) -> bool:
        """Whether each route that fits lets the role in. False for a route of no table."""
        matching = self._matching_rights(method, path)
        return bool(matching) and all(right.admits(role) for right in matching)

    def methods(self, path: str) -> list[str]:
        """The methods of HTTP that the table has for a path."""
        return sorted(
            method for method in self._by_method if method != WEBSOCKET and self._matching_rights(method, path)
        )

    def limit_signed_bytes(self, method: str, path: str) -> int:
        """How long a body may be whose signature tells who the caller is."""
        return min((right.signed_bytes for right in self._matching_rights(method, path)), default=0)

    def _matching_rights(self, method: str, path: str) -> list[RouteRight]:
        return [right for pattern, right in self._by_method.get(method, ()) if pattern.match(path)]


def _strictness_of(role: Role) -> int:
    """Among people only admins may ask what services ask."""
    return Role.ADMIN if role is Role.SERVICE else role


OWN_RIGHTS = (
    *rights("open", "GET /health", "GET /ready"),
    *rights(Role.VIEWER, "GET /metrics", "GET /openapi.json"),
)
"""For the routes that every process has."""
