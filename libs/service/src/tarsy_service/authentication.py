"""Authentication by the auth file that a setting names. Nothing else here knows where identities come from."""

import time
from pathlib import Path

from tarsy_auth.auth_file import AuthConfig, read_auth_file
from tarsy_auth.authenticator import authenticator
from tarsy_auth.identity import Authenticate
from tarsy_auth.jwks import fetch


def check_auth_file(path: Path) -> AuthConfig:
    """Raises ValueError with every mistake of the file."""
    return read_auth_file(path)


def authenticate_by(path: Path) -> Authenticate:
    """Raises ValueError."""
    return authenticator(check_auth_file(path), fetch, time.time)
