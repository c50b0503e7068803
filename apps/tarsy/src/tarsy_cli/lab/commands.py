"""The commands about the lab of recorded incidents: lab list, lab run, demo."""

import json
import textwrap
import time
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.api import ApiError, UnavailableError, UnreachableError, get, retry
from tarsy_cli.chat.command import ask_one
from tarsy_cli.lab.chaos.command import chaos
from tarsy_cli.lab.demo import send_incident, wait_until_ready
from tarsy_cli.lab.root_cause import judge
from tarsy_cli.lab.soak.command import soak
from tarsy_cli.session_commands import UrlOption, api_of, exit_with, watch_to_its_end
from tarsy_cli.terminal import DEFAULT_HOME, HomeOption, console, fail, say
from tarsy_cli.watch.session_watch import ACCEPTED_APPEARS_SECONDS
from tarsy_cli.watch.stages import ENDED
from tarsy_lab.incidents import Incident, InvalidIncidentError, incident_folders, read_incident
from tarsy_local.instance import Home

DEFAULT_INCIDENTS = Path("examples/incidents")
WIDTH = 100
SHOWN_SECONDS = 20.0
LOOK_SECONDS = 0.1

IncidentsOption = Annotated[Path, typer.Option("--incidents", help="the folder that holds the incidents")]


def complete_incident(context: typer.Context, incomplete: str) -> list[str]:
    """For the shell: names of folders alone, for a mistake in one of them must not end the line."""
    folder = Path(context.params.get("incidents") or DEFAULT_INCIDENTS)
    try:
        return [one.name for one in incident_folders(folder) if one.name.startswith(incomplete)]
    except InvalidIncidentError:
        return []


lab = typer.Typer(no_args_is_help=True, help="Recorded incidents, to try TARSy on.")
lab.command()(chaos)
lab.command()(soak)


@lab.command("list")
def list_incidents(incidents: IncidentsOption = DEFAULT_INCIDENTS) -> None:
    """List the incidents of the lab: what each shows, and which alert begins it."""
    for incident in _incidents(incidents):
        say(f"{incident.name}: {incident.title}")
        say(f"  alert: {_alert_name(incident)}")
        say(
            textwrap.fill(
                incident.description, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
            )
        )
        say("")
    say("`tarsy lab run NAME` sends an incident's alert and shows the investigation.")


@lab.command("run")
def run_incident(
    name: Annotated[
        str,
        typer.Argument(help="the incident's name, as `tarsy lab list` shows it", autocompletion=complete_incident),
    ],
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
    incidents: IncidentsOption = DEFAULT_INCIDENTS,
) -> None:
    """Send an incident's alert, as if it fired now, watch the investigation, and ask it a question."""
    found = _incidents(incidents)
    for incident in found:
        if incident.name == name:
            raise _run(incident, home, url)
    raise fail(f"No incident is called {name}; there are: {', '.join(incident.name for incident in found)}.")


def demo(
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
    incident: Annotated[Path, typer.Option(help="the folder of the incident")] = DEFAULT_INCIDENTS / "crash-loop",
) -> None:
    """Send the crash-loop alert to the TARSy that runs here, or starts, watch the investigation, and ask a question."""
    try:
        found = read_incident(incident)
    except InvalidIncidentError as problem:
        raise fail(str(problem)) from None
    raise _run(found, home, url)


def _run(incident: Incident, home: Path, url: str) -> typer.Exit:
    try:
        api = api_of(home, url) if url else wait_until_ready(Home(home), console).api
        session = send_incident(api, incident, console)
    except (ApiError, OSError) as problem:
        raise fail(str(problem)) from None
    ended = watch_to_its_end(api, session, appear_seconds=ACCEPTED_APPEARS_SECONDS)
    if ended != "completed":
        return exit_with(ended)
    _say_whether_the_cause_was_named(api, session, incident)
    answered = not incident.question or ask_one(api, session, incident.question)
    if answered:
        say(f"`tarsy chat {session}` asks more.")
    return typer.Exit(0 if answered else 1)


def _say_whether_the_cause_was_named(api: str, session: str, incident: Incident) -> None:
    try:
        verdict = judge(_final_analysis(api, session), incident.expected_root_cause)
    except (ApiError, TimeoutError) as problem:
        say(f"Whether it names the root cause is not known: {problem}")
        return
    console.print(verdict.line(), style="green" if verdict.complete else "yellow", markup=False)


def _final_analysis(api: str, session: str) -> str:
    """The end is streamed before it can be read. Raises ApiError or TimeoutError."""
    limit = time.monotonic() + SHOWN_SECONDS
    ask = partial(get, f"{api}/sessions/{session}")
    while (row := retry(ask, UnavailableError, UnreachableError)).get("status") not in ENDED:
        if time.monotonic() > limit:
            raise TimeoutError(f"{api} did not show the end of {session} within {SHOWN_SECONDS:g} seconds.")
        time.sleep(LOOK_SECONDS)
    return str(row.get("final_analysis") or "")


def _incidents(folder: Path) -> list[Incident]:
    try:
        return [read_incident(one) for one in incident_folders(folder)]
    except InvalidIncidentError as problem:
        raise fail(str(problem)) from None


def _alert_name(incident: Incident) -> str:
    try:
        webhook = json.loads(incident.alert_file.read_text(encoding="utf-8"))
        return ", ".join(alert["labels"]["alertname"] for alert in webhook["alerts"])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise fail(
            f"{incident.alert_file} is no webhook of Alertmanager: {type(problem).__name__}: {problem}"
        ) from None
