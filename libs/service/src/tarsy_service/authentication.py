"""Authentication by the auth file that a setting names. Nothing else here knows where identities come from."""

import time
from pathlib import Path

from tarsy_auth.auth_file import read_auth_file
from tarsy_auth.authenticator import authenticator
from tarsy_auth.http_fetch import http_fetch
from tarsy_auth.identity import Authenticate
from tarsy_auth.webhooks import Webhooks


def check_auth_file(path: Path) -> None:
    """Raises ValueError with every mistake of the file."""
    read_auth_file(path)


def authentication_by(path: Path) -> tuple[Authenticate, Webhooks]:
    """Raises ValueError."""
    config = read_auth_file(path)
    return authenticator(config, http_fetch(), time.time), Webhooks(config.webhooks)
