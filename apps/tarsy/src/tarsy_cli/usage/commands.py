"""The command about usage: `tarsy usage digest`."""

from datetime import datetime
from typing import Annotated

import typer

from tarsy_cli.console.terminal import print_json
from tarsy_cli.options import DEFAULT_HOME, HomeOption, JsonOption, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure

LastOption = Annotated[
    datetime | None,
    typer.Option(
        formats=["%Y-%m-%d"], help="the last of its seven days (UTC), such as 2026-11-29; if left out, yesterday"
    ),
]


def digest(
    last: LastOption = None, as_json: JsonOption = False, home: HomeOption = DEFAULT_HOME, url: UrlOption = ""
) -> None:
    """Print a week on one page: alerts investigated, causes, slow tools, unread skills, money."""
    from tarsy_cli.api import get
    from tarsy_contracts.api.digests.usage_digest import UsageDigest
    from tarsy_contracts.digest_text import digest_plain_text

    api = api_of(home, url)
    with exit_on_failure(api):
        asked = {} if last is None else {"last": last.date().isoformat()}
        found = UsageDigest.model_validate(get(f"{api}/usage/digest", **asked))
        if as_json:
            print_json(found)
        else:
            typer.echo(digest_plain_text(found), nl=False)
