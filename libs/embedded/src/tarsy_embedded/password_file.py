"""Passwords of the embedded servers: random, because any user of the machine can connect to their ports."""

import secrets
from pathlib import Path

_NAME = "password"


def password_file(data_dir: Path) -> Path:
    """Its owner's only. There once the server was started for the first time."""
    return data_dir / _NAME


def make_password_once(data_dir: Path) -> str:
    """The password of this folder: a new one at the first call."""
    file = password_file(data_dir)
    if not file.exists():
        write_private(file, secrets.token_urlsafe(24))
    return read_password(data_dir)


def read_password(data_dir: Path) -> str:
    """Raises FileNotFoundError before one was made."""
    return password_file(data_dir).read_text(encoding="ascii")


def write_private(file: Path, content: str) -> None:
    """Whole or not at all, and never readable by others."""
    new = file.with_name(f"{file.name}.new")
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    new.write_text(content, encoding="utf-8")
    new.replace(file)
