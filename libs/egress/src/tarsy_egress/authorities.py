"""Certificate authorities of a company, beside those of the system, for all clients of this process and its children.

Libraries and programs take a file from a variable each, and then trust no other. So the file that we write holds both.
"""

import atexit
import os
import ssl
import tempfile
from collections.abc import Mapping, MutableMapping
from pathlib import Path

from tarsy_egress.errors import AuthoritiesError

FILE_VARIABLES = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "AWS_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
)
"""OpenSSL, Go, httpx and uv; requests (so google-auth, azure-identity, traces); curl; botocore; git; Node.js."""
SYSTEM_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
"""Debian; Fedora and RHEL; Alpine and macOS."""


def read_authorities(file: str) -> bytes:
    """Raises AuthoritiesError."""
    try:
        ssl.create_default_context(cafile=file)
        return Path(file).read_bytes()
    except ssl.SSLError:
        raise AuthoritiesError(f"{file} is no PEM file with certificates") from None
    except OSError as problem:
        raise AuthoritiesError(f"{file} cannot be read ({problem.strerror})") from None


def trust_authorities(file: str, environ: MutableMapping[str, str] = os.environ) -> None:
    """Before any client is made. Variables that somebody has set stay as they are, but for SSL_CERT_FILE, whose
    authorities are taken over. A process that inherits what was made here makes it no second time.

    Raises AuthoritiesError.
    """
    ours = read_authorities(file)
    usual = _usual_authorities(environ)
    if ours in usual:
        combined = environ.get("SSL_CERT_FILE") or _write_file(usual)
    else:
        combined = _write_file(usual.rstrip() + b"\n" + ours)
    environ["SSL_CERT_FILE"] = combined
    for variable in FILE_VARIABLES:
        environ.setdefault(variable, combined)


def _usual_authorities(environ: Mapping[str, str]) -> bytes:
    named = environ.get("SSL_CERT_FILE")
    if named:
        return read_authorities(named)
    usual = (ssl.get_default_verify_paths().openssl_cafile, *SYSTEM_FILES)
    return next((Path(file).read_bytes() for file in usual if os.path.isfile(file)), b"")


def _write_file(content: bytes) -> str:
    """Goes with the process that made it. Children read it, too."""
    handle, name = tempfile.mkstemp(prefix="tarsy-authorities-", suffix=".pem")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    atexit.register(_remove_own_file, name, os.getpid())
    return name


def _remove_own_file(name: str, owner: int) -> None:
    """A process that was forked inherits what is registered, but not the file."""
    if os.getpid() == owner:
        Path(name).unlink(missing_ok=True)
