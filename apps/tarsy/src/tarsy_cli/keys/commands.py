"""`tarsy keys`."""

import secrets
import time
from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.console.terminal import fail, print_note, say


def new(
    name: Annotated[str, typer.Argument(help="the name that goes on record, such as alertmanager")],
    role: Annotated[str, typer.Option("--role", help="viewer, responder, operator, admin or service")],
    expires: Annotated[
        str, typer.Option("--expires", help="when it ends: 2027-03-01 (its beginning in UTC) or 2027-03-01T12:00:00Z")
    ] = "",
    session_group: Annotated[
        list[str] | None,
        typer.Option(
            "--session-group",
            help="a group of auth.yaml: it sees the sessions of this group only; can be given several times",
        ),
    ] = None,
) -> None:
    """Create an API key: print it once, with its entry for auth.yaml below. The key is stored nowhere."""
    from tarsy_auth.api_keys import digest_of, new_key
    from tarsy_cli.keys.key_entry import InvalidEntryError, key_entry, yaml_of

    key = new_key(secrets.token_bytes)
    try:
        entry = key_entry(name, role, digest_of(key), expires, session_group or [], time.time())
    except InvalidEntryError as problem:
        raise fail(str(problem)) from None
    typer.echo(f"{key}\n\n{yaml_of(entry)}", nl=False)
    print_note("Keep the key: it is not shown again. The entry belongs below `keys:` in auth.yaml.")


def check(path: Annotated[Path, typer.Argument(metavar="FILE", help="auth.yaml", envvar="TARSY_AUTH_FILE")]) -> None:
    """Check an auth.yaml: name each mistake, or list its keys with names, roles, and which have expired.

    The exit code is 1 when there are mistakes. An expired key is not a mistake.
    """
    from tarsy_auth.auth_file import InvalidAuthFileError, read_auth_file
    from tarsy_cli.keys.key_list import lines_of

    try:
        config = read_auth_file(path)
    except InvalidAuthFileError as problem:
        raise fail(str(problem)) from None
    for line in lines_of(config, time.time()):
        say(line)
