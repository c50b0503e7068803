"""Variables by which a program that we start finds the way out: proxies and authorities as we have them."""

from collections.abc import Mapping

from tarsy_egress.authorities import FILE_VARIABLES

PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
NODE_USES_PROXY = "NODE_USE_ENV_PROXY"
"""Without it Node.js looks at no proxy (22.21, 24 and newer look then)."""


def egress_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """In both spellings, for programs know one or the other. Empty where we have neither proxy nor authorities."""
    proxies = {
        spelling: value
        for name in PROXY_VARIABLES
        if (value := environ.get(name.lower()) or environ.get(name))
        for spelling in (name, name.lower())
    }
    node = {NODE_USES_PROXY: environ.get(NODE_USES_PROXY, "1")} if len(proxies) else {}
    files = {name: environ[name] for name in (*FILE_VARIABLES, "SSL_CERT_DIR") if environ.get(name)}
    return proxies | node | files
