"""Arbiter of texts that stream at once: a person reads one after the other."""

import time
from collections.abc import Callable, Iterator

from tarsy_cli.watch.rendering import LLM_TEXTS, Payload, text_of

SILENCE_SECONDS = 2.0
"""A text that streams and is silent for this long lets others through."""
MOST_HELD = 500
"""More waiting messages than this are let through all the same."""


class StreamArbiter:
    """Holds back what others say while one text streams, and lets it through when that has ended."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._speakers: dict[str, str] = {}
        self._held: list[Payload] = []
        self._speaking: str | None = None
        self._unfinished: set[str] = set()
        self._heard = 0.0

    def admit(self, payload: Payload) -> Iterator[Payload]:
        """The messages to be shown now, in order."""
        if text_of(payload, "type") in ("stage.status", "session.status"):
            yield from self.release()
            yield payload
            return
        if payload.get("type") == "stream.progress":
            # A word in passing is worth no wait: the next one says more.
            if self._speaking is None:
                yield payload
            return
        self._note_speaker(payload)
        if self._speaking is not None and (len(self._held) >= MOST_HELD or self._is_silent()):
            yield from self.release()
        self._held.append(payload)
        yield from self._release_until_speaker()

    def idle(self) -> Iterator[Payload]:
        """Nothing came for a moment."""
        if self._held and self._is_silent():
            yield from self.release()

    def release(self) -> Iterator[Payload]:
        """All that waits, of every speaker."""
        self._pass_turn_on()
        yield from self._release_until_speaker()
        while self._held:
            self._pass_turn_on()
            yield from self._release_until_speaker()

    def _release_until_speaker(self) -> Iterator[Payload]:
        position = 0
        while position < len(self._held):
            if self._speaking in (None, self._speaker_of(self._held[position])):
                payload = self._held.pop(position)
                self._note_payload(payload)
                yield payload
                position = position if self._speaking is not None else 0
            else:
                position += 1

    def _note_payload(self, payload: Payload) -> None:
        id = text_of(payload, "event_id")
        if payload.get("type") == "stream.chunk":
            self._speaking, self._heard = self._speaker_of(payload), self._clock()
            self._unfinished.add(id)
        elif text_of(payload, "type").startswith("timeline_event.") and payload.get("status") != "streaming":
            self._unfinished.discard(id)
            if not self._unfinished:
                self._pass_turn_on()

    def _pass_turn_on(self) -> None:
        self._speaking = None
        self._unfinished.clear()

    def _is_silent(self) -> bool:
        return self._clock() - self._heard > SILENCE_SECONDS

    def _note_speaker(self, payload: Payload) -> None:
        """Thinking and the answer after it are one speech."""
        id = text_of(payload, "event_id")
        if text_of(payload, "event_type") in LLM_TEXTS and (execution := text_of(payload, "execution_id")):
            self._speakers[id] = execution

    def _speaker_of(self, payload: Payload) -> str:
        id = text_of(payload, "event_id")
        return self._speakers.get(id, id) or text_of(payload, "execution_id")
