"""STAND-IN, dropped at the merge: an auth file is not read here."""

from dataclasses import dataclass
from pathlib import Path


class AuthFileError(ValueError):
    """Mistakes of an auth file. The operator corrects them."""


@dataclass(frozen=True, slots=True)
class AuthConfig:
    path: Path


def read_auth_file(path: Path) -> AuthConfig:
    try:
        path.read_bytes()
    except OSError as problem:
        raise AuthFileError(f"{path} cannot be read ({problem.strerror})") from None
    return AuthConfig(path)
