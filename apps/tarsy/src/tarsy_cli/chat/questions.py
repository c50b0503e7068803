"""Questions to a session over the API: each is asked once, however often it has to be sent."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from uuid import uuid4

from tarsy_cli.api import ApiError, UnavailableError, UnreachableError, post, retry
from tarsy_contracts.api.chat import ChatMessageSent

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


def cancel_reply(api: str, session_id: str) -> None:
    """Cancels the reply that is being written, if the API takes the wish. Its end says what came of that."""
    cancel = partial(post, f"{api}/sessions/{session_id}/cancel", None, idempotency_key=str(uuid4()))
    with suppress(ApiError):
        retry(cancel, UnavailableError, UnreachableError)
