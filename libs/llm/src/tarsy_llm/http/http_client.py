"""HTTP client that adapters give to their SDK."""

from typing import TYPE_CHECKING

from tarsy_egress.clients import tls_context
from tarsy_egress.proxies import bypasses_proxy

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 10.0
WRITE_SECONDS = 60.0
"""A conversation can be megabytes, and the line slow."""
IDLE_CONNECTIONS = 100
"""The number of connections that are kept for the next calls."""


def http_client(base_url: str | None) -> "httpx2.AsyncClient":
    """Limits the way to the provider, not the silence of the model: `LimitedLlm` does that, and it knows how long.

    Allows as many connections as calls; the caller bounds the calls. httpx's limit of 100 would let the others wait for
    minutes, unnoticed.

    The proxies of the environment are used, but not for a model on this machine.
    """
    # Only who asks a real model pays for the import.
    import httpx2

    from tarsy_llm.http.httpx_bodies import shorten_refusal

    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS, write=WRITE_SECONDS),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=IDLE_CONNECTIONS),
        verify=tls_context(),
        trust_env=not bypasses_proxy(base_url),
        event_hooks={"response": [shorten_refusal]},
    )
