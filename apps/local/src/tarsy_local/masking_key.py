"""The key of placeholders: made once, and kept beside the data, so that a session's placeholders outlive a restart."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from tarsy_service.secret_files import read_secret_file

VARIABLE = "TARSY_MASKING_KEY"
FILE = "masking.key"


def masking_key(folder: Path, environ: Mapping[str, str]) -> str:
    """The one of the environment, or else that of the folder, which is made where there is none.

    Raises SecretFileError.
    """
    told = (read_secret_file("masking_key", environ) or environ.get(VARIABLE, "")).strip()
    return told or _kept(folder / FILE)


def _kept(file: Path) -> str:
    if not file.exists():
        _make(file)
    return file.read_text("ascii", errors="replace").strip()


def _make(file: Path) -> None:
    """Under another name first: half a key would never be mended."""
    fresh = file.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as writing:
        writing.write(f"{secrets.token_hex(32)}\n")
    fresh.rename(file)
