"""Keys that are made once, and kept beside the data: what they protect outlives a restart."""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tarsy_service.settings.secret_files import read_secret_file, variable_of


@dataclass(frozen=True, slots=True)
class KeptKey:
    """`setting`: the one that gives it to services."""

    setting: str
    file: str

    @property
    def variable(self) -> str:
        return variable_of(self.setting)


MASKING_KEY = KeptKey("masking_key", "masking.key")
"""The key of placeholders: a session's own outlive a restart."""
TOKEN_KEY = KeptKey("token_key", "token.key")
"""The key of logins at MCP servers, which lie encrypted on a topic."""


def read_or_create_key(key: KeptKey, folder: Path, environ: Mapping[str, str]) -> str:
    """The one of the environment, or else that of the folder, which is made where there is none.

    Raises SecretFileError.
    """
    configured = (read_secret_file(key.setting, environ) or environ.get(key.variable, "")).strip()
    return configured or _read_or_make_key(folder / key.file)


def _read_or_make_key(file: Path) -> str:
    if not file.exists():
        _make_key_file(file)
    return file.read_text("ascii", errors="replace").strip()


def _make_key_file(file: Path) -> None:
    """Under another name first: half a key would never be mended."""
    fresh = file.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as writing:
        writing.write(f"{secrets.token_hex(32)}\n")
    fresh.rename(file)
