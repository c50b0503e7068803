"""GitHub links: from the address of a page to that of the file's text."""

from dataclasses import replace

from tarsy_contracts.runbook_urls import RunbookUrl, RunbookUrlRefusedError

PAGES = "github.com"
RAW = "raw.githubusercontent.com"
HOSTS = frozenset({PAGES, RAW, "api.github.com"})
"""Hosts that may see the token."""


def is_github(url: RunbookUrl) -> bool:
    return url.scheme == "https" and url.host in HOSTS and url.port is None


def raw_file_url(url: RunbookUrl) -> RunbookUrl:
    """The address of the text behind a link. GitHub is only asked over TLS. Raises RunbookUrlRefusedError for a folder.

    A reference with slashes needs no care: reference and path follow each other in both addresses.
    """
    if url.host not in HOSTS or url.port is not None:
        return url
    url = replace(url, scheme="https")
    match url.path.split("/"):
        case ["", owner, repository, "blob" | "raw", *rest] if url.host == PAGES and len(rest) > 1:
            return replace(url, host=RAW, path="/".join(["", owner, repository, *rest]), query="")
        case ["", _, _, "tree", *_] if url.host == PAGES:
            raise RunbookUrlRefusedError("is a folder on GitHub: link to a file in it")
    return url
