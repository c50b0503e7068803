"""`tarsy dead-letters list`, `show` and `redrive`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail, get_console, print_json
from tarsy_cli.dead_letters.letter_ids import (
    ReasonOption,
    ServiceOption,
    SinceOption,
    TopicOption,
    filters,
    whole_letter_id,
)
from tarsy_cli.options import DEFAULT_HOME, USAGE, HomeOption, JsonOption, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure

if TYPE_CHECKING:
    from tarsy_contracts.api.dead_letters import DeadLetterRaw

LIST_LIMIT = 20


def list_letters(
    topic: TopicOption = "",
    service: ServiceOption = "",
    reason: ReasonOption = "",
    since: SinceOption = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="how many of the newest")] = (LIST_LIMIT),
    as_json: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """List records that could not be read: who buried them and why, when they came, and whether they were re-driven."""
    from tarsy_cli.api import get
    from tarsy_cli.dead_letters.rendering import print_letters
    from tarsy_contracts.api.dead_letters import DeadLetterList

    api = api_of(home, url)
    with exit_on_failure(api):
        wanted = filters(topic, service, reason, since)
        found = DeadLetterList.model_validate(get(f"{api}/dead-letters", limit=limit, **wanted))
    if as_json:
        print_json(found)
    else:
        print_letters(found, get_console())


def show(
    letter: Annotated[str, typer.Argument(help="its id, as `tarsy dead-letters list` shows it, or the beginning")],
    raw: Annotated[
        bool, typer.Option("--raw", help="the exact bytes of the value, unmasked; with --json also key and headers")
    ] = False,
    as_json: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Show a dead letter with the beginning of its record, masked: a stranger wrote it.

    `--raw > FILE` writes the value byte for byte; `--raw --json` has key, value and headers in base64.
    """
    from tarsy_cli.api import get
    from tarsy_cli.dead_letters.rendering import print_letter
    from tarsy_contracts.api.dead_letters import DeadLetterDetail, DeadLetterRaw

    api = api_of(home, url)
    with exit_on_failure(api):
        address = f"{api}/dead-letters/{whole_letter_id(api, letter)}"
        if raw:
            _write_raw(DeadLetterRaw.model_validate(get(f"{address}/raw")), as_json=as_json)
            return
        found = DeadLetterDetail.model_validate(get(address))
    if as_json:
        print_json(found)
    else:
        print_letter(found, get_console())


def redrive(
    letters: Annotated[list[str] | None, typer.Argument(help="their ids, or the beginnings of them")] = None,
    all_: Annotated[bool, typer.Option("--all", help="all that wait and match the filters")] = False,
    topic: TopicOption = "",
    service: ServiceOption = "",
    reason: ReasonOption = "",
    since: SinceOption = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="with --all: only list what would be re-driven")] = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Write dead letters back to where they came from, with their identity. The exit code is 1 when one is refused.

    Repeating it is harmless: the same alert joins its session. A record that fails again is the same letter again.
    """
    from tarsy_cli.dead_letters.redriving import redrive_all, redrive_some

    api = api_of(home, url)
    if bool(letters) == all_:
        raise fail("Name dead letters, or --all of them.", code=USAGE)
    with exit_on_failure(api):
        wanted = filters(topic, service, reason, since)
        if not all_ and (wanted or dry_run):
            raise fail("--topic, --service, --reason, --since and --dry-run go with --all.", code=USAGE)
        refused = redrive_all(api, wanted, dry_run=dry_run) if all_ else redrive_some(api, letters or [])
    if refused:
        raise typer.Exit(1)


def _write_raw(found: "DeadLetterRaw", *, as_json: bool) -> None:
    """A terminal gets no bytes of a stranger: they may be its control characters."""
    import base64

    if as_json:
        print_json(found)
    elif sys.stdout.isatty():
        raise fail("Raw bytes do not go to a terminal: add `> FILE`, or --json.", code=USAGE)
    else:
        sys.stdout.buffer.write(base64.b64decode(found.value or ""))
        sys.stdout.buffer.flush()
