"""`tarsy lab run` and `tarsy demo`: an incident's alert, as if it fired now."""

import json
import time
from datetime import UTC, datetime

from rich.console import Console

from tarsy_cli.api import ApiError, UnreachableError, retry
from tarsy_cli.submission import submit_file
from tarsy_contracts.wire.ids import derive_id
from tarsy_lab.incidents import Incident
from tarsy_local.instance import Home, Instance

WAIT_SECONDS = 600.0
LOOK_SECONDS = 0.2


def send_incident(api: str, incident: Incident, console: Console) -> str:
    """The session that investigates the incident's alert. Raises ApiError or OSError, each with a sentence."""
    webhook = restart_alerts(incident.alert_file.read_bytes(), datetime.now(UTC))
    sessions = retry(lambda: submit_file(api, webhook), UnreachableError)
    if not sessions:
        raise ApiError(f"{incident.alert_file} has no firing alert.")
    console.print(f"Sent {incident.alert_file}.", markup=False)
    return sessions[0]


def restart_alerts(webhook: bytes, now: datetime) -> bytes:
    """The same alert with a new beginning, as another alert: it joins none of before, and has a session of its own."""
    body = json.loads(webhook)
    for alert in body["alerts"]:
        alert["startsAt"] = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        if "fingerprint" in alert:
            alert["fingerprint"] = derive_id("rehearsal", alert["fingerprint"], alert["startsAt"])[:16]
    return json.dumps(body).encode()


def wait_until_ready(home: Home, console: Console) -> Instance:
    """Waits for a TARSy that runs here, or starts. Raises TimeoutError with a sentence."""
    limit = time.monotonic() + WAIT_SECONDS
    shown = None
    while True:
        instance = home.find_running()
        if instance is not None and instance.state == "ready":
            return instance
        what = "TARSy is starting" if instance else f"No TARSy runs in {home.folder} yet (`make up` starts one)"
        if what != shown:
            console.print(f"{what}; waiting for it.", markup=False)
            shown = what
        if time.monotonic() > limit:
            raise TimeoutError(f"No TARSy became ready in {home.folder} within {WAIT_SECONDS:g} seconds.")
        time.sleep(LOOK_SECONDS)
