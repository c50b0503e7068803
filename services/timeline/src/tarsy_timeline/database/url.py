"""PostgreSQL URLs: shown without a password; mistakes about TLS, which asyncpg would take for a server that is away."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
FILES = ("sslrootcert", "sslcert", "sslkey", "sslcrl")


def without_password(url: str) -> str:
    """For people: server, port and database of a PostgreSQL URL, and nothing else of it."""
    try:
        parts = urlsplit(url)
        if not parts.hostname or "@" in parts.path + parts.query:
            return f"{parts.scheme}://…"
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        return f"{parts.scheme}://{host}:{parts.port or 5432}{parts.path}"
    except ValueError:
        return "postgresql://…"


def tls_mistakes(url: str) -> Iterator[str]:
    """Sentences that never quote the rest of the URL: it may hold a password."""
    try:
        given = dict(parse_qsl(urlsplit(url).query))
    except ValueError:
        return
    mode = given.get("sslmode", "").replace("_", "-")
    if mode and mode not in MODES:
        yield f"sslmode has to be one of {', '.join(MODES)}"
    for name in FILES:
        if file := given.get(name):
            yield from _describe_unreadable_file(name, file)
    if mode.startswith("verify-") and not _has_authorities(given):
        yield f"sslmode={mode} needs sslrootcert, the file of the authorities that may have signed the certificate"


def _describe_unreadable_file(name: str, file: str) -> Iterator[str]:
    try:
        Path(file).read_bytes()
    except OSError as problem:
        hint = ": name the file of the system's authorities" if (name, file) == ("sslrootcert", "system") else ""
        yield f"{name}={file} cannot be read ({problem.strerror}){hint}"


def _has_authorities(given: dict[str, str]) -> bool:
    """As asyncpg finds them."""
    named = given.get("sslrootcert") or os.environ.get("PGSSLROOTCERT")
    return bool(named) or (Path.home() / ".postgresql" / "root.crt").exists()
