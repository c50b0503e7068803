"""Model answers that never end, one a kind, as OpenAI's wire has them. Pure."""

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import count, repeat

from pydantic import JsonValue

type Delta = dict[str, JsonValue]

WORDS = 16
"""Words of one piece: enough that megabytes come in seconds, as from a model that is served nearby."""


def _comments() -> Iterator[bytes]:
    return repeat(b": still thinking\n\n")


def _text(words: Iterator[str]) -> Iterator[bytes]:
    return (_piece({"content": "".join(next(words) for _ in range(WORDS))}) for _ in count())


def _thoughts() -> Iterator[bytes]:
    return (_piece({"reasoning_content": f"thought {number} leads to the next. "}) for number in count())


def _arguments() -> Iterator[bytes]:
    call: Delta = {"index": 0, "id": "call_0", "type": "function"}
    function: Delta = {"name": "kubernetes__pods_list", "arguments": '{"namespace": "'}
    yield _piece({"tool_calls": [call | {"function": function}]})
    for number in count():
        yield _piece({"tool_calls": [{"index": 0, "function": {"arguments": f"shop-{number} " * WORDS}}]})


ENDLESS_ANSWERS: Mapping[str, Callable[[], Iterator[bytes]]] = {
    "one-word": lambda: _text(repeat("error ")),
    "one-character": lambda: _text(repeat("0")),
    "new-words": lambda: _text(f"word{number} " for number in count()),
    "thoughts": _thoughts,
    "comments": _comments,
    "arguments": _arguments,
}
"""By the name of the model that answers so."""


def _piece(delta: Delta) -> bytes:
    choice: JsonValue = {"index": 0, "delta": delta, "finish_reason": None}
    about: Delta = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "endless"}
    return f"data: {json.dumps(about | {'choices': [choice]})}\n\n".encode()
