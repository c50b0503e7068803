"""One client's subscription to a session: what it is sent, without a gap and nothing twice. Pure."""

from collections.abc import Sequence

from tarsy_websocket_gateway.errors import HeldTooMuchError
from tarsy_websocket_gateway.messages.history import History
from tarsy_websocket_gateway.messages.outgoing import Outgoing
from tarsy_websocket_gateway.messages.running_calls import Call
from tarsy_websocket_gateway.messages.stream_messages import delta, encode_created, reset

MOST_HELD = 1_000


class Subscription:
    """Holds live messages back until the history is there, which reaches at least as far as they begin.

    Chunks are dropped meanwhile, not held back: `begin` sends all that has streamed until then.
    """

    def __init__(self) -> None:
        self._held: list[Outgoing] | None = []
        self._overflowed = False
        self._floor = 0
        self._ended: frozenset[str] = frozenset()

    def offer(self, message: Outgoing) -> bool:
        """Whether this live message is sent now."""
        if self._held is None:
            return self._is_new(message)
        if message.number is not None:
            self._overflowed = self._overflowed or len(self._held) >= MOST_HELD
            if not self._overflowed:
                self._held.append(message)
        return False

    def hold_again(self) -> None:
        """The history is asked for again: what was held, or was too much, is in it."""
        self._held, self._overflowed = [], False

    def begin(self, history: History, running: Sequence[Call], after: int = 0) -> list[Outgoing]:
        """All that is sent before what comes live from here on. `after`: the last number that the client has.

        Raises HeldTooMuchError.
        """
        if self._overflowed or self._held is None:
            raise HeldTooMuchError("Too much is happening in this session. Subscribe again.")
        held, self._held = self._held, None
        gone = [call for call in running if history.has_ended(call)]
        self._floor = history.last_number
        self._ended = history.ended.union(*(call.parts for call in gone))
        messages = [*history.since(after), *(message for message in held if self._is_new(message))]
        for call in running:
            if call not in gone:
                messages += _messages_of_call(call, history, again=after > 0)
        return messages

    def _is_new(self, message: Outgoing) -> bool:
        if message.number is not None:
            return message.number > self._floor
        return message.event_id not in self._ended


def _messages_of_call(call: Call, history: History, *, again: bool) -> list[Outgoing]:
    """`again`: the client may have some of the text. A text that is still being read is told to all, once it is."""
    messages: list[Outgoing] = []
    for part in call.parts.values():
        if not part.logged and part.event_id not in history.present:
            call.stage_id = call.stage_id or history.steps.stage_of(call.execution_id)
            messages.append(encode_created(call, part, history.last_number))
        if call.untold:
            continue
        if again:
            messages.append(reset(call, part))
        if part.pieces:
            messages.append(delta(call, part, "".join(part.pieces)).to_outgoing())
    return messages
