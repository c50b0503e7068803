"""Masking of a raw alert: every text of a stranger goes through a mask before it may be written."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tarsy_contracts.alert import Alert, McpSelection, McpServerSelection
from tarsy_contracts.messages.inputs import GroupMember
from tarsy_ingest.alert_rules import DefaultAlertType
from tarsy_ingest.intake.facets import facets_of
from tarsy_ingest.intake.json_fields import Fields, objects_in
from tarsy_ingest.intake.labels import labels_of
from tarsy_ingest.intake.title import LENGTH, cut_at_word, derive_title
from tarsy_ingest.raw_alert import RawAlert
from tarsy_masking.masker import Masker

SHORT = 300
"""Characters of a title that was given, an author, a severity; an address may have more."""
ADDRESS = 2000
FINGERPRINT = 1000
SMALL = 8_000
EACH_TEXT = 200
"""Masking a text costs as much as this many of its characters, however short it is.

A text of SMALL characters that are all secrets takes 20 milliseconds on a busy machine."""


@dataclass(frozen=True, slots=True)
class AlertMaskers:
    """`alert` masks what an alert says, also by rules of the configuration. `sender` has the built-in set alone: the
    author may be an e-mail address, which stays. Both know which secret of a session is which.
    """

    sender: Masker
    alert: Masker

    def for_session(self, session_id: str) -> "AlertMaskers":
        return AlertMaskers(self.sender.for_session(session_id), self.alert.for_session(session_id))


def is_small(raw_alert: RawAlert) -> bool:
    """Masking takes few milliseconds, whatever the texts are: less than a thread for it costs under load."""
    rest = SMALL
    waiting: list[JsonValue] = [raw_alert.data, raw_alert.title, raw_alert.author]
    waiting += (member.text for member in raw_alert.members)
    while waiting and rest > 0:
        match waiting.pop():
            case str() as text:
                rest -= len(text) + EACH_TEXT
            case dict() as fields:
                waiting += [*fields, *fields.values()]
                rest -= len(fields)
            case list() as items:
                waiting += items
                rest -= len(items)
            case _:
                pass
    return rest > 0 and raw_alert.mcp is None


def mask_alert(raw_alert: RawAlert, masking: AlertMaskers) -> Alert:
    """A megabyte takes a while."""
    return _mask_alert(raw_alert, masking.for_session(raw_alert.session_id))


def _mask_alert(raw_alert: RawAlert, masking: AlertMaskers) -> Alert:
    """Cut after masking: half a secret is not recognised. `masking`: that of its session."""
    data = _without_nul(_mask_data(raw_alert, masking.alert))
    named = objects_in(data)
    objects = [found.fields for found in named]
    facets = facets_of(objects)
    return Alert(
        alert_type=str(raw_alert.alert_type),
        data=data,
        source=raw_alert.source,
        author=_mask_line(masking.sender, raw_alert.author, SHORT),
        title=_mask_title(masking.alert, raw_alert.title, SHORT) or _derive_title(masking.alert, data, objects),
        severity=_mask_line(masking.alert, raw_alert.severity, SHORT) if raw_alert.severity else facets.severity,
        cluster=facets.cluster,
        namespace=facets.namespace,
        workload=facets.workload,
        labels=labels_of(named),
        runbook_url=_mask_line(masking.alert, raw_alert.runbook_url, ADDRESS) if raw_alert.runbook_url else None,
        priority=raw_alert.priority,
        mcp=_mask_selection(masking.sender, raw_alert.mcp) if raw_alert.mcp else None,
        llm_provider=_mask_line(masking.sender, raw_alert.llm_provider, SHORT) if raw_alert.llm_provider else None,
        slack_message_fingerprint=_mask_line(masking.alert, raw_alert.slack_message_fingerprint or "", FINGERPRINT)
        or None,
        names_no_type=isinstance(raw_alert.alert_type, DefaultAlertType),
    )


MEMBER_LIMIT = 2_000
"""Characters of one alert of a group, as an agent is told of it when it comes later."""


def mask_with_members(raw_alert: RawAlert, masking: AlertMaskers) -> tuple[Alert, tuple[GroupMember, ...]]:
    """The members' texts are masked like the alert's data, which has them too."""
    masking = masking.for_session(raw_alert.session_id)
    members = tuple(
        GroupMember(id=member.id, text=_without_nul(masking.alert.mask(member.text))[:MEMBER_LIMIT])
        for member in raw_alert.members
    )
    return _mask_alert(raw_alert, masking), members


def _mask_data(raw_alert: RawAlert, masker: Masker) -> str:
    if isinstance(raw_alert.data, str):
        return masker.mask(raw_alert.data)
    # Once more as text: for what a name and its value make together.
    return masker.mask(json.dumps(masker.mask_json(raw_alert.data), indent=2, ensure_ascii=False))


def _mask_selection(masker: Masker, selection: McpSelection) -> McpSelection:
    """Its names are a stranger's: that they exist was not checked on every way in."""
    servers = tuple(
        McpServerSelection(
            name=_mask_line(masker, server.name, SHORT),
            tools=tuple(_mask_line(masker, tool, SHORT) for tool in server.tools),
        )
        for server in selection.servers
    )
    return McpSelection(servers=servers, native_tools=selection.native_tools)


def _mask_title(masker: Masker, text: str, most: int) -> str:
    return cut_at_word(_mask_to_one_line(masker, text), most)


def _derive_title(masker: Masker, data: str, objects: Sequence[Fields]) -> str:
    """`data` is masked: a title that stands in it as it is shows nothing that the data does not."""
    title = derive_title(data, objects)
    return cut_at_word(title, LENGTH) if title in data else _mask_title(masker, title, LENGTH)


def _mask_line(masker: Masker, text: str, most: int) -> str:
    return _mask_to_one_line(masker, text)[:most]


def _mask_to_one_line(masker: Masker, text: str) -> str:
    """In one line, a secret may be one that was none in two."""
    if not text:
        return ""
    masked = masker.mask(text)
    line = " ".join(masked.split())
    return _without_nul(line if line == masked else masker.mask(line))


def _without_nul(text: str) -> str:
    """PostgreSQL holds no NUL."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
