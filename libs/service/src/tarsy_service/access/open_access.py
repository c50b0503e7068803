"""Open access: a service that others can reach authenticates them, or an operator has said that it need not."""

from tarsy_auth.loopback import is_loopback_host


def check_access(http_host: str, *, auth_file: str, open_access: str) -> None:
    """Raises ValueError with a sentence for the operator."""
    if auth_file and open_access == "yes":
        raise ValueError(
            "TARSY_AUTH_FILE says who may do what, and TARSY_OPEN_ACCESS=yes that everybody may do everything: "
            "leave one of them out"
        )
    if is_loopback_host(http_host) or auth_file or open_access == "yes":
        return
    raise ValueError(
        f"others than this machine reach the address '{http_host}' (TARSY_HTTP_HOST), and nobody is authenticated: set "
        "TARSY_AUTH_FILE to the file that says who may do what, or TARSY_OPEN_ACCESS=yes if whoever reaches the port "
        "may do everything, as behind a proxy that authenticates"
    )
