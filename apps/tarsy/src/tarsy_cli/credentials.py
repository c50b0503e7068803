"""The key that the command sends: that of TARSY_API_KEY, or of the file that TARSY_API_KEY_FILE names."""

import os

from tarsy_cli.errors import CommandError
from tarsy_service.access.credentials import bearer
from tarsy_service.settings.secret_files import SecretFileError, read_secret_file

NAME, VARIABLE = "api_key", "TARSY_API_KEY"
WITHOUT = f"{VARIABLE} holds no key: set it to one that this TARSy knows."
WRONG = f"The key in {VARIABLE} is not one that this TARSy takes now."


def key_headers() -> dict[str, str]:
    """For each request and WebSocket. Raises CommandError when the file cannot be read, or holds no key."""
    try:
        key = read_secret_file(NAME, os.environ) or os.environ.get(VARIABLE, "")
        return bearer(key.strip())
    except SecretFileError as problem:
        raise CommandError(str(problem)) from problem
    except ValueError as problem:
        raise CommandError(f"{VARIABLE}: {problem}") from None


def explain_401() -> str:
    """A sentence for callers that are answered with 401."""
    return WRONG if key_headers() else WITHOUT
