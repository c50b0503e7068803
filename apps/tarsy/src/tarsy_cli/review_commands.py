"""The commands about reviews and scores."""

from typing import Annotated
from uuid import uuid4

import typer

from tarsy_cli.console.terminal import fail, get_console, print_json, say
from tarsy_cli.options import DEFAULT_HOME, HomeOption, JsonOption, LatestSessionArgument, SessionArgument, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure, session_of, session_or_latest
from tarsy_contracts.review import RATINGS, REVIEW_ACTIONS, REVIEW_STATUSES

ActionArgument = Annotated[str, typer.Argument(help=f"one of {', '.join(REVIEW_ACTIONS)}")]
StatusOption = Annotated[str, typer.Option(help=f"only these, with commas: {', '.join(REVIEW_STATUSES)}")]
RatingOption = Annotated[str, typer.Option(help=f"of the analysis, with complete and feedback: {', '.join(RATINGS)}")]


def reviews(
    status: StatusOption = "needs_review,in_progress",
    mine: Annotated[bool, typer.Option("--mine", help="only those that you have claimed or done")] = False,
    assignee: Annotated[str, typer.Option(help="only those of this person")] = "",
    team: Annotated[str, typer.Option(help="only alerts with this label `team`")] = "",
    as_json: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """List the investigations that people review, those that wait first."""
    from tarsy_cli.lists.reviews import ReviewQuery, print_reviews, read_own_name, read_reviews

    api = api_of(home, url)
    with exit_on_failure(api):
        query = ReviewQuery(status=status, assignee=read_own_name(api) if mine else assignee, team=team)
        found = read_reviews(api, query)
        if as_json:
            print_json(found)
        else:
            print_reviews(found, get_console())


def review(
    session: SessionArgument,
    action: ActionArgument,
    rating: RatingOption = "",
    cause: Annotated[str, typer.Option(help="the real cause, in your words")] = "",
    note: Annotated[str, typer.Option(help="what else there is to say")] = "",
    to: Annotated[str, typer.Option("--to", help="with reassign: who reviews it; you, where it is left out")] = "",
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Claim, complete or otherwise change the review of a session."""
    from pydantic import ValidationError

    from tarsy_cli.api import post
    from tarsy_contracts.api.reviews import ReviewOrder

    api = api_of(home, url)
    try:
        order = ReviewOrder.model_validate(
            {"action": action, "rating": rating, "cause": cause, "note": note, "assignee": to}
        )
    except ValidationError as problem:
        raise fail(problem.errors()[0]["msg"]) from None
    found = session_of(api, session)
    with exit_on_failure(api):
        body = order.model_dump(mode="json")
        say(str(post(f"{api}/sessions/{found}/review", body, idempotency_key=str(uuid4())).get("message", "")))


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
