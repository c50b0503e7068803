"""`tarsy doctor`."""

import logging
import os
from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.console.terminal import get_console, print_json
from tarsy_cli.options import DEFAULT_HOME, HomeOption, JsonOption, UrlOption
from tarsy_cli.session_commands import full_address


def doctor(
    context: typer.Context,
    home: HomeOption = DEFAULT_HOME,
    config: Annotated[
        Path | None,
        typer.Option(
            help="the folder of tarsy.yaml; else that of the home, TARSY_CONFIG_DIR, or config", show_default=False
        ),
    ] = None,
    url: UrlOption = "",
    kafka: Annotated[
        str, typer.Option(help="a Kafka, HOST:PORT[,HOST:PORT]; else that of the home", show_default=False)
    ] = "",
    database: Annotated[
        str, typer.Option(help="a PostgreSQL, postgresql://…; else that of the home", show_default=False)
    ] = "",
    topic_prefix: Annotated[str, typer.Option(help="the prefix of topic names", show_default=False)] = "",
    models: Annotated[
        bool,
        typer.Option("--models/--no-models", help="ask each model one tiny question, which costs a fraction of a cent"),
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Find what is wrong with a set-up, and say what to do.

    It looks at the TARSy that runs in the home, else at what the environment names, and changes nothing.
    The exit code is 0 when nothing is wrong, 1 with warnings, and 2 when something failed.
    """
    # Here, as the checks import the clients of everything.
    import asyncio

    from tarsy_cli.doctor.checks import CHECKS
    from tarsy_cli.doctor.report import DoctorReport, print_report
    from tarsy_cli.doctor.runner import examine
    from tarsy_cli.doctor.setup import Named, find_setup
    from tarsy_cli.variables import variables_of_command
    from tarsy_service.telemetry.logs import configure_logs

    # The findings say what matters; libraries would write about the rest between them.
    configure_logs("CRITICAL", logging.NullHandler())
    setup = find_setup(
        home,
        config,
        os.environ,
        Named(full_address(url) if url else "", kafka, database, topic_prefix),
        asks_models=models,
        variables=variables_of_command(context),
    )
    report = DoctorReport(findings=tuple(asyncio.run(examine(setup, CHECKS))))
    if as_json:
        print_json(report)
    else:
        print_report(report, get_console())
    raise typer.Exit(report.exit_code)
