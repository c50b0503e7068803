"""The front door of an installation, asked from the node."""

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from uuid import uuid4

import httpx2
from pydantic import JsonValue

from tarsy_ground.inside import PLAIN
from tarsy_ground.network import NetworkNamespace

REQUEST_SECONDS = 10.0
TAKEN_SECONDS = 120.0
ENDED_SECONDS = 300.0
PAUSE_SECONDS = 0.5
AT_REST = frozenset({"completed", "failed", "cancelled", "timed_out"})


@dataclass(frozen=True, slots=True)
class Door:
    """`url` is an address of a Service. All asks are made in the node's network."""

    network: NetworkNamespace
    url: str
    key: str

    def ask(self, path: str, *, key: str | None = None) -> httpx2.Response:
        """Raises httpx2.TransportError."""
        headers = {"Authorization": f"Bearer {self.key if key is None else key}"}
        return self._request("GET", path, headers, None)

    def send(self, alert_type: str) -> str:
        """A new alert, sent under one key until it is accepted. Returns the id of its session."""
        body: JsonValue = {"alert_type": alert_type, "data": "The pods of shop do not answer."}
        headers = {"Authorization": f"Bearer {self.key}", "Idempotency-Key": str(uuid4())}
        refused = ""
        for _ in _tries(TAKEN_SECONDS):
            try:
                answer = self._request("POST", "/api/v1/alerts", headers, body)
            except httpx2.TransportError as problem:
                refused = repr(problem)
            else:
                if answer.status_code == httpx2.codes.ACCEPTED:
                    return str(answer.json()["session_id"])
                refused = f"{answer.status_code} {answer.text}"
                if answer.status_code < httpx2.codes.INTERNAL_SERVER_ERROR:
                    break
        raise AssertionError(f"the alert was not accepted: {refused}")

    def session(self, session_id: str) -> dict[str, JsonValue] | None:
        """None where nobody answers, or knows it, for now."""
        try:
            answer = self.ask(f"/api/v1/sessions/{session_id}")
        except httpx2.TransportError:
            return None
        return dict(answer.json()) if answer.status_code == httpx2.codes.OK else None

    def ends(self, session_ids: Iterable[str]) -> dict[str, str]:
        """How each session ended, or its status when the time is over. No poll asks more than has to be known."""
        statuses: dict[str, str] = {}
        left = list(session_ids)
        for _ in _tries(ENDED_SECONDS):
            while left and (status := self._status(left[0])) in AT_REST:
                statuses[left.pop(0)] = status
            if not left:
                break
        return statuses | {session_id: self._status(session_id) for session_id in left}

    def _status(self, session_id: str) -> str:
        found = self.session(session_id)
        return "unknown" if found is None else str(found["status"])

    @contextmanager
    def steady_alerts(self, alert_type: str, every_seconds: float = 1.0) -> Iterator[list[str]]:
        """Sends alerts as long as the context is open, and lists the sessions of those that were accepted."""
        accepted: list[str] = []
        over = Event()

        def send() -> None:
            while not over.wait(every_seconds):
                accepted.append(self.send(alert_type))

        with ThreadPoolExecutor(1, "alerts") as threads:
            sending = threads.submit(send)
            try:
                yield accepted
            finally:
                over.set()
            sending.result()

    def _request(self, method: str, path: str, headers: dict[str, str], body: JsonValue) -> httpx2.Response:
        with self.network.entered():
            return httpx2.request(
                method, self.url + path, headers=headers, json=body, timeout=REQUEST_SECONDS, verify=PLAIN
            )


def _tries(seconds: float) -> Iterator[None]:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        yield
        time.sleep(PAUSE_SECONDS)
