"""Alerts of the recorded crash loop, each an investigation of its own, sent until TARSy takes them."""

import json
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any, get_args

import httpx2

from tarsy_contracts.events.execution import EndStatus
from tarsy_ground.composition import ROOT
from tarsy_ground.inside import InsideClient
from tarsy_testing.waiting import wait_until

INCIDENT = ROOT / "examples" / "incidents" / "crash-loop" / "alert.json"
SECONDS = 600.0
ENDED = get_args(EndStatus.__value__)


def recorded_alert() -> dict[str, Any]:
    body: dict[str, Any] = json.loads(Path(INCIDENT).read_text("utf-8"))
    return body


@dataclass(frozen=True, slots=True)
class SentAlerts:
    """`sessions` has the investigation of each alert that was taken."""

    client: InsideClient
    door: str
    sessions: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def send(self) -> None:
        """A refusal is no loss: its sender sends again, as Alertmanager does."""
        body = recorded_alert()
        body["alerts"][0]["fingerprint"] = f"{len(self.sessions):016x}"
        wait_until(lambda: self._is_taken(body), seconds=SECONDS, describe=lambda: self.refusals[-1])

    def have_ended(self) -> bool:
        """The machine is small: nobody is asked more than has to be known."""
        return all(self.status(session) in ENDED for session in reversed(self.sessions))

    def _is_taken(self, body: dict[str, Any]) -> bool:
        try:
            response = self.client.post(f"{self.door}/api/v1/alerts/alertmanager", body)
        except httpx2.HTTPError as problem:
            self.refusals.append(repr(problem))
            return False
        if response.is_success:
            self.sessions.append(response.json()["alerts"][0]["session_id"])
        else:
            self.refusals.append(f"{response.status_code}: {response.text}")
        return response.is_success

    def status(self, session: str) -> str:
        try:
            response = self.client.get(f"{self.door}/api/v1/sessions/{session}")
        except httpx2.HTTPError as problem:
            return repr(problem)
        if response.status_code != HTTPStatus.OK:
            return str(response.status_code)
        return str(response.json()["status"])
