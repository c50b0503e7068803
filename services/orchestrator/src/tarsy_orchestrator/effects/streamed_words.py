"""Streamed words of LLM calls that run: as people were sent them, for calls whose time is up before their answer."""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from tarsy_contracts.messages.inputs import UnfinishedAnswer
from tarsy_contracts.native_calls import MOST_CALLS, NativeCall

MOST_KEPT = 200_000
"""Characters of each part of a call: the last ones."""
MOST_REPORTED = 200_000
"""Characters of all calls that one notice tells. A record has room for as many, whatever they are."""


class StreamedWords:
    """The words of one call. They are masked already."""

    def __init__(self) -> None:
        self._parts: dict[str, deque[str]] = {"thinking": deque(), "text": deque()}
        self._sizes = dict.fromkeys(self._parts, 0)
        self._native_calls: dict[str, NativeCall] = {}

    def add(self, part: str, text: str) -> None:
        pieces = self._parts[part]
        pieces.append(text)
        self._sizes[part] += len(text)
        while self._sizes[part] - len(pieces[0]) > MOST_KEPT:
            self._sizes[part] -= len(pieces.popleft())

    def note_native_call(self, call: NativeCall) -> None:
        """A call comes again with more of it."""
        key = call.code or (call.output if not call.queries else call.tool)
        if key in self._native_calls or len(self._native_calls) < MOST_CALLS:
            self._native_calls[key] = call

    @property
    def native_calls(self) -> tuple[NativeCall, ...]:
        return tuple(self._native_calls.values())

    def last(self, part: str, most: int = MOST_KEPT) -> str:
        return "".join(self._parts[part])[-most:]


class RunningWords:
    """The words of all calls that run, by the id of the call."""

    def __init__(self) -> None:
        self._calls: dict[str, StreamedWords] = {}

    @contextmanager
    def of(self, llm_call_id: str) -> Iterator[StreamedWords]:
        """Those of a call, which runs while the body does."""
        words = self._calls[llm_call_id] = StreamedWords()
        try:
            yield words
        finally:
            del self._calls[llm_call_id]

    def list_unfinished(self, ids: Iterable[str]) -> tuple[UnfinishedAnswer, ...]:
        """The words of those of these calls that have said anything."""
        found = [(id, self._calls[id]) for id in ids if id in self._calls]
        most = MOST_REPORTED // max(1, 2 * len(found))
        answers = [
            UnfinishedAnswer(
                llm_call_id=id,
                thinking=words.last("thinking", most),
                text=words.last("text", most),
                native_calls=words.native_calls,
            )
            for id, words in found
        ]
        return tuple(one for one in answers if one.thinking or one.text or one.native_calls)
