"""Options and arguments that several commands have, and exit codes."""

from pathlib import Path
from typing import Annotated, Literal

import typer

USAGE = 2
WOULD_CHANGE = 1
MISFITS = 2
NOT_ASKED = 3
"""Exit codes of a --dry-run."""
UNCHANGING = 2
"""A setting, a right, or what is there already does not fit: no second try helps. The chart's Jobs end with it."""
INTERRUPTED = 130
DEFAULT_HOME = Path(".tarsy")

HomeOption = Annotated[Path, typer.Option("--home", help="the folder of data and logs", envvar="TARSY_HOME")]
JsonOption = Annotated[bool, typer.Option("--json", help="as JSON, for programs")]
UrlOption = Annotated[
    str, typer.Option("--url", help="a TARSy elsewhere, such as http://127.0.0.1:8080", envvar="TARSY_URL")
]
SESSION_HELP = "the session's id, as `tarsy sessions` shows it, or its beginning"
SessionArgument = Annotated[str, typer.Argument(help=SESSION_HELP)]
LatestSessionArgument = Annotated[str, typer.Argument(help=f"{SESSION_HELP}; the latest one when it is left out")]

type Output = Literal["table", "wide", "json", "yaml"]
OutputOption = Annotated[
    Output, typer.Option("--output", "-o", help="wide has more columns; json and yaml are for programs")
]
