"""`tarsy show`, `tarsy cancel`, `tarsy export`."""

from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.console.terminal import fail, get_console, print_json
from tarsy_cli.kafka_of_home import KafkaOption, PrefixOption
from tarsy_cli.options import DEFAULT_HOME, SESSION_HELP, HomeOption, JsonOption, SessionArgument, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure, session_of


def show(
    session: SessionArgument, as_json: JsonOption = False, home: HomeOption = DEFAULT_HOME, url: UrlOption = ""
) -> None:
    """Show a session as it stands: its alert, status, stages, figures, analysis and summary. `tarsy watch` follows."""
    from tarsy_cli.api import get
    from tarsy_cli.session.overview import print_overview
    from tarsy_contracts.api.sessions import SessionDetail

    api = api_of(home, url)
    address = f"{api}/sessions/{session_of(api, session)}"
    with exit_on_failure(api):
        found = SessionDetail.model_validate(get(address))
    if as_json:
        print_json(found)
    else:
        print_overview(found, get_console())


def cancel(
    sessions: Annotated[list[str], typer.Argument(help=SESSION_HELP)],
    reason: Annotated[str, typer.Option(help="why; it is kept with the session, beside your name")] = "",
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Cancel running or queued sessions. The exit code is 1 when one is refused, such as one that has ended."""
    from tarsy_cli.session.requests import ask_of_sessions

    ask_of_sessions("cancel", sessions, api_of(home, url), {"reason": reason} if reason else None)


def export(
    session: SessionArgument,
    output: Annotated[Path | None, typer.Option(help="write it to this file instead")] = None,
    cloud_events: Annotated[
        bool,
        typer.Option("--cloud-events", help="its public events instead, as far as tarsy.events keeps them"),
    ] = False,
    kafka: KafkaOption = "",
    topic_prefix: PrefixOption = "",
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Export a session with its whole timeline as JSON, as the API returns it. `tarsy result` shows long results whole.

    With --cloud-events it is a JSON batch of CloudEvents, read from Kafka.
    """
    from tarsy_cli.events.commands import cloud_events_of
    from tarsy_cli.session.history import read_history

    api = api_of(home, url)
    id = session_of(api, session)
    if cloud_events:
        text = cloud_events_of(home, id, kafka, topic_prefix)
    else:
        with exit_on_failure(api):
            text = read_history(api, id).model_dump_json(indent=2)
    if output is None:
        typer.echo(text)
        return
    try:
        output.write_text(f"{text}\n", encoding="utf-8")
    except OSError as problem:
        raise fail(f"{output} could not be written: {problem.strerror}.") from None
    typer.echo(f"Wrote session {id} to {output}.", err=True)


def rerun(
    session: SessionArgument,
    alert_type: Annotated[str, typer.Option(help="another alert type, and with it another chain")] = "",
    llm_provider: Annotated[
        str, typer.Option(help="the LLM provider of the configuration that all agents ask, instead of their own")
    ] = "",
    mcp_server: Annotated[
        list[str] | None,
        typer.Option(help="an MCP server that is used instead of those of the session; can be given several times"),
    ] = None,
    question: Annotated[str, typer.Option(help="what the agents should also look at")] = "",
    priority: Annotated[
        str, typer.Option(help="urgent, high, normal or low, instead of the one that goes with its severity")
    ] = "",
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Re-run a session: investigate its alert again, as it was masked, and print the new session.

    The runbook, the LLM provider, the MCP servers and the tools that its sender chose for it are chosen again, unless
    others are named here.
    """
    from tarsy_cli.submission import build_rerun_request, run_again

    api = api_of(home, url)
    id = session_of(api, session)
    with exit_on_failure(api):
        changes = build_rerun_request(
            mcp_server or (), alert_type=alert_type, llm_provider=llm_provider, question=question, priority=priority
        )
        typer.echo(run_again(api, id, changes))
