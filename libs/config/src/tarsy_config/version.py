"""Version of a configuration: a short digest of what its files say, without their secrets. It is on the log for ever.

Comments, order of lines and the environment do not change it: templates are taken as they are written.
"""

import hashlib
import json
from collections.abc import Sequence

from tarsy_config.document import Document
from tarsy_config.errors import Place
from tarsy_config.key_paths import ANY

DIGITS = 12
TRANSPORT: Place = ("mcp_servers", ANY, "transport")
SECRETS: tuple[Place, ...] = (
    ("llm_providers", ANY, "api_key"),
    (*TRANSPORT, "bearer_token"),
    (*TRANSPORT, "oauth", "client_secret"),
    (*TRANSPORT, "env"),
    (*TRANSPORT, "headers"),
    (*TRANSPORT, "custom_headers"),
)
"""Values at and below these places are left out: of a password in them, guesses could be tried against the digest."""


def version_of(documents: Sequence[Document]) -> str:
    said = {
        json.dumps((document.name, *place)): "" if _is_secret(place) else document.texts.get(place, "")
        for document in documents
        for place in document.lines
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:DIGITS]


def _is_secret(place: Place) -> bool:
    return any(_begins_as(place, pattern) for pattern in SECRETS)


def _begins_as(place: Place, pattern: Place) -> bool:
    return len(place) >= len(pattern) and all(
        wanted in (ANY, part) for part, wanted in zip(place, pattern, strict=False)
    )
