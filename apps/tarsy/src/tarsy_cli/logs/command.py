"""`tarsy logs`."""

from typing import Annotated

import typer

from tarsy_cli.console.terminal import fail, get_console
from tarsy_cli.options import DEFAULT_HOME, USAGE, HomeOption
from tarsy_cli.printed_commands import with_home


def logs(
    service: Annotated[str, typer.Argument(help="only this one, such as orchestrator; up is `tarsy up` itself")] = "",
    follow: Annotated[bool, typer.Option("--follow", "-f", help="keep showing new lines, until Ctrl+C")] = False,
    session: Annotated[str, typer.Option(help="only lines about this session; its id, or the beginning of it")] = "",
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="how many of the last lines")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="the lines as they are: a JSON object each")] = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show what the services of `tarsy up` have logged, even after it has ended."""
    from rich.text import Text

    from tarsy_cli.logs.files import UP, in_order, is_of_service, log_files, read_lines
    from tarsy_cli.logs.files import follow as follow_files
    from tarsy_cli.logs.lines import LogLine
    from tarsy_local.instance_counts import SERVICES

    if service and service not in (*SERVICES, UP):
        raise fail(f"No service is called {service}; there are: {', '.join((*SERVICES, UP))}.", code=USAGE)
    files = log_files(home, service)
    if not files:
        raise fail(with_home(f"There is no log in {home}: `tarsy up` writes one.", home))

    def wanted(line: LogLine) -> bool:
        return is_of_service(line, service) and (not session or line.is_of_session(session))

    def show(line: LogLine) -> None:
        if as_json:
            get_console().print(Text(line.raw), soft_wrap=True)
        else:
            get_console().print(Text(line.readable(), style=line.style))

    found = in_order(filter(wanted, read_lines(file, whole=bool(session))) for file in files)
    for line in found[-lines:] if lines else []:
        show(line)
    if follow:
        try:
            follow_files(files, lambda line: show(line) if wanted(line) else None)
        except KeyboardInterrupt:
            raise typer.Exit from None
