"""Identity of alerts: which are the same but for time, and the session that one starts unless it joins another.

The session lies in the partition of the deduplication key, so that one owner knows all sessions of that key.
"""

import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import replace

from tarsy_contracts.messages.inputs import Deduplication
from tarsy_contracts.wire.ids import deduplication_key, session_beside
from tarsy_ingest.alert_rules import AlertHandlingRules
from tarsy_ingest.raw_alert import AlertResolution, Fingerprint, RawAlert, Sameness


class AlertIdentities:
    """`rules` and `mask`: those that hold now. `partitions`: those of the session log.

    A digest of an alert stays on the log for ever, and must not help to guess a secret. It is keyed with the masking
    key, or made of the masked text without one.
    """

    def __init__(
        self,
        rules: Callable[[], AlertHandlingRules],
        partitions: Callable[[], int],
        *,
        key: bytes | None,
        mask: Callable[[str], str],
    ) -> None:
        self._rules = rules
        self._partitions = partitions
        self._key = key
        self._mask = mask

    def identify(self, alert: RawAlert) -> RawAlert:
        """The alert with the session that it starts, and by what it joins another. It may take as long as masking."""
        window = self._rules().of(alert.alert_type).window_seconds
        key = self._key_of(alert.alert_type, alert.same, alert)
        if not key:
            return alert
        session_id = session_beside(alert.session_id, key, self._partitions())
        return replace(alert, session_id=session_id, deduplication=Deduplication(key=key, window_seconds=window))

    def identify_resolution(self, resolution: AlertResolution) -> AlertResolution:
        key = self._key_of(resolution.alert_type, resolution.same, None)
        if not key:
            return resolution
        session_id = session_beside(resolution.session_id, key, self._partitions())
        return replace(resolution, session_id=session_id, deduplication_key=key)

    def _key_of(self, alert_type: str, same: Sameness, alert: RawAlert | None) -> str:
        """Empty for an alert that joins nothing: it has the session of its episode."""
        settings = self._rules().of(alert_type)
        if settings.window_seconds <= 0:
            return ""
        match same:
            case Fingerprint(has_episodes=True) if settings.flapping == "start":
                return ""
            case Fingerprint(kind=kind, value=value):
                return deduplication_key(kind, value)
            case "content":
                return "" if alert is None else deduplication_key("content", self._content_digest(alert))
            case None:
                return ""

    def _content_digest(self, alert: RawAlert) -> str:
        mcp = None if alert.mcp is None else alert.mcp.model_dump(mode="json")
        # Without a choice the digest is that of older releases: alerts that run meet themselves after an upgrade.
        provider = [] if alert.llm_provider is None else [alert.llm_provider]
        content = json.dumps([alert.alert_type, alert.data, alert.runbook_url, mcp, *provider], sort_keys=True)
        if self._key is not None:
            return hmac.digest(self._key, content.encode(), hashlib.sha256).hex()
        return hashlib.sha256(self._mask(content).encode()).hexdigest()
