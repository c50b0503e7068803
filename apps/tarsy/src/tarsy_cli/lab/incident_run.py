"""An incident of the lab played on a TARSy: its alert, the investigation, whether the cause was named, a question."""

import json
import time
from functools import partial
from pathlib import Path

import typer

from tarsy_cli.api import ApiError, UnavailableError, UnreachableError, get, retry
from tarsy_cli.chat.terminal_chat import ask_one
from tarsy_cli.console.terminal import fail, get_console, say
from tarsy_cli.lab.demo import send_incident, wait_until_ready
from tarsy_cli.lab.root_cause import judge
from tarsy_cli.session_commands import api_of, exit_with, print_page_address, watch_and_decide
from tarsy_cli.verbosity import details
from tarsy_cli.watch.session_watch import ACCEPTED_APPEARS_SECONDS
from tarsy_contracts.timeline.model import ENDED
from tarsy_lab.incidents import Incident, InvalidIncidentError, incident_folders, read_incident
from tarsy_local.instance import Home

SHOWN_SECONDS = 20.0
LOOK_SECONDS = 0.1


def run(incident: Incident, home: Path, url: str, *, approve: bool = False) -> typer.Exit:
    """`approve`: calls that wait for a person are approved; else they are asked about at a terminal."""
    try:
        api = api_of(home, url) if url else wait_until_ready(Home(home), get_console()).api
        session = send_incident(api, incident, get_console())
    except (ApiError, OSError) as problem:
        raise fail(str(problem)) from None
    print_page_address(api, session)
    ended = watch_and_decide(api, session, appear_seconds=ACCEPTED_APPEARS_SECONDS, approve=approve)
    if ended != "completed":
        return exit_with(ended)
    _print_verdict(api, session, incident)
    answered = not incident.question or ask_one(api, session, incident.question)
    if answered:
        say(f"`tarsy chat {session}` asks more.")
    print_page_address(api, session)
    return typer.Exit(0 if answered else 1)


def _print_verdict(api: str, session: str, incident: Incident) -> None:
    try:
        verdict = judge(_fetch_final_analysis(api, session), incident.expected_root_cause)
    except (ApiError, TimeoutError) as problem:
        say(f"Whether it names the root cause is not known: {problem}")
        return
    get_console().print(verdict.line(), style="green" if verdict.complete else "yellow", markup=False)


def _fetch_final_analysis(api: str, session: str) -> str:
    """The end is streamed before it can be read. Raises ApiError or TimeoutError."""
    limit = time.monotonic() + SHOWN_SECONDS
    ask = partial(get, f"{api}/sessions/{session}")
    while (row := retry(ask, UnavailableError, UnreachableError)).get("status") not in ENDED:
        if time.monotonic() > limit:
            raise TimeoutError(f"The end of {session} did not show within {SHOWN_SECONDS:g} seconds.{details(api)}")
        time.sleep(LOOK_SECONDS)
    return str(row.get("final_analysis") or "")


def read_incidents(folder: Path) -> list[Incident]:
    try:
        return [read_incident(one) for one in incident_folders(folder)]
    except InvalidIncidentError as problem:
        raise fail(str(problem)) from None


def alert_name_of(incident: Incident) -> str:
    try:
        webhook = json.loads(incident.alert_file.read_text(encoding="utf-8"))
        return ", ".join(alert["labels"]["alertname"] for alert in webhook["alerts"])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise fail(
            f"{incident.alert_file} is no webhook of Alertmanager: {type(problem).__name__}: {problem}"
        ) from None
