"""From an alert as it came to one that may be written: every text of a stranger's goes through a mask."""

import json
from dataclasses import dataclass

from tarsy_contracts.alert import Alert, McpSelection, McpServerSelection
from tarsy_ingest.incoming import Incoming
from tarsy_masking.masker import Masker

SHORT = 300
"""Characters of a title, an author, a severity; an address may have more."""
ADDRESS = 2000


@dataclass(frozen=True, slots=True)
class Masking:
    """`alert` is for what an alert says: with what the configuration adds. Who sent it may be an e-mail address, and
    stays: `sender` has the built-in set alone. Of a session both know which secret is which.
    """

    sender: Masker
    alert: Masker

    def for_session(self, session_id: str) -> "Masking":
        return Masking(self.sender.for_session(session_id), self.alert.for_session(session_id))


def masked(incoming: Incoming, masking: Masking) -> Alert:
    """A megabyte takes a while. Cut after masking: half a secret is not recognised."""
    masking = masking.for_session(incoming.session_id)
    return Alert(
        alert_type=incoming.alert_type,
        data=_storable(_data(incoming, masking.alert)),
        source=incoming.source,
        author=_line(masking.sender, incoming.author, SHORT),
        title=_line(masking.alert, incoming.title, SHORT),
        severity=_line(masking.alert, incoming.severity, SHORT) if incoming.severity else None,
        runbook_url=_line(masking.alert, incoming.runbook_url, ADDRESS) if incoming.runbook_url else None,
        priority=incoming.priority,
        mcp=_selection(masking.sender, incoming.mcp) if incoming.mcp else None,
    )


def _data(incoming: Incoming, masker: Masker) -> str:
    if isinstance(incoming.data, str):
        return masker.mask(incoming.data)
    # Once more as text: for what a name and its value make together.
    return masker.mask(json.dumps(masker.mask_json(incoming.data), indent=2, ensure_ascii=False))


def _selection(masker: Masker, selection: McpSelection) -> McpSelection:
    """Its names are a stranger's: that they exist was not checked on every way in."""
    servers = tuple(
        McpServerSelection(
            name=_line(masker, server.name, SHORT), tools=tuple(_line(masker, tool, SHORT) for tool in server.tools)
        )
        for server in selection.servers
    )
    return McpSelection(servers=servers, native_tools=selection.native_tools)


def _line(masker: Masker, text: str, most: int) -> str:
    """In one line, a secret may be one that was none in two."""
    return _storable(masker.mask(" ".join(masker.mask(text).split())))[:most]


def _storable(text: str) -> str:
    """PostgreSQL holds no NUL."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
