"""The caller of an HTTP request, and its idempotency key: read in one place, for all doors."""

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from tarsy_auth.identity import Identity
from tarsy_auth.session_groups import VisibleGroups
from tarsy_service.http.problems import ProblemError

AUTHOR_HEADERS = ("x-forwarded-user", "x-forwarded-email", "x-remote-user")
_AUTHOR_NAMES = tuple(name.encode() for name in AUTHOR_HEADERS)
NOBODY = "api-client"
IDENTITY = "tarsy.identity"
"""In a scope: the identity, or None on a route that is open. Without authentication it is not there."""
KEY_HEADER = "idempotency-key"
STILL_MAY = "tarsy.still-may"
"""In the scope of a WebSocket: asks whether its credential would be let in now. Without authentication it is not there.
"""
LONGEST_AUTHOR = 200
LONGEST_KEY = 255
MOST_KEYS = 20_000

OTHER_BODY = "This Idempotency-Key was used with another body before. Use another key for another request."


@dataclass(frozen=True, slots=True)
class Caller:
    """`name` is that of the identity, or what a proxy in front of us says; it is not masked.

    `key`: the same request again has the same one.
    """

    name: str
    key: str | None

    @property
    def scope(self) -> str:
        """The scope in which keys are unique: two callers may use the same key for different things."""
        return self.name[:LONGEST_AUTHOR]

    def author(self, mask: Callable[[str], str]) -> str:
        """For the record. Cut after masking: half a secret is not recognised."""
        return mask(self.name)[:LONGEST_AUTHOR]


def identity_of(connection: HTTPConnection) -> Identity | None:
    """The identity of the authenticated caller."""
    found: Identity | None = connection.scope.get(IDENTITY)
    return found


def visible_groups_of(connection: HTTPConnection) -> VisibleGroups:
    """The session groups that the caller is limited to; None where he sees all sessions."""
    identity = identity_of(connection)
    return None if identity is None else identity.session_groups


async def still_may(websocket: HTTPConnection) -> bool:
    """Whether the credential of an open WebSocket would be let in now: a key may have been taken away."""
    ask: Callable[[], Awaitable[bool]] | None = websocket.scope.get(STILL_MAY)
    return ask is None or await ask()


def caller_of(connection: HTTPConnection, *, otherwise: str = NOBODY) -> Caller:
    """With authentication the author headers count for nothing. Raises ProblemError for a key that cannot be one."""
    key = connection.headers.get(KEY_HEADER)
    if key is not None and not 0 < len(key.strip()) <= LONGEST_KEY:
        raise ProblemError(400, "Invalid request", f"Idempotency-Key has to have 1 to {LONGEST_KEY} characters.")
    return Caller(_name_of(connection) or otherwise, key)


def _name_of(connection: HTTPConnection) -> str:
    if IDENTITY in connection.scope:
        identity = identity_of(connection)
        return "" if identity is None else identity.name
    return _forwarded_name(connection.scope["headers"])


def _forwarded_name(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Read as they came: looking for each of them in Starlette's headers takes five times as long."""
    given = [(name, value.decode("latin-1").strip()) for name, value in headers if name in _AUTHOR_NAMES]
    return next((text for wanted in _AUTHOR_NAMES for name, text in given if name == wanted and text), "")


class KeyedBodies:
    """Digests of the bodies that came under idempotency keys: in this process, and of the last keys only.

    The body of a key that is forgotten, or that another process saw, is unknown. The request then has the identity
    that follows from its key, as any repeat does.
    """

    def __init__(self, most: int = MOST_KEYS) -> None:
        self._most = most
        self._salt = secrets.token_bytes(16)
        self._digests: OrderedDict[str, bytes] = OrderedDict()

    def check(self, request_id: str, body: bytes) -> None:
        """`request_id` stands for caller and key. Raises ProblemError when they came with another body before."""
        digest = hashlib.blake2b(body, digest_size=16, key=self._salt).digest()
        if self._digests.setdefault(request_id, digest) != digest:
            raise ProblemError(422, "Unprocessable Content", OTHER_BODY)
        self._digests.move_to_end(request_id)
        if len(self._digests) > self._most:
            self._digests.popitem(last=False)
