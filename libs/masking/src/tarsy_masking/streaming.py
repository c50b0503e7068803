"""Streaming masker: text goes out as it comes, but for what may become a secret. Pure, given the rules.

All that goes out is a beginning of the whole text, masked. A text goes out up to a place that no secret lies across,
however the text goes on (`OpenSecrets`): mostly up to its last blank. The cost of a character is bounded, however long
the stream or a line of it is.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

LONGEST_CONTEXT = 16 * 1024
"""Characters that are held or masked at a time. After a text that needs more nothing is shown."""
SHORT_CONTEXT = 4_096
"""Characters. Until then each piece is looked at when it comes. Few contexts are longer."""
GROWTH = 12
"""With a longer context the next look waits until that has grown by a twelfth."""
ENOUGH_CONTEXT = 512
"""Characters. Beyond, text that has gone out is forgotten."""
PARTS = (0.8, 0.6, 0.4, 0.2)
"""A context is cut behind the first of these parts where that is possible."""
MARGIN = 64
"""Characters that stay of what has gone out: rules look back by fewer."""
NO_LINE_BEGINS = "\0"
"""Stands before a context that begins inside a line, so that no rule takes it for the beginning of a line."""

type Mask = Callable[[str], str]


class SecretsAtEnd(Protocol):
    """The questions that `OpenSecrets` answers of a text."""

    def may_go_on(self, text: bytes) -> bool: ...
    def open_since(self, text: bytes) -> int: ...
    def data_since(self, text: bytes) -> int | None: ...
    def names_a_secret(self, text: bytes) -> bool: ...


class MaskedStream:
    """Sending stops when the mask changes text that was sent, or when a secret stays open for too long. The final text
    replaces all of it anyway.
    """

    def __init__(self, mask: Mask, secrets: SecretsAtEnd) -> None:
        self._mask = mask
        self._secrets = secrets
        self._context = ""
        """The text that matters for what follows. The first `_out` characters of it have gone out, as `_sent`."""
        self._out = 0
        self._sent = ""
        self._new: list[str] = []
        self._size = 0
        """The length of context and new pieces."""
        self._next_look = 0
        self._next_cut = ENOUGH_CONTEXT
        self._forgot_a_kind = False
        self._silent = False

    def take(self, text: str) -> str:
        """The masked text that may go out now."""
        if self._silent or not text:
            return ""
        self._new.append(text)
        self._size += len(text)
        return self._look_for_end() if self._size >= self._next_look else ""

    def pause(self) -> str:
        """The word that was held back, when something else comes between this text and the rest of it. A beginning
        of a secret of more than a word stays here."""
        out = self._look_for_end()
        if self._out >= _position_after_blank(self._context) and self._find_data_since() is None:
            out += self._send_up_to(len(self._context))
        return out

    def rest(self) -> str:
        """The text that was held back, when there is no more."""
        self._gather_new()
        data = self._find_data_since() if self._forgot_a_kind else None
        return self._send_up_to(len(self._context) if data is None else data)

    def _gather_new(self) -> None:
        self._context += "".join(self._new)
        self._new.clear()

    def _look_for_end(self) -> str:
        self._gather_new()
        out = ""
        for end in self._possible_ends():
            if end > self._out and not self._is_open(self._context[:end]):
                out = self._send_up_to(end, only_if_closed=True)
                break
        if self._out >= self._next_cut:
            self._shorten_context()
        if self._size > LONGEST_CONTEXT:
            self._fall_silent()
        self._next_look = self._size + self._size // GROWTH if self._size >= SHORT_CONTEXT else 0
        return out

    def _possible_ends(self) -> Iterator[int]:
        """Up to where the text may go out, the furthest first: to its end, a word less, or before what is open."""
        data = self._find_data_since()
        text = self._context if data is None else self._context[:data]
        yield len(text)
        text = text[: _position_after_blank(text)]
        yield len(text)
        encoded = _to_bytes(text)
        yield _position_after_blank(encoded[: self._secrets.open_since(encoded)].decode(errors="ignore"))

    def _find_data_since(self) -> int | None:
        encoded = _to_bytes(self._context)
        since = self._secrets.data_since(encoded)
        return None if since is None else len(encoded[:since].decode())

    def _is_open(self, text: str) -> bool:
        return self._secrets.may_go_on(_to_bytes(text))

    def _send_up_to(self, end: int, *, only_if_closed: bool = False) -> str:
        text = self._context[:end]
        masked = self._mask(text)
        if not masked.startswith(self._sent):
            self._fall_silent()
            return ""
        out = masked[len(self._sent) :]
        if only_if_closed and out != text[self._out :] and self._may_change(text, masked):
            return ""
        self._out, self._sent = end, masked
        return out

    def _may_change(self, text: str, masked: str) -> bool:
        """With more text, a rule may find another secret instead. A placeholder may also begin a match of another
        rule.
        """
        return self._secrets.open_since(_to_bytes(text)) < len(_to_bytes(text.rstrip())) or self._is_open(masked)

    def _shorten_context(self) -> None:
        """Forgets what has gone out, before a place that no match lies across, if both parts are masked each by itself
        as they were together."""
        self._next_cut = self._out + self._out // 4
        # Data that may be a Kubernetes Secret's is judged by all that stands before it.
        positions = () if self._find_data_since() is not None else map(self._position_after, PARTS)
        for begin in filter(None, positions):
            before, context, out = self._context[:begin], self._context[begin:], self._out - begin
            if not before.endswith("\n"):
                context, out = NO_LINE_BEGINS + context, out + 1
            sent = self._mask(context[:out])
            if self._mask(before) + sent.removeprefix(NO_LINE_BEGINS) == self._sent:
                self._forgot_a_kind |= self._secrets.names_a_secret(_to_bytes(before))
                self._context, self._out, self._sent, self._size = context, out, sent, len(context)
                self._next_cut = ENOUGH_CONTEXT
                return

    def _position_after(self, part: float) -> int | None:
        """The beginning of a line, or a blank in one."""
        first, last = int(part * self._out), self._out - MARGIN
        line = self._context.find("\n", first, last) + 1
        if line and self._is_nothing_open_before(line, blanks=0):
            return line
        blank = self._context.find(" ", first, last)
        return blank if blank > 0 and self._is_nothing_open_before(blank, blanks=1) else None

    def _is_nothing_open_before(self, position: int, *, blanks: int) -> bool:
        """A match may begin with the blank itself."""
        encoded = _to_bytes(self._context[: position + blanks])
        return self._secrets.open_since(encoded) >= len(encoded) - blanks

    def _fall_silent(self) -> None:
        self._silent = True
        self._context = self._sent = ""
        self._out = self._size = self._next_look = 0


def _position_after_blank(text: str) -> int:
    return max(text.rfind(" "), text.rfind("\n")) + 1


def _to_bytes(text: str) -> bytes:
    return text.encode(errors="replace")
