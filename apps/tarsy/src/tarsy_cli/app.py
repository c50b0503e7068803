"""The `tarsy` command."""

import typer

from tarsy_cli.chat.command import chat
from tarsy_cli.config.commands import config
from tarsy_cli.database_commands import database
from tarsy_cli.dead_letters.command import dead_letters
from tarsy_cli.doctor.command import doctor
from tarsy_cli.held_commands import session
from tarsy_cli.instance_commands import down, status, up
from tarsy_cli.lab.commands import demo, lab
from tarsy_cli.logs.command import logs
from tarsy_cli.masking.commands import mask
from tarsy_cli.output import ending_when_closed
from tarsy_cli.result_commands import result
from tarsy_cli.retention.command import retention
from tarsy_cli.server_commands import servers
from tarsy_cli.session.commands import cancel, export, rerun, show
from tarsy_cli.session_commands import sessions, submit, watch
from tarsy_cli.timeline_commands import timeline
from tarsy_cli.topic_commands import topics
from tarsy_cli.trace_command import trace
from tarsy_cli.version import with_version

cli = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="TARSy investigates production alerts.",
)


def main() -> None:
    with ending_when_closed():
        cli(prog_name="tarsy")


cli.callback()(with_version)
cli.add_typer(topics, name="topics")
cli.add_typer(database, name="database")
cli.add_typer(timeline, name="timeline")
cli.add_typer(session, name="session")
cli.add_typer(lab, name="lab")
cli.add_typer(config, name="config")
for command in (
    *(up, status, down, doctor, logs),
    *(submit, sessions, watch, show, trace, chat, result, cancel, rerun, export),
    *(servers, dead_letters, retention, mask, demo),
):
    cli.command()(command)
