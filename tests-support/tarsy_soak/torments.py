"""Torments of a soak: the alerts whose investigation meets an endless model or hostile servers."""

import json
import time
from collections.abc import Callable

import structlog
from pydantic import JsonValue

from tarsy_cli.api import ApiError
from tarsy_cli.submission import submit_file
from tarsy_soak.configuration import HOSTILE, endless_provider
from tarsy_soak.faults import EndlessAnswer, HostileServers

log = structlog.get_logger(__name__)

SEND_SECONDS = 30.0
"""Longer than services take to read a configuration: before, an alert of a type of its own is refused."""
PAUSE_SECONDS = 1.0


class Torments:
    """`sessions`: what is done to each session whose alert was accepted. `api` is asked anew for every alert."""

    def __init__(self, api: Callable[[], str]) -> None:
        self.sessions: dict[str, str] = {}
        self._api = api

    def send(self, fault: EndlessAnswer | HostileServers) -> str:
        """The session, or that nobody took the alert."""
        what, body = _alert_of(fault)
        content = json.dumps(body).encode()
        limit = time.monotonic() + SEND_SECONDS
        while True:
            try:
                (session_id,) = submit_file(self._api(), content)
            except ApiError as problem:
                if time.monotonic() > limit:
                    log.warning("soak.torment_refused", torment=what, reason=str(problem))
                    return f"nobody took its alert: {problem}"
                time.sleep(PAUSE_SECONDS)
                continue
            self.sessions[session_id] = what
            return session_id


def _alert_of(fault: EndlessAnswer | HostileServers) -> tuple[str, dict[str, JsonValue]]:
    match fault:
        case EndlessAnswer(kind):
            return kind, {"data": "A model answers without an end.", "llm_provider": endless_provider(kind)}
        case HostileServers():
            return HOSTILE, {"data": "Hostile servers are asked.", "alert_type": HOSTILE}
