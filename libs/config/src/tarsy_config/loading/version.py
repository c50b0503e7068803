"""Version of a configuration: a short digest of what its files say, without their secrets. It is on the log for ever.

Comments, order of lines and the environment do not change it: templates are taken as they are written.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence

from tarsy_config.document.key_paths import ANY
from tarsy_config.document.plain_data import Document
from tarsy_config.errors import KeyPath
from tarsy_config.skills.configured_skill import ConfiguredSkill

DIGITS = 12
TRANSPORT: KeyPath = ("mcp_servers", ANY, "transport")
SECRETS: tuple[KeyPath, ...] = (
    ("llm_providers", ANY, "api_key"),
    ("llm_providers", ANY, "credentials"),
    (*TRANSPORT, "bearer_token"),
    (*TRANSPORT, "oauth", "client_secret"),
    (*TRANSPORT, "env"),
    (*TRANSPORT, "headers"),
    (*TRANSPORT, "custom_headers"),
)
"""Values at and below these places are left out: of a password in them, guesses could be tried against the digest."""


def version_of(documents: Sequence[Document], skills: Mapping[str, ConfiguredSkill]) -> str:
    content = {
        json.dumps((document.name, *path)): "" if _is_secret(path) else document.texts.get(path, "")
        for document in documents
        for path in document.lines
    }
    content |= {json.dumps(("skills", name)): one.skill.model_dump_json() for name, one in skills.items()}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:DIGITS]


def _is_secret(path: KeyPath) -> bool:
    return any(_begins_as(path, pattern) for pattern in SECRETS)


def _begins_as(path: KeyPath, pattern: KeyPath) -> bool:
    return len(path) >= len(pattern) and all(wanted in (ANY, part) for part, wanted in zip(path, pattern, strict=False))
