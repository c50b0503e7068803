"""`tarsy demo`: an incident's alert, as if it fired now."""

import asyncio
import json
import time
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from tarsy_cli.instance import Home, Instance
from tarsy_cli.submitting import submit_file
from tarsy_cli.watching import watch_session

WAIT_SECONDS = 600.0
LOOK_SECONDS = 0.2


def run_demo(home: Home, incident: Path, console: Console) -> str:
    """The status that the session ended with. Raises SubmitFailed, OSError, or TimeoutError with a sentence."""
    instance = _wait_until_ready(home, console)
    content = firing_now((incident / "alert.json").read_bytes(), datetime.now(UTC))
    session_id = submit_file(instance.api, content)[0]
    console.print(f"Sent {incident / 'alert.json'}; session {session_id} investigates it.", markup=False)
    return asyncio.run(watch_session(instance.api, session_id, console))


def firing_now(webhook: bytes, now: datetime) -> bytes:
    """The same alert with a new beginning: another episode, and so another session."""
    body = json.loads(webhook)
    for alert in body["alerts"]:
        alert["startsAt"] = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps(body).encode()


def _wait_until_ready(home: Home, console: Console) -> Instance:
    limit = time.monotonic() + WAIT_SECONDS
    told = False
    while True:
        instance = home.running()
        if instance is not None and instance.state == "ready":
            return instance
        if not told:
            what = "TARSy is still starting" if instance else "No TARSy runs here yet (`make up` starts one)"
            console.print(f"{what}; waiting for it.", markup=False)
            told = True
        if time.monotonic() > limit:
            raise TimeoutError(f"No TARSy became ready in {home.folder} within {WAIT_SECONDS:g} seconds.")
        time.sleep(LOOK_SECONDS)
