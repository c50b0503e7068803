"""Webhooks: bodies that their sender signed with a shared secret (HMAC-SHA256)."""

import hmac
import re
from collections import defaultdict
from collections.abc import Iterable, Set

from tarsy_auth.auth_config import WebhookEntry
from tarsy_auth.identity import Identity, Refusal
from tarsy_auth.refusals import MALFORMED_SIGNATURE, UNKNOWN_SIGNATURE
from tarsy_auth.roles import Role

FORM = re.compile(r"(?:sha256=)?([0-9a-fA-F]{64})")
"""GitHub names the algorithm, Grafana does not."""


class Webhooks:
    """Those of the file. Several senders may sign in the same header."""

    def __init__(self, entries: Iterable[WebhookEntry] = ()) -> None:
        self._entries: dict[str, list[WebhookEntry]] = defaultdict(list)
        for entry in entries:
            self._entries[entry.header.lower()].append(entry)

    @property
    def headers(self) -> Set[str]:
        """The names of the signature headers, in lower case."""
        return self._entries.keys()

    def identify(self, header: str, value: str, body: bytes) -> Identity | Refusal:
        """`header` is one of `headers`, `value` what stands in it."""
        form = FORM.fullmatch(value.strip())
        if form is None:
            return MALFORMED_SIGNATURE
        signature = bytes.fromhex(form[1])
        for entry in self._entries[header]:
            own = hmac.digest(entry.secret.get_secret_value(), body, "sha256")
            if hmac.compare_digest(own, signature):
                # Not even a digest of the secret: people choose some of them, and these could be guessed by it.
                return Identity(entry.name, Role.RESPONDER, "webhook", entry.name)
        return UNKNOWN_SIGNATURE
