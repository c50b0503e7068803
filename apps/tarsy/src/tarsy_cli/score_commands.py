"""The command about scores: `tarsy score` shows those of a session, or has it judged once more."""

from typing import Annotated
from uuid import uuid4

import typer

from tarsy_cli.console.terminal import get_console, print_json, say
from tarsy_cli.options import DEFAULT_HOME, HomeOption, JsonOption, LatestSessionArgument, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure, session_or_latest


def score(
    session: LatestSessionArgument = "",
    again: Annotated[bool, typer.Option("--again", help="have it judged (once more); earlier scores stay")] = False,
    as_json: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Show how an investigation was judged, or have it judged once more."""
    from tarsy_cli.api import get, post
    from tarsy_cli.lists.scores import print_scores
    from tarsy_contracts.api.scores import SessionScores

    api = api_of(home, url)
    found = session_or_latest(api, session)
    with exit_on_failure(api):
        if again:
            post(f"{api}/sessions/{found}/score", None, idempotency_key=str(uuid4()))
            say("It is judged in a moment.")
            return
        scores = SessionScores.model_validate(get(f"{api}/sessions/{found}/score"))
        if as_json:
            print_json(scores)
        else:
            print_scores(scores, get_console())
