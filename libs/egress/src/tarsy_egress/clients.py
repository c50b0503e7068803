"""TLS of what we ask, and the HTTP client for what is inside."""

import os
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2


def tls_context(ca_file: str | os.PathLike[str] | None = None) -> ssl.SSLContext:
    """Trusts the authorities of `ca_file`; without one those of the system, or of SSL_CERT_FILE or SSL_CERT_DIR.

    A client of httpx with `trust_env=False` has to be given it: it would not look at these variables. aiohttp has read
    them when it was imported. Raises ssl.SSLError, OSError.
    """
    if ca_file is None:
        # Only who asks somebody pays for the import.
        import httpx2

        context = httpx2.create_ssl_context()
    else:
        context = ssl.create_default_context(cafile=ca_file)
    # Python refuses certificates that leave out extensions of RFC 5280, as those of many companies do.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def inside_client(
    base_url: str, *, seconds: float | None, headers: Mapping[str, str] | None = None
) -> "httpx2.AsyncClient":
    """For a service of ours: no proxy of the environment leads there.

    Reading all certificates takes 20 ms, and plain HTTP needs none.
    """
    import httpx2

    verify = False if base_url.startswith("http://") else tls_context()
    return httpx2.AsyncClient(
        base_url=base_url, headers=dict(headers or {}), timeout=seconds, trust_env=False, verify=verify
    )
