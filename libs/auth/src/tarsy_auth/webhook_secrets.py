"""Secrets of webhooks, read from files beside auth.yaml."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

LEAST_BYTES = 16
MOST_BYTES = 4 << 10

type ReadSecret = Callable[[str], bytes]
"""Built from auth.yaml. Raises ValueError, with a sentence that does not show it: it may be the secret."""


def secrets_in(folder: Path, named: set[Path]) -> ReadSecret:
    """The names of files are relative to `folder`. `named` gets each file, also one that cannot be read."""

    def read(name: str) -> bytes:
        try:
            named.add(folder / name)
            with (folder / name).open("rb") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                content = file.read(MOST_BYTES + 1)
        except OSError as problem:
            raise ValueError(f"names a file that cannot be read: {problem.strerror or 'unknown error'}") from None
        except ValueError:
            raise ValueError("is no name of a file") from None
        _check_mode(mode)
        return _secret_of(content)

    return read


def _check_mode(mode: int) -> None:
    """Raises ValueError."""
    if mode & (stat.S_IROTH | stat.S_IWOTH):
        raise ValueError(
            f"names a file that everybody on this machine may read or write (mode {mode:04o}); run chmod o-rw on it"
        )


def _secret_of(content: bytes) -> bytes:
    """Raises ValueError."""
    if len(content) > MOST_BYTES:
        raise ValueError(f"names a file with more than {MOST_BYTES} bytes, which is no secret")
    # Editors and `echo` end the line. Neither is part of what the sender was given.
    secret = content.removesuffix(b"\n").removesuffix(b"\r")
    if len(secret) < LEAST_BYTES:
        raise ValueError(f"names a file whose secret is too short; it needs {LEAST_BYTES} bytes, better 32 random ones")
    return secret
