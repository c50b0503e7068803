"""The commands about the lab of recorded incidents: lab list, lab run, demo."""

import textwrap
from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.console.terminal import fail, say
from tarsy_cli.options import DEFAULT_HOME, HomeOption, UrlOption

DEFAULT_INCIDENTS = Path("examples/incidents")
WIDTH = 100

YesOption = Annotated[bool, typer.Option("--yes", help="approve each call that awaits approval, without asking")]
IncidentsOption = Annotated[Path, typer.Option("--incidents", help="the folder that holds the incidents")]


def complete_incident(context: typer.Context, incomplete: str) -> list[str]:
    """For the shell: names of folders alone, for a mistake in one of them must not end the line."""
    from tarsy_lab.incidents import InvalidIncidentError, incident_folders

    folder = Path(context.params.get("incidents") or DEFAULT_INCIDENTS)
    try:
        return [one.name for one in incident_folders(folder) if one.name.startswith(incomplete)]
    except InvalidIncidentError:
        return []


def list_incidents(incidents: IncidentsOption = DEFAULT_INCIDENTS) -> None:
    """List the incidents of the lab: what each shows, and which alert begins it."""
    from tarsy_cli.lab.incident_run import alert_name_of, read_incidents

    for incident in read_incidents(incidents):
        say(f"{incident.name}: {incident.title}")
        say(f"  alert: {alert_name_of(incident)}")
        say(
            textwrap.fill(
                incident.description, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
            )
        )
        say("")
    say("`tarsy lab run NAME` sends an incident's alert and shows the investigation.")


def investigate_incident(
    name: Annotated[
        str,
        typer.Argument(help="the incident's name, as `tarsy lab list` shows it", autocompletion=complete_incident),
    ],
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
    incidents: IncidentsOption = DEFAULT_INCIDENTS,
    yes: YesOption = False,
) -> None:
    """Send an incident's alert, as if it fired now, watch the investigation, and ask it a question."""
    from tarsy_cli.lab.incident_run import read_incidents, run

    found = read_incidents(incidents)
    for incident in found:
        if incident.name == name:
            raise run(incident, home, url, approve=yes)
    raise fail(f"No incident is called {name}; there are: {', '.join(incident.name for incident in found)}.")


def demo(
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
    incident: Annotated[Path, typer.Option(help="the folder of the incident")] = DEFAULT_INCIDENTS / "crash-loop",
    yes: YesOption = False,
) -> None:
    """Send the crash-loop alert to the TARSy of `tarsy up`, watch the investigation, and ask a question."""
    from tarsy_cli.lab.incident_run import run
    from tarsy_lab.incidents import InvalidIncidentError, read_incident

    try:
        found = read_incident(incident)
    except InvalidIncidentError as problem:
        raise fail(str(problem)) from None
    raise run(found, home, url, approve=yes)
