"""The caller of an HTTP request, and its idempotency key: read in one place, for all doors."""

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tarsy_service.problems import ProblemError

AUTHOR_HEADERS = ("x-forwarded-user", "x-forwarded-email", "x-remote-user")
NOBODY = "api-client"
KEY_HEADER = "idempotency-key"
LONGEST_AUTHOR = 200
LONGEST_KEY = 255
MOST_KEYS = 20_000

OTHER_BODY = "This Idempotency-Key came with another body before. Take another key for another request."


@dataclass(frozen=True, slots=True)
class Caller:
    """`name` is what a proxy in front of us says, not masked. `key`: the same request again has the same one."""

    name: str
    key: str | None

    @property
    def scope(self) -> str:
        """The scope in which keys are unique: two callers may use the same key for different things."""
        return self.name[:LONGEST_AUTHOR]

    def author(self, mask: Callable[[str], str]) -> str:
        """For the record. Cut after masking: half a secret is not recognised."""
        return mask(self.name)[:LONGEST_AUTHOR]


def caller_of(headers: Mapping[str, str], *, otherwise: str = NOBODY) -> Caller:
    """`headers` with names in lower case, or of any. Raises ProblemError for a key that cannot be one."""
    names = (headers.get(name, "").strip() for name in AUTHOR_HEADERS)
    key = headers.get(KEY_HEADER)
    if key is not None and not 0 < len(key.strip()) <= LONGEST_KEY:
        raise ProblemError(400, "Invalid request", f"Idempotency-Key has to have 1 to {LONGEST_KEY} characters.")
    return Caller(next((name for name in names if name), otherwise), key)


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
