"""Requests about sessions, which their owners decide: cancel, release, retry, fail."""

from collections.abc import Callable, Sequence
from uuid import uuid4

from pydantic import JsonValue

from tarsy_cli.api import post
from tarsy_cli.console.output import OutputClosedError
from tarsy_cli.console.terminal import fail, say
from tarsy_cli.errors import CommandError
from tarsy_cli.session_ids import Candidate, whole_id


def ask_of_sessions(
    verb: str,
    sessions: Sequence[str],
    api: str,
    body: JsonValue = None,
    candidates: Callable[[str, str], Sequence[Candidate]] | None = None,
) -> None:
    """All of them are asked for; one that is refused makes the command fail. `candidates`: see `whole_id`."""
    refused: list[str] = []
    for given in sessions:
        id = given
        try:
            id = whole_id(api, given, candidates)
            answer = post(f"{api}/sessions/{id}/{verb}", body, idempotency_key=str(uuid4()))
            say(f"{id}: {answer.get('message', '')}")
        except OutputClosedError:
            raise
        except CommandError as problem:
            refused.append(f"{id}: {problem}")
    if refused:
        raise fail("\n".join(refused))
