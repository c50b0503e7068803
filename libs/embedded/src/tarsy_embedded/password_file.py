"""Passwords of the embedded servers: random, because any user of the machine can connect to their ports."""

import secrets
from pathlib import Path

_NAME = "password"


def password_file(data_dir: Path) -> Path:
    """Its owner's only. Made at the first call."""
    file = data_dir / _NAME
    if not file.exists():
        write_private(file, secrets.token_urlsafe(24))
    return file


def read_password(data_dir: Path) -> str:
    return password_file(data_dir).read_text(encoding="ascii")


def write_private(file: Path, content: str) -> None:
    """Whole or not at all, and never readable by others."""
    new = file.with_name(f"{file.name}.new")
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    new.write_text(content, encoding="utf-8")
    new.replace(file)
