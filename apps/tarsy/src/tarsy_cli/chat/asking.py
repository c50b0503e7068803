"""Asking one question, and following its reply to its end."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from uuid import uuid4

from pydantic import ValidationError
from rich.console import Console
from rich.text import Text

from tarsy_cli.api import ApiError, UnavailableError, UnreachableError, post, retry
from tarsy_cli.chat.reply import REFUSED, Reply
from tarsy_cli.chat.reply_screen import ReplyScreen
from tarsy_cli.verbosity import details
from tarsy_cli.watch.rendering import NOTICE
from tarsy_cli.watch.session_messages import follow
from tarsy_contracts.api.chat import ChatMessageSent
from tarsy_local.terminal_text import one_line


def ask(api: str, session_id: str, question: str, console: Console) -> Reply:
    """Shows the reply on the console as it is written. Ctrl+C cancels it, and then shows its end; a second one leaves.

    Raises ApiError when the reply cannot be followed, KeyboardInterrupt when the person leaves.
    """

    def told(problem: ApiError) -> None:
        console.print(Text(f"({one_line(str(problem))}; trying again)", style=NOTICE))

    try:
        sent = send_question(api, session_id, question, told)
    except ApiError as problem:
        return Reply(session_id=session_id, question=question, status=REFUSED, error=str(problem))
    except ValidationError:
        error = f"The server does not answer as a TARSy of this version does.{details(api)}"
        return Reply(session_id=session_id, question=question, status=REFUSED, error=error)
    screen = ReplyScreen(console, sent)
    try:
        asyncio.run(follow(api, session_id, screen, screen.idle))
    except KeyboardInterrupt:
        screen.begin_again("(cancelling the reply)")
        _cancel_reply(api, session_id)
        asyncio.run(follow(api, session_id, screen, screen.idle))
    return screen.reply(question)


DECIDED_SECONDS = 60.0
LOOK_SECONDS = 0.2


def send_question(
    api: str, session_id: str, content: str, on_first_failure: Callable[[ApiError], None]
) -> ChatMessageSent:
    """Returns when the owner of the session has accepted it. Raises ApiError or ValidationError."""
    url, key = f"{api}/sessions/{session_id}/chat/messages", str(uuid4())
    send = partial(post, url, {"content": content}, idempotency_key=key)
    limit = time.monotonic() + DECIDED_SECONDS
    while True:
        answer = retry(send, UnavailableError, UnreachableError, on_first_failure=on_first_failure)
        sent = ChatMessageSent.model_validate(answer)
        if sent.accepted:
            return sent
        # The same question again is answered with the decision on record: it may be a refusal.
        if time.monotonic() > limit:
            raise ApiError(
                f"Nothing was decided within {DECIDED_SECONDS:g} seconds; `tarsy chat {session_id}` shows it later."
            )
        time.sleep(LOOK_SECONDS)


def _cancel_reply(api: str, session_id: str) -> None:
    """Cancels the reply that is being written, if the API takes the wish. Its end says what came of that."""
    cancel = partial(post, f"{api}/sessions/{session_id}/cancel", None, idempotency_key=str(uuid4()))
    with suppress(ApiError):
        retry(cancel, UnavailableError, UnreachableError)
