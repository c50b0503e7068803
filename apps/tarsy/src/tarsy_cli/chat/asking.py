"""Asking one question, and following its reply to its end."""

import asyncio

from pydantic import ValidationError
from rich.console import Console
from rich.text import Text

from tarsy_cli.api import ApiError
from tarsy_cli.chat.questions import cancel_reply, send_question
from tarsy_cli.chat.reply import REFUSED, Reply
from tarsy_cli.chat.reply_screen import ReplyScreen
from tarsy_cli.verbosity import details
from tarsy_cli.watch.rendering import NOTICE
from tarsy_cli.watch.session_messages import follow
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
        cancel_reply(api, session_id)
        asyncio.run(follow(api, session_id, screen, screen.idle))
    return screen.reply(question)
